/** Answers of Bitcoin Core's JSON-RPC, as far as its dialect reads them. Amounts come out in base units. */
import { hex } from '@scure/base';
import * as z from 'zod/mini';
import { toBaseUnits } from '../../../money/units.ts';
import { natural, written } from '../../rpc/shapes.ts';

const DECIMALS = 8;

export const HASH = z.lazy(() => z.string().check(z.regex(/^[0-9a-f]{64}$/)));
export const HASHES = z.lazy(() => z.array(HASH));
export const BYTES = written(/^([0-9a-f]{2})*$/, hex.decode);
/** Whole coins arrive as numbers, fractions as the text that the node wrote (json-rpc.ts). */
export const COINS = z.lazy(() =>
	z.pipe(
		z.union([z.int(), z.string().check(z.regex(/^\d{1,16}(\.\d{1,8})?$/))]),
		z.transform((coins) => toBaseUnits(String(coins), DECIMALS)),
	),
);

export const CHAIN_INFO = z.lazy(() =>
	z.object({ blocks: natural, bestblockhash: HASH, initialblockdownload: z.boolean() }),
);
export const UNSPENT_OUTPUT = z.lazy(() =>
	z.nullable(z.object({ value: COINS, confirmations: natural, scriptPubKey: z.object({ hex: BYTES }) })),
);
export const MEMPOOL_INFO = z.lazy(() =>
	z.object({ size: natural, mempoolminfee: COINS, minrelaytxfee: z.optional(COINS) }),
);
/** Figures of an entry and its unconfirmed ancestors together. */
export const MEMPOOL_ENTRY = z.lazy(() =>
	z.object({ ancestorcount: natural, ancestorsize: natural, fees: z.object({ ancestor: COINS }) }),
);
export const SMART_FEE = z.lazy(() => z.object({ feerate: z.optional(COINS) }));
/** Dash alone has `chainlock`. */
export const HEADER = z.lazy(() => z.object({ chainlock: z.optional(z.boolean()) }));
