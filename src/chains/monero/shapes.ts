/** The shapes of monerod's and monero-wallet-rpc's answers, as far as this family reads them. Amounts are piconero. */
import * as z from 'zod';

export const TXID = /^[0-9a-f]{64}$/;

const hash = z.lazy(() => z.string().regex(TXID));
export const INFO = z.lazy(() =>
	z.object({ height: z.int().positive(), nettype: z.string(), synchronized: z.boolean() }),
);
export const FEE_ESTIMATE = z.lazy(() =>
	z.object({
		fee: z.int().nonnegative(),
		fees: z.array(z.int().nonnegative()).optional(),
	}),
);
export const TRANSACTIONS = z.lazy(() =>
	z.object({
		status: z.literal('OK'),
		txs: z
			.array(
				z.object({
					tx_hash: hash,
					in_pool: z.boolean(),
					double_spend_seen: z.boolean(),
					block_height: z.int().nonnegative().optional(),
					pruned_as_hex: z.string(),
					prunable_hash: hash,
				}),
			)
			.optional(),
	}),
);
export const SPENT = z.lazy(() => z.object({ status: z.literal('OK'), spent_status: z.array(z.int().min(0).max(2)) }));

/** Numbers above 2^53 arrive as text (json-rpc.ts). */
export const piconero = z.lazy(() =>
	z.union([z.int().nonnegative(), z.string().regex(/^\d{1,20}$/)]).transform((units) => BigInt(units)),
);
const subaddress = z.lazy(() => z.object({ major: z.int().nonnegative(), minor: z.int().nonnegative() }));
export const TRANSFER = z.lazy(() =>
	z.object({
		txid: z.string().regex(/^[0-9a-f]{64}$/),
		type: z.string(),
		address: z.string(),
		amount: piconero,
		fee: piconero,
		height: z.int().nonnegative(),
		unlock_time: piconero,
		locked: z.boolean(),
		double_spend_seen: z.boolean(),
		subaddr_index: subaddress,
		/** Of what the wallet itself sent. */
		destinations: z.array(z.object({ address: z.string(), amount: piconero })).default([]),
	}),
);
export type Transfer = z.output<typeof TRANSFER>;

const transfers = z.lazy(() => z.array(TRANSFER).default([]));
export const TRANSFERS = z.lazy(() => z.object({ in: transfers, pool: transfers, pending: transfers }));
export const TRANSFERS_OF_ONE = z.lazy(() => z.object({ transfers }));
export const HEIGHT = z.lazy(() => z.object({ height: z.int().positive() }));
export const BALANCE = z.lazy(() => z.object({ balance: piconero, unlocked_balance: piconero }));
export const OUTPUTS = z.lazy(() =>
	z.object({
		transfers: z
			.array(z.object({ amount: piconero, key_image: z.string(), frozen: z.boolean(), subaddr_index: subaddress }))
			.default([]),
	}),
);
export type Output = z.output<typeof OUTPUTS>['transfers'][number];
export const NOTHING = z.lazy(() => z.object({}));
