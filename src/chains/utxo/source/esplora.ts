/**
 * The dialect of Esplora (electrs): HTTP with bytes, text and JSON, amounts in base units. mempool.space speaks it too,
 * with fee estimates of its own.
 */
import { hex } from '@scure/base';
import * as z from 'zod/mini';
import { toBaseUnits } from '../../../money/units.ts';
import { ChainUnavailable } from '../../errors.ts';
import type { NodeHeaders } from '../../node-urls.ts';
import { eachOf } from '../../rpc/each-of.ts';
import { natural } from '../../rpc/shapes.ts';
import type { Dialect, PoolTransaction } from '../source.ts';
import { lockIn, type Outpoint } from '../transaction-bytes.ts';
import { broadcastAnswer } from './broadcast-answer.ts';
import { BYTES, HASH } from './core-shapes.ts';
import { poolHints, withAncestors } from './pool-hints.ts';
import { known, orNull, Refused, type Rest, restOf } from './rest.ts';

const BLOCKS = z.lazy(() =>
	z.array(
		z.object({
			id: HASH,
			height: natural,
			version: z.int(),
			timestamp: natural,
			bits: natural,
			nonce: natural,
			merkle_root: HASH,
			previousblockhash: z.nullish(HASH),
		}),
	),
);
const STATUS = z.lazy(() => z.object({ confirmed: z.boolean(), block_height: z.nullish(natural) }));
const TRANSACTION = z.lazy(() =>
	z.object({
		txid: HASH,
		weight: natural,
		fee: z.int(),
		vin: z.array(
			z.object({
				txid: z.optional(HASH),
				vout: z.optional(natural),
				scriptsig: z.optional(BYTES),
				witness: z.nullish(z.array(BYTES)),
			}),
		),
		vout: z.array(z.object({ scriptpubkey: BYTES, value: z.optional(natural) })),
		status: STATUS,
	}),
);
const OUTSPEND = z.lazy(() => z.object({ spent: z.boolean(), status: z.nullish(STATUS) }));
/** Base units per virtual byte; fractions arrive as the text that the provider wrote. */
const rate = z.lazy(() => z.union([natural, z.string().check(z.regex(/^\d{1,9}\.\d+$/))]));
const ESTIMATES = z.lazy(() => z.record(z.string(), rate));
const RECOMMENDED = z.lazy(() => z.object({ halfHourFee: rate, minimumFee: rate }));

const WEIGHT_PER_VB = 4;
/** Blocks in one answer of `/blocks`. */
const BLOCKS_PER_ANSWER = 10;

type Block = z.output<typeof BLOCKS>[number];
type Transaction = z.output<typeof TRANSACTION>;

export function esploraDialect(url: string, headers: NodeHeaders | undefined): Dialect {
	const rest = restOf(url, headers);
	const transactionOf = (txId: string) => rest.json(`/tx/${txId}`, TRANSACTION);
	const recommended = () => rest.json('/v1/fees/recommended', RECOMMENDED);

	return {
		host: rest.host,
		tip: () => tipOf(rest),
		async hashAt(height) {
			const hash = await orNull(rest.text(`/block-height/${height}`));
			if (hash !== null && !HASH.safeParse(hash).success) throw new ChainUnavailable(`${rest.host}: no block hash`);
			return hash;
		},
		headers: (from, count) => headersOf(rest, from, count),
		async block(hash) {
			return known(await orNull(rest.bytes(`/block/${hash}/raw`)), `block ${hash}`);
		},
		async outputs(outpoints, pool) {
			const { height } = await tipOf(rest);
			return eachOf(outpoints, (outpoint) => outputOf(rest, outpoint, pool === 'with pool', height));
		},
		transaction: (txId) => orNull(rest.bytes(`/tx/${txId}/raw`)),
		pooled: (txIds) =>
			eachOf(txIds, (txId) => withAncestors(txId, async (each) => unconfirmed(await transactionOf(each)))),
		pool: poolHints(async (addresses) => {
			const lists = await eachOf(addresses, (address) =>
				rest.json(`/address/${address}/txs/mempool`, z.array(TRANSACTION)),
			);
			return lists.flatMap((list) => list ?? []).map(asPoolTransaction);
		}),
		async feeRate(blocks) {
			const estimates = await rest.json('/fee-estimates', ESTIMATES);
			if (!estimates) return perThousand((await recommended())?.halfHourFee ?? 0);
			const targets = Object.keys(estimates).map(Number);
			const nearest = targets.filter((target) => target <= blocks).toSorted((a, b) => b - a)[0] ?? Math.min(...targets);
			return perThousand(estimates[nearest] ?? 0);
		},
		floorRate: async () => perThousand((await recommended())?.minimumFee ?? 0),
		async broadcast(raw) {
			try {
				await rest.text('/tx', raw);
				return 'sent';
			} catch (error) {
				if (!(error instanceof Refused)) throw error;
				// The node's own error is part of the text: `sendrawtransaction RPC error: {"code":-26,"message":"…"}`.
				const code = /"code\\?":\s*(-?\d+)/.exec(error.message)?.[1];
				return broadcastAnswer(code === undefined ? null : Number(code), error.message);
			}
		},
		isLocked: async () => false,
	};
}

