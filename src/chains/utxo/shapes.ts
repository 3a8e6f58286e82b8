/** The shapes of Bitcoin Core's JSON-RPC, as far as this family reads them. Amounts come out in base units. */
import * as z from 'zod/mini';
import { toBaseUnits } from '../../money/units.ts';

const DECIMALS = 8;

export const TXID = /^[0-9a-f]{64}$/;
const txId = z.lazy(() => z.string().check(z.regex(TXID)));
/** Whole coins arrive as numbers, fractions as the text that the node wrote (json-rpc.ts). */
const amount = z.lazy(() =>
	z.pipe(
		z.pipe(
			z.union([z.int(), z.string().check(z.regex(/^-?\d{1,16}(\.\d{1,8})?$/))]),
			z.transform((coins) => String(coins)),
		),
		z.transform((text) => (text.startsWith('-') ? -toBaseUnits(text.slice(1), DECIMALS) : toBaseUnits(text, DECIMALS))),
	),
);

/** How a wallet lists one output or input of a transaction. */
const entry = z.lazy(() =>
	z.object({
		category: z.string(),
		address: z.optional(z.string()),
		amount,
		vout: z.optional(z.int().check(z.nonnegative())),
		mweb_out: z.optional(z.unknown()),
	}),
);
const place = z.lazy(() =>
	z
		.object({
			txid: txId,
			confirmations: z.int(),
			blockheight: z.optional(z.int().check(z.nonnegative())),
			chainlock: z.optional(z.boolean()),
		})
		.check(
			z.refine(
				(found) => found.confirmations <= 0 || found.blockheight !== undefined,
				'confirmed, but without a height',
			),
		),
);

export const CHAIN_INFO = z.lazy(() =>
	z.object({ chain: z.string(), blocks: z.int(), bestblockhash: txId, initialblockdownload: z.boolean() }),
);
export const BLOCK_HASH = txId;
/** `confirmations` is negative where the best chain does not hold the block. */
export const BLOCK_HEADER = z.lazy(() =>
	z.object({ height: z.int().check(z.nonnegative()), confirmations: z.int(), previousblockhash: z.optional(txId) }),
);
export const BLOCK = z.lazy(() => z.object({ tx: z.array(txId) }));
export const SINCE_BLOCK = z.lazy(() =>
	z.object({ transactions: z.array(z.intersection(place, entry)), lastblock: txId }),
);
/** `fee` is present only if the wallet's own coins paid for the transaction. */
export const WALLET_TRANSACTION = z.lazy(() =>
	z.intersection(place, z.object({ details: z.array(entry), fee: z.optional(amount), hex: z.string() })),
);
export const MEMPOOL_ENTRY = z.lazy(() => z.object({ ancestorcount: z.int() }));
/** The figures of a mempool entry and its unconfirmed ancestors together. */
export const PACKAGE = z.lazy(() =>
	z.object({ ancestorsize: z.int().check(z.positive()), fees: z.object({ ancestor: amount }) }),
);
export const UNSPENT = z.lazy(() =>
	z.array(
		z.object({
			txid: txId,
			vout: z.int().check(z.nonnegative()),
			address: z.optional(z.string()),
			amount,
			confirmations: z.int().check(z.nonnegative()),
		}),
	),
);
/** A descriptor wallet reports as its own (`mine`) what a legacy wallet reports as `watchonly`. */
const kindOfBalance = z.lazy(() => z.object({ trusted: amount, untrusted_pending: amount, immature: amount }));
export const BALANCES = z.lazy(() =>
	z.object({ mine: z.optional(kindOfBalance), watchonly: z.optional(kindOfBalance) }),
);
export const BALANCE = amount;
export const SMART_FEE = z.lazy(() => z.object({ feerate: z.optional(amount) }));
/** Rates below which the mempool, and the node at all times, take nothing. */
export const MEMPOOL_INFO = z.lazy(() => z.object({ mempoolminfee: amount, minrelaytxfee: z.optional(amount) }));
export const DECODED = z.lazy(() => z.object({ txid: txId, vin: z.array(z.object({ txid: z.optional(txId) })) }));
/** The coins that it spends and the addresses that it pays. */
export const DECODED_PLACES = z.lazy(() =>
	z.object({
		vin: z.array(z.object({ txid: z.optional(txId), vout: z.optional(z.int().check(z.nonnegative())) })),
		vout: z.array(z.object({ scriptPubKey: z.object({ hex: z.string() }) })),
	}),
);

export type Entry = z.output<typeof entry>;
export type Place = z.output<typeof place>;
export type Unspent = z.output<typeof UNSPENT>[number];
