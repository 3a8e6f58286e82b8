/**
 * Requests to a node that speaks Bitcoin Core's JSON-RPC. Whatever the node answers, the caller gets a checked value,
 * `ChainUnavailable` or, where it asks for it, an `RpcError`.
 */
import type * as z from 'zod/mini';
import type { NodeConfig } from '../configuration.ts';
import { ChainUnavailable } from '../errors.ts';
import { ask, read, unavailable } from '../rpc/answers.ts';
import { inParts } from '../rpc/each-of.ts';
import { type Call, type JsonRpc, jsonRpc, RpcError } from '../rpc/json-rpc.ts';

/** Core's RPC_INVALID_ADDRESS_OR_KEY: the wallet or the mempool knows no such transaction. */
const NOT_FOUND = -5;
/**
 * Core's codes for the node's own state: it warms up, has no peers, downloads the chain for the first time, or has not
 * loaded the wallet.
 */
const NODE_STATE: ReadonlySet<number> = new Set([-28, -9, -10, -18]);
/** Calls in one HTTP request (json-rpc.ts). */
const CALLS_AT_ONCE = 50;

/** The nodes in order of preference. */
export const utxoRpc = ({ urls, headers }: Pick<NodeConfig, 'urls' | 'headers'>): JsonRpc =>
	jsonRpc(urls, headers, NODE_STATE);

/** One answer per call, in order; null where the node knows no such thing. @throws ChainUnavailable */
export async function askEach<T>(rpc: JsonRpc, shape: z.ZodMiniType<T>, calls: readonly Call[]): Promise<(T | null)[]> {
	if (calls.length === 0) return [];
	const answers = await rpc.batch(calls);
	return calls.map(({ method }, at) => {
		const answer = answers[at];
		if (answer instanceof RpcError && answer.code === NOT_FOUND) return null;
		if (answer instanceof Error) throw unavailable(method, answer);
		return read(shape, method, answer);
	});
}

/** Stands for an answer that is too large to read even alone. */
export const TOO_LARGE = Symbol('too large');

/**
 * As `askEach`, for answers of any size. Calls whose answers are too large together are repeated in halves, so that one
 * large answer does not hide the others.
 */
export async function askEachOfAnySize<T>(
	rpc: JsonRpc,
	shape: z.ZodMiniType<T>,
	calls: readonly Call[],
): Promise<(T | null | typeof TOO_LARGE)[]> {
	const answers: (T | null | typeof TOO_LARGE)[] = [];
	for (const part of inParts(calls, CALLS_AT_ONCE)) answers.push(...(await inHalves(rpc, shape, part)));
	return answers;
}

async function inHalves<T>(
	rpc: JsonRpc,
	shape: z.ZodMiniType<T>,
	calls: readonly Call[],
): Promise<(T | null | typeof TOO_LARGE)[]> {
	try {
		return await askEach(rpc, shape, calls);
	} catch (error) {
		if (!(error instanceof ChainUnavailable && error.tooLarge)) throw error;
		if (calls.length <= 1) return [TOO_LARGE];
		const middle = Math.ceil(calls.length / 2);
		const first = await inHalves(rpc, shape, calls.slice(0, middle));
		return [...first, ...(await inHalves(rpc, shape, calls.slice(middle)))];
	}
}

export { ask, unavailable };
