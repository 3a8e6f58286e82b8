/** The shapes of monero-wallet-rpc's answers, as far as this family reads them. Amounts are piconero. */
import * as z from 'zod/mini';
import { TXID } from './shapes.ts';

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
const TRANSFER = z.lazy(() =>
	z.object({
		txid: z.string().check(z.regex(TXID)),
		type: z.string(),
		amount: piconero,
		height: z.int().check(z.nonnegative()),
		/** Unix seconds. */
		timestamp: z.int().check(z.nonnegative()),
		/** Set for what the wallet itself sent. */
		destinations: z._default(z.array(z.object({ address: z.string(), amount: piconero })), []),
	}),
);
export type Transfer = z.output<typeof TRANSFER>;

const transfers = z.lazy(() => z._default(z.array(TRANSFER), []));
export const SENT_TRANSFERS = z.lazy(() => z.object({ out: transfers }));
export const TRANSFERS_OF_ONE = z.lazy(() => z.object({ transfers }));
export const HEIGHT = z.lazy(() => z.object({ height: z.int().check(z.positive()) }));
export const OUTPUTS = z.lazy(() =>
	z.object({
		transfers: z._default(
			z.array(
				z.object({
					amount: piconero,
					tx_hash: z.string(),
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
