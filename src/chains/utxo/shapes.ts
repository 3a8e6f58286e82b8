/** The shapes of Bitcoin Core's JSON-RPC, as far as this family reads them. Amounts come out in base units. */
import * as z from 'zod';
import { toBaseUnits } from '../../money/units.ts';

const DECIMALS = 8;

export const TXID = /^[0-9a-f]{64}$/;
const txId = z.lazy(() => z.string().regex(TXID));
/** Whole coins arrive as numbers, fractions as the text that the node wrote (json-rpc.ts). */
const amount = z.lazy(() =>
	z
		.union([z.int(), z.string().regex(/^-?\d{1,16}(\.\d{1,8})?$/)])
		.transform((coins) => String(coins))
		.transform((text) => (text.startsWith('-') ? -toBaseUnits(text.slice(1), DECIMALS) : toBaseUnits(text, DECIMALS))),
);

/** How a wallet lists one output or input of a transaction. */
const entry = z.lazy(() =>
	z.object({
		category: z.string(),
		address: z.string().optional(),
		amount,
		vout: z.int().nonnegative().optional(),
		mweb_out: z.unknown().optional(),
	}),
);
const place = z.lazy(() =>
	z
		.object({
			txid: txId,
			confirmations: z.int(),
			blockheight: z.int().nonnegative().optional(),
			chainlock: z.boolean().optional(),
		})
		.refine((found) => found.confirmations <= 0 || found.blockheight !== undefined, 'confirmed, but without a height'),
);

export const CHAIN_INFO = z.lazy(() =>
	z.object({
		chain: z.string(),
		blocks: z.int(),
		bestblockhash: txId,
		initialblockdownload: z.boolean(),
	}),
);
export const BLOCK_HASH = txId;
/** `confirmations` is negative where the best chain does not hold the block. */
export const BLOCK_HEADER = z.lazy(() =>
	z.object({
		height: z.int().nonnegative(),
		confirmations: z.int(),
		previousblockhash: txId.optional(),
	}),
);
export const BLOCK = z.lazy(() => z.object({ tx: z.array(txId) }));
export const SINCE_BLOCK = z.lazy(() => z.object({ transactions: z.array(place.and(entry)), lastblock: txId }));
/** `fee` is present only if the wallet's own coins paid for the transaction. */
export const WALLET_TRANSACTION = z.lazy(() =>
	place.and(z.object({ details: z.array(entry), fee: amount.optional(), hex: z.string() })),
);
export const MEMPOOL_ENTRY = z.lazy(() => z.object({ ancestorcount: z.int() }));
/** Of a mempool entry and its unconfirmed ancestors together. */
export const PACKAGE = z.lazy(() =>
	z.object({ ancestorsize: z.int().positive(), fees: z.object({ ancestor: amount }) }),
);
export const UNSPENT = z.lazy(() =>
	z.array(
		z.object({
			txid: txId,
			vout: z.int().nonnegative(),
			address: z.string().optional(),
			amount,
			confirmations: z.int().nonnegative(),
		}),
	),
);
/** A descriptor wallet reports as its own (`mine`) what a legacy wallet reports as `watchonly`. */
const kindOfBalance = z.lazy(() => z.object({ trusted: amount, untrusted_pending: amount, immature: amount }));
export const BALANCES = z.lazy(() => z.object({ mine: kindOfBalance.optional(), watchonly: kindOfBalance.optional() }));
export const BALANCE = amount;
export const SMART_FEE = z.lazy(() => z.object({ feerate: amount.optional() }));
/** Rates below which the mempool, and the node at all times, take nothing. */
export const MEMPOOL_INFO = z.lazy(() => z.object({ mempoolminfee: amount, minrelaytxfee: amount.optional() }));
export const DECODED = z.lazy(() => z.object({ txid: txId, vin: z.array(z.object({ txid: txId.optional() })) }));

export type Entry = z.output<typeof entry>;
export type Place = z.output<typeof place>;
export type Unspent = z.output<typeof UNSPENT>[number];