async function tipOf(rest: Rest) {
	const [tip] = known(await rest.json('/blocks', BLOCKS), 'its tip');
	if (!tip) throw new ChainUnavailable(`${rest.host}: no blocks`);
	return { height: tip.height, hash: tip.id };
}

/** A list of blocks goes down from its height, and there is none above the tip. */
async function headersOf(rest: Rest, from: number, count: number): Promise<Uint8Array[]> {
	const last = Math.min(from + count - 1, (await tipOf(rest)).height);
	const tops = Array.from({ length: Math.ceil((last - from + 1) / BLOCKS_PER_ANSWER) }, (_, at) =>
		Math.min(last, from + (at + 1) * BLOCKS_PER_ANSWER - 1),
	);
	const lists = await eachOf(tops, (top) => rest.json(`/blocks/${top}`, BLOCKS));
	const byHeight = new Map(lists.flatMap((list) => list ?? []).map((block) => [block.height, block]));
	const headers: Uint8Array[] = [];
	for (let at = byHeight.get(from); at && headers.length < count; at = byHeight.get(from + headers.length))
		headers.push(headerOf(at));
	return headers;
}

function headerOf(block: Block): Uint8Array {
	const header = new Uint8Array(80);
	const view = new DataView(header.buffer);
	view.setInt32(0, block.version, true);
	header.set(hex.decode(block.previousblockhash ?? '00'.repeat(32)).reverse(), 4);
	header.set(hex.decode(block.merkle_root).reverse(), 36);
	view.setUint32(68, block.timestamp, true);
	view.setUint32(72, block.bits, true);
	view.setUint32(76, block.nonce, true);
	return header;
}

async function outputOf(rest: Rest, { txId, vout }: Outpoint, withPool: boolean, tip: number) {
	const found = await rest.json(`/tx/${txId}`, TRANSACTION);
	const output = found?.vout[vout];
	if (!found || output?.value === undefined || !(found.status.confirmed || withPool)) return null;
	const spend = known(await rest.json(`/tx/${txId}/outspend/${vout}`, OUTSPEND), `what spends ${txId}:${vout}`);
	if (spend.spent && (withPool || spend.status?.confirmed)) return null;
	const { confirmed, block_height: height } = found.status;
	const confirmations = confirmed && typeof height === 'number' ? Math.max(1, tip - height + 1) : 0;
	return { amount: BigInt(output.value), script: output.scriptpubkey, confirmations };
}

function unconfirmed(found: Transaction | null) {
	if (!found || found.status.confirmed) return null;
	const virtualBytes = Math.ceil(found.weight / WEIGHT_PER_VB);
	return { virtualBytes, fee: BigInt(found.fee), parents: found.vin.flatMap(({ txid }) => txid ?? []) };
}

const asPoolTransaction = ({ txid, vin, vout }: Transaction): PoolTransaction => ({
	id: txid,
	spends: vin.flatMap(({ txid: txId, vout: at, scriptsig = new Uint8Array(), witness }) =>
		txId === undefined || at === undefined ? [] : [{ txId, vout: at, lock: lockIn(scriptsig, witness ?? []) }],
	),
	outputs: vout.map(({ scriptpubkey, value = 0 }) => ({ script: scriptpubkey, amount: BigInt(value) })),
});

/** Rounded up, so that the rate is reached. */
function perThousand(perByte: number | string): bigint {
	const [whole = '0', fraction = ''] = String(perByte).split('.');
	const kept = toBaseUnits(`${whole}.${fraction.slice(0, 3).padEnd(3, '0')}`, 3);
	return /[1-9]/.test(fraction.slice(3)) ? kept + 1n : kept;
}
