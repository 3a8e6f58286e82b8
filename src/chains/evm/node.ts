/**
 * How this family asks its nodes, and how it reads what they say. Promises: whatever a node answers, the caller gets a
 * checked value, an `RpcError` where it asked to see one, or `ChainUnavailable`; and no node is asked anything before
 * it has said that it is on our chain: coins of another one are not the coins that we owe.
 */
import * as z from 'zod';
import { type Call, type JsonRpc, jsonRpc, RpcError } from '../json-rpc.ts';
import { ChainUnavailable } from '../port.ts';
import type { EvmParams } from './params.ts';
import { QUANTITY } from './shapes.ts';

/** Words of a node that is busy, not of one that lacks something. */
const BUSY = /\brate\b|\blimit|too many|capacity|overload|busy|timeout|timed out|try again/i;

/** The nodes in order of preference, each checked to be on our chain before its first use. */
export function evmRpc(params: EvmParams, urls: readonly string[]): JsonRpc {
	const nodes = urls.map((url) => checkedNode(params, jsonRpc([url])));

	async function firstThatAnswers<T>(use: (node: JsonRpc) => Promise<T>): Promise<T> {
		const reasons: string[] = [];
		for (const checked of nodes) {
			try {
				return await use(await checked());
			} catch (error) {
				if (!(error instanceof ChainUnavailable)) throw error;
				reasons.push(error.message);
			}
		}
		throw new ChainUnavailable(reasons.join('; ') || 'no node is configured');
	}

	return {
		call: (method, ...args) => firstThatAnswers((node) => node.call(method, ...args)),
		batch: (calls) => firstThatAnswers((node) => node.batch(calls)),
	};
}

/** The node says its chain id once; a right answer is remembered, a wrong one is asked for again next time. */
function checkedNode(params: EvmParams, rpc: JsonRpc): () => Promise<JsonRpc> {
	let right = false;
	return async () => {
		if (right) return rpc;
		const chainId = await ask(rpc, QUANTITY, 'eth_chainId');
		if (chainId !== BigInt(params.chainId))
			throw new ChainUnavailable(`the node is on chain ${chainId}, not on ${params.chainId}`);
		right = true;
		return rpc;
	};
}

/** @throws ChainUnavailable */
export async function ask<T>(rpc: JsonRpc, shape: z.ZodType<T>, method: string, ...params: unknown[]): Promise<T> {
	try {
		return read(shape, method, await rpc.call(method, ...params));
	} catch (error) {
		throw unavailable(method, error);
	}
}

/** One checked answer per call, in order. @throws ChainUnavailable */
export async function askEach<T>(rpc: JsonRpc, shape: z.ZodType<T>, calls: readonly Call[]): Promise<T[]> {
	if (calls.length === 0) return [];
	const answers = await rpc.batch(calls);
	return calls.map(({ method }, at) => {
		const answer = answers[at];
		if (answer instanceof Error) throw unavailable(method, answer);
		return read(shape, method, answer);
	});
}

/** As `askEach`, but null as soon as a node lacks what one call asks for: pruned state, an unknown method. */
export async function askIfKept<T>(
	rpc: JsonRpc,
	shape: z.ZodType<T>,
	calls: readonly Call[],
): Promise<readonly T[] | null> {
	const answers = await rpc.batch(calls);
	const refusal = answers.find((answer) => answer instanceof RpcError);
	if (refusal && !BUSY.test(refusal.message)) return null;
	return calls.map(({ method }, at) => {
		const answer = answers[at];
		if (answer instanceof Error) throw unavailable(method, answer);
		return read(shape, method, answer);
	});
}

/** @throws ChainUnavailable unless the answer has the shape. */
export function read<T>(shape: z.ZodType<T>, method: string, answer: unknown): T {
	const checked = shape.safeParse(answer);
	if (!checked.success) throw new ChainUnavailable(`${method}: ${z.prettifyError(checked.error)}`);
	return checked.data;
}

/** A node that is busy or lacks a method is a node that is not there. Other errors stay bugs. */
export function unavailable(method: string, error: unknown): unknown {
	return error instanceof RpcError ? new ChainUnavailable(`${method}: ${error.code} ${error.message}`) : error;
}
