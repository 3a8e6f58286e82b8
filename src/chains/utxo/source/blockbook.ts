/**
 * The dialect of Blockbook's API v2: JSON, amounts as text in base units, fields without a value left out. It has no
 * headers by themselves, so each is cut from a whole block.
 */
import * as z from 'zod/mini';
import { ChainUnavailable } from '../../errors.ts';
import type { NodeHeaders } from '../../node-urls.ts';
import { eachOf } from '../../rpc/each-of.ts';
import { natural, written } from '../../rpc/shapes.ts';
import type { Dialect, UnspentOutput } from '../source.ts';
import { HEADER_BYTES } from '../split.ts';
import type { Form, Outpoint } from '../transaction-bytes.ts';
import { broadcastAnswer } from './broadcast-answer.ts';
import { BYTES, COINS, HASH } from './core-shapes.ts';
import { poolHints, readable, withAncestors } from './pool-hints.ts';
import { known, Refused, type Rest, restOf } from './rest.ts';

const amount = written(/^\d{1,30}$/, BigInt);
const STATUS = z.lazy(() =>
	z.object({ blockbook: z.object({ bestHeight: natural, inSync: z.optional(z.boolean()) }) }),
);
const BLOCK_INDEX = z.lazy(() => z.object({ blockHash: z.optional(z.string()) }));
const RAW_BLOCK = z.lazy(() => z.object({ hex: BYTES }));
const TRANSACTION = z.lazy(() =>
	z.object({
		txid: HASH,
		vin: z.optional(z.array(z.object({ txid: z.optional(HASH), vout: z.optional(natural) }))),
		vout: z.array(
			z.object({
				value: z.optional(amount),
				n: z.optional(natural),
				hex: z.optional(BYTES),
				spent: z.optional(z.boolean()),
				addresses: z.nullish(z.array(z.string())),
			}),
		),
		confirmations: z.optional(natural),
		fees: z.optional(amount),
		vsize: z.optional(natural),
		size: z.optional(natural),
		hex: z.optional(BYTES),
	}),
);
const UNSPENT = z.lazy(() => z.array(z.object({ txid: HASH, vout: z.optional(natural) })));
const ADDRESS = z.lazy(() => z.object({ transactions: z.optional(z.array(TRANSACTION)) }));
/** Whole coins per 1000 bytes; zero and below where there is no estimate. */
const ESTIMATE = z.lazy(() => z.object({ result: z.string() }));

type Transaction = z.output<typeof TRANSACTION>;

export function blockbookDialect(url: string, headers: NodeHeaders | undefined, form: Form): Dialect {
	const rest = restOf(url, headers);
	const transactionOf = (txId: string) => rest.json(`/api/v2/tx/${txId}`, TRANSACTION);
	const rawBlock = async (block: string) => (await rest.json(`/api/v2/rawblock/${block}`, RAW_BLOCK))?.hex ?? null;

	return {
		host: rest.host,
		async tip() {
			const height = await heightOf(rest);
			return { height, hash: known(await hashAt(rest, height), `its own tip ${height}`) };
		},
		hashAt: (height) => hashAt(rest, height),
		async headers(from, count) {
			const last = Math.min(from + count - 1, await heightOf(rest));
			const heights = Array.from({ length: Math.max(0, last - from + 1) }, (_, more) => from + more);
			const blocks = await eachOf(heights, (height) => rawBlock(String(height)));
			return blocks.flatMap((block) => block?.slice(0, HEADER_BYTES) ?? []);
		},
		block: async (hash) => known(await rawBlock(hash), `block ${hash}`),
		outputs: (outpoints, pool) => eachOf(outpoints, (outpoint) => outputOf(rest, outpoint, pool === 'with pool')),
		transaction: async (txId) => (await transactionOf(txId))?.hex ?? null,
		pooled: (txIds) =>
			eachOf(txIds, (txId) => withAncestors(txId, async (each) => unconfirmed(await transactionOf(each)))),
		pool: poolHints(async (addresses) => {
			if (addresses.length === 0) return [];
			// From above the tip on there are only those of the mempool.
			const above = (await heightOf(rest)) + 1;
			const found = await eachOf(addresses, (address) =>
				rest.json(`/api/v2/address/${address}?details=txs&from=${above}`, ADDRESS),
			);
			const transactions = found.flatMap((each) => each?.transactions ?? []);
			const read = await eachOf(transactions, async ({ txid, hex: bytes }) =>
				readable(bytes ?? (await transactionOf(txid))?.hex, txid, form),
			);
			return read.flat();
		}),
		async feeRate(blocks) {
			const estimate = COINS.safeParse((await rest.json(`/api/v2/estimatefee/${blocks}`, ESTIMATE))?.result);
			return estimate.success ? estimate.data : 0n;
		},
		floorRate: async () => 0n,
		async broadcast(raw) {
			try {
				await rest.text('/api/v2/sendtx/', raw);
				return 'sent';
			} catch (error) {
				if (!(error instanceof Refused)) throw error;
				// The node's own error is the message: `-26: txn-mempool-conflict`.
				const code = /(-\d+): /.exec(error.message)?.[1];
				return broadcastAnswer(code === undefined ? null : Number(code), error.message);
			}
		},
		isLocked: async () => false,
	};
}

async function heightOf(rest: Rest): Promise<number> {
	const { blockbook } = known(await rest.json('/api/', STATUS), 'its own height');
	if (blockbook.inSync !== true) throw new ChainUnavailable('the node is still catching up');
	return blockbook.bestHeight;
}

/** Above the tip there is an empty hash. */
async function hashAt(rest: Rest, height: number): Promise<string | null> {
	const hash = (await rest.json(`/api/v2/block-index/${height}`, BLOCK_INDEX))?.blockHash ?? '';
	return HASH.safeParse(hash).success ? hash : null;
}

/** `spent` says what blocks spend; what the mempool spends is missing among the address's unspent outputs. */
async function outputOf(rest: Rest, { txId, vout }: Outpoint, withPool: boolean): Promise<UnspentOutput | null> {
	const found = await rest.json(`/api/v2/tx/${txId}`, TRANSACTION);
	const output = found?.vout.find(({ n = 0 }) => n === vout);
	const confirmations = found?.confirmations ?? 0;
	if (!output?.hex || output.spent || (confirmations === 0 && !withPool)) return null;
	if (withPool) {
		const unspent = await rest.json(`/api/v2/utxo/${output.addresses?.[0] ?? ''}`, UNSPENT);
		if (!unspent?.some((each) => each.txid === txId && (each.vout ?? 0) === vout)) return null;
	}
	return { amount: output.value ?? 0n, script: output.hex, confirmations };
}

function unconfirmed(found: Transaction | null) {
	if (!found || (found.confirmations ?? 0) > 0) return null;
	const virtualBytes = found.vsize ?? found.size ?? found.hex?.length ?? 0;
	return { virtualBytes, fee: found.fees ?? 0n, parents: (found.vin ?? []).flatMap(({ txid }) => txid ?? []) };
}
