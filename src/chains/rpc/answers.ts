/**
 * How families ask nodes that speak JSON-RPC, and how they read the answers. Whatever a node answers, the caller gets a
 * checked value, an `RpcError` where it asked to see one, or `ChainUnavailable`.
 */
import * as z from 'zod';
import { ChainUnavailable } from '../errors.ts';
import { type Call, type JsonRpc, RpcError } from './json-rpc.ts';

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
