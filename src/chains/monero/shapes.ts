/** The shapes of monerod's and monero-wallet-rpc's answers, as far as this family reads them. Amounts are piconero. */
import * as z from 'zod/mini';

export const TXID = /^[0-9a-f]{64}$/;

const hash = z.lazy(() => z.string().check(z.regex(TXID)));
export const INFO = z.lazy(() =>
	z.object({ height: z.int().check(z.positive()), nettype: z.string(), synchronized: z.boolean() }),
);
export const FEE_ESTIMATE = z.lazy(() =>
	z.object({ fee: z.int().check(z.nonnegative()), fees: z.optional(z.array(z.int().check(z.nonnegative()))) }),
);
export const TRANSACTIONS = z.lazy(() =>
	z.object({
		status: z.literal('OK'),
		txs: z.optional(
			z.array(
				z.object({
					tx_hash: hash,
					in_pool: z.boolean(),
					double_spend_seen: z.boolean(),
					block_height: z.optional(z.int().check(z.nonnegative())),
					pruned_as_hex: z.string(),
					prunable_hash: hash,
				}),
			),
		),
	}),
);
export const SPENT = z.lazy(() =>
	z.object({ status: z.literal('OK'), spent_status: z.array(z.int().check(z.minimum(0), z.maximum(2))) }),
);

/** Numbers above 2^53 arrive as text (json-rpc.ts). */
export const piconero = z.lazy(() =>
	z.pipe(
		z.union([z.int().check(z.nonnegative()), z.string().check(z.regex(/^\d{1,20}$/))]),
		z.transform((units) => BigInt(units)),
	),
);
const subaddress = z.lazy(() =>
	z.object({ major: z.int().check(z.nonnegative()), minor: z.int().check(z.nonnegative()) }),
);
export const TRANSFER = z.lazy(() =>
	z.object({
		txid: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
		type: z.string(),
		address: z.string(),
		amount: piconero,
		fee: piconero,
		height: z.int().check(z.nonnegative()),
		/** Unix seconds. */
		timestamp: z.int().check(z.nonnegative()),
		unlock_time: piconero,
		locked: z.boolean(),
		double_spend_seen: z.boolean(),
		subaddr_index: subaddress,
		/** Set for what the wallet itself sent. */
		destinations: z._default(z.array(z.object({ address: z.string(), amount: piconero })), []),
	}),
);
export type Transfer = z.output<typeof TRANSFER>;

const transfers = z.lazy(() => z._default(z.array(TRANSFER), []));
export const TRANSFERS = z.lazy(() => z.object({ in: transfers, pool: transfers, pending: transfers }));
export const SENT_TRANSFERS = z.lazy(() => z.object({ out: transfers, pending: transfers }));
export const TRANSFERS_OF_ONE = z.lazy(() => z.object({ transfers }));
export const HEIGHT = z.lazy(() => z.object({ height: z.int().check(z.positive()) }));
export const BALANCE = z.lazy(() => z.object({ balance: piconero, unlocked_balance: piconero }));
export const OUTPUTS = z.lazy(() =>
	z.object({
		transfers: z._default(
			z.array(
				z.object({
					amount: piconero,
					key_image: z.string(),
					subaddr_index: subaddress,
					frozen: z.boolean(),
					unlocked: z.boolean(),
				}),
			),
			[],
		),
	}),
);
export type Output = z.output<typeof OUTPUTS>['transfers'][number];
export const NOTHING = z.lazy(() => z.object({}));
