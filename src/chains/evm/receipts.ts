/**
 * Receipts of many transactions. The sender of a transaction decides how large its receipt is, so an unreadable receipt
 * must not delay the others. Where a batch fails, each of its receipts is requested alone, and one that fails alone is
 * left out. A receipt that was too large is remembered, so that it is not loaded again at each poll.
 */
import type * as z from 'zod/mini';
import { HOUR_MILLISECONDS } from '../../platform/time.ts';
import { ChainUnavailable, unlessUnavailable } from '../errors.ts';
import { inParts } from '../rpc/each-of.ts';
import { type JsonRpc, RpcError } from '../rpc/json-rpc.ts';
import { read, unavailable } from './node.ts';

/** Receipts in one request. */
const BATCH = 50;
/** Too large receipts that one call of `receiptsOf` loads. Each may take up to the size limit of an answer. */
const MAX_TOO_LARGE = 12;
/** Single receipts that fail for another reason before the node itself counts as failing. */
const MAX_FAILURES = 3;
const TOO_LARGE_MILLISECONDS = HOUR_MILLISECONDS;
const FAILED_MILLISECONDS = 60_000;
/** Receipts that are remembered per node. */
const MAX_REMEMBERED = 10_000;

const METHOD = 'eth_getTransactionReceipt';

/** `too large`: the receipt exceeds the size limit. `not now`: a later poll requests it again. */
export type Unread = 'too large' | 'not now';

export interface Receipts<T> {
	/** By transaction id; null where the node has none. */
	readonly found: ReadonlyMap<string, T | null>;
	/** Transactions whose receipt could not be read. */
	readonly unread: ReadonlyMap<string, Unread>;
}

interface Remembered {
	readonly why: Unread;
	/** Unix milliseconds until which it is not requested again. */
	readonly until: number;
}

const memories = new WeakMap<JsonRpc, Map<string, Remembered>>();

function memoryOf(rpc: JsonRpc): Map<string, Remembered> {
	const memory = memories.get(rpc) ?? new Map<string, Remembered>();
	if (memory.size > MAX_REMEMBERED) memory.clear();
	memories.set(rpc, memory);
	return memory;
}

/** `txIds`: distinct. @throws ChainUnavailable where the node gives no receipt at all and none is too large */
export async function receiptsOf<T>(
	rpc: JsonRpc,
	shape: z.ZodMiniType<T>,
	txIds: readonly string[],
): Promise<Receipts<T>> {
	const memory = memoryOf(rpc);
	const found = new Map<string, T | null>();
	const unread = new Map<string, Unread>();
	const asked: string[] = [];
	for (const txId of txIds) {
		const remembered = memory.get(txId);
		if (remembered && remembered.until > Date.now()) unread.set(txId, remembered.why);
		else asked.push(txId);
	}
	const alone: string[] = [];
	for (const part of inParts(asked, BATCH)) {
		for (const [txId, receipt] of await batchOf(rpc, shape, part)) found.set(txId, receipt);
		alone.push(...part.filter((txId) => !found.has(txId)));
	}
	let [tooLarge, failures] = [0, 0];
	let failure: unknown = null;
	for (const txId of alone) {
		unread.set(txId, 'not now');
		if (tooLarge >= MAX_TOO_LARGE || failures >= MAX_FAILURES) continue;
		try {
			found.set(txId, read(shape, METHOD, await rpc.call(METHOD, txId)));
			unread.delete(txId);
		} catch (error) {
			failure = error instanceof RpcError ? unavailable(METHOD, error) : error;
			if (!(failure instanceof ChainUnavailable)) throw failure;
			const why: Unread = failure.tooLarge ? 'too large' : 'not now';
			if (failure.tooLarge) tooLarge += 1;
			else failures += 1;
			unread.set(txId, why);
			memory.set(txId, { why, until: Date.now() + (failure.tooLarge ? TOO_LARGE_MILLISECONDS : FAILED_MILLISECONDS) });
		}
	}
	// A node that fails at everything is down. The caller learns that, and nothing is remembered.
	if (failure !== null && found.size === 0 && tooLarge === 0) {
		for (const txId of alone) memory.delete(txId);
		throw failure;
	}
	return { found, unread };
}

/** The receipts of one batch; none where the batch cannot be read. */
async function batchOf<T>(
	rpc: JsonRpc,
	shape: z.ZodMiniType<T>,
	txIds: readonly string[],
): Promise<Map<string, T | null>> {
	const found = new Map<string, T | null>();
	const calls = txIds.map((txId) => ({ method: METHOD, params: [txId] }));
	const answers = (await rpc.batch(calls).catch(unlessUnavailable)) ?? [];
	for (const [at, txId] of txIds.entries()) {
		const receipt = shape.safeParse(answers[at]);
		if (receipt.success) found.set(txId, receipt.data);
	}
	return found;
}
