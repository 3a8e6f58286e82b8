/**
 * How families ask nodes that speak JSON-RPC, and how they read what they say. Promises: whatever a node answers, the
 * caller gets a checked value, an `RpcError` where it asked to see one, or `ChainUnavailable`.
 */
import * as z from 'zod';
import { ChainUnavailable } from '../errors.ts';
import { type Call, type JsonRpc, RpcError } from './json-rpc.ts';

/** `nodes` in order of preference; each is made, and checked to be on our chain, before its first use. */
export function firstThatAnswers(nodes: readonly (() => Promise<JsonRpc>)[]): JsonRpc {
	async function from<T>(use: (node: JsonRpc) => Promise<T>): Promise<T> {
		const reasons: string[] = [];
		let tooLarge = false;
		for (const checked of nodes) {
			try {
				return await use(await checked());
			} catch (error) {
				if (!(error instanceof ChainUnavailable)) throw error;
				tooLarge ||= error.tooLarge;
				reasons.push(error.message);
			}
		}
		throw new ChainUnavailable(reasons.join('; ') || 'no node is configured', { tooLarge });
	}

	return {
		call: (method, ...args) => from((node) => node.call(method, ...args)),
		batch: (calls) => from((node) => node.batch(calls)),
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
