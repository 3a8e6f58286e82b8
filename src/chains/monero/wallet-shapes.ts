/** The shapes of monero-wallet-rpc's answers, as far as this family reads them. Amounts are piconero. */
import * as z from 'zod/mini';
import { natural, whole } from '../rpc/shapes.ts';
import { TXID } from './shapes.ts';

export const piconero = whole(20);
const subaddress = z.lazy(() => z.object({ major: natural, minor: natural }));
const TRANSFER = z.lazy(() =>
	z.object({
		txid: z.string().check(z.regex(TXID)),
		type: z.string(),
		amount: piconero,
		height: natural,
		/** Unix seconds. */
		timestamp: natural,
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
