/** The shapes of monerod's answers, as far as this family reads them. Amounts are piconero. */
import * as z from 'zod/mini';
import { natural } from '../rpc/shapes.ts';

export const TXID = /^[0-9a-f]{64}$/;

const hash = z.lazy(() => z.string().check(z.regex(TXID)));
export const INFO = z.lazy(() =>
	z.object({
		height: z.int().check(z.positive()),
		top_block_hash: hash,
		nettype: z.string(),
		synchronized: z.boolean(),
	}),
);
export const BLOCK_HEADER = z.lazy(() => z.object({ block_header: z.object({ hash }) }));
export const BLOCK = z.lazy(() => z.object({ blob: z.string() }));
export const POOL = z.lazy(() => z.object({ status: z.literal('OK'), tx_hashes: z._default(z.array(hash), []) }));
export const FEE_ESTIMATE = z.lazy(() => z.object({ fee: natural, fees: z.optional(z.array(natural)) }));
export const TRANSACTIONS = z.lazy(() =>
	z.object({
		status: z.literal('OK'),
		txs: z.optional(
			z.array(
				z.object({
					tx_hash: hash,
					in_pool: z.boolean(),
					double_spend_seen: z.boolean(),
					block_height: z.optional(natural),
					/** Empty unless it was asked for pruned. */
					pruned_as_hex: z.string(),
					prunable_hash: hash,
					as_hex: z.string(),
				}),
			),
		),
	}),
);
export const SPENT = z.lazy(() =>
	z.object({ status: z.literal('OK'), spent_status: z.array(z.int().check(z.minimum(0), z.maximum(2))) }),
);
