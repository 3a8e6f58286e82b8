/**
 * Typed calls to JSON-RPC nodes. Whatever a node answers, the caller gets a checked value or `ChainUnavailable`. A
 * caller that must see the `RpcError` itself uses `JsonRpc.call`, then `read` and `unavailable`.
 */
import type * as z from 'zod/mini';
import { allIssues } from '../../platform/issue.ts';
import { ChainUnavailable } from '../errors.ts';
import { type Call, type JsonRpc, RpcError } from './json-rpc.ts';

/** @throws ChainUnavailable */
export async function ask<T>(rpc: JsonRpc, shape: z.ZodMiniType<T>, method: string, ...params: unknown[]): Promise<T> {
	try {
		return read(shape, method, await rpc.call(method, ...params));
	} catch (error) {
		throw unavailable(method, error);
	}
}

/** One checked answer per call, in order. @throws ChainUnavailable */
export async function askEach<T>(rpc: JsonRpc, shape: z.ZodMiniType<T>, calls: readonly Call[]): Promise<T[]> {
	if (calls.length === 0) return [];
	return readEach(shape, calls, await rpc.batch(calls));
}

/** As `askEach`, of the answers to these calls. */
export function readEach<T>(shape: z.ZodMiniType<T>, calls: readonly Call[], answers: readonly unknown[]): T[] {
	return calls.map(({ method }, at) => {
		const answer = answers[at];
		if (answer instanceof Error) throw unavailable(method, answer);
		return read(shape, method, answer);
	});
}

/** @throws ChainUnavailable unless the answer has the shape. */
export function read<T>(shape: z.ZodMiniType<T>, method: string, answer: unknown): T {
	const checked = shape.safeParse(answer);
	if (!checked.success) throw new ChainUnavailable(`${method}: ${allIssues(checked.error)}`);
	return checked.data;
}

/**
 * Turns a node's `RpcError` into `ChainUnavailable`: a node that is busy or lacks a method counts as unavailable.
 * Returns any other error as it is.
 */
export function unavailable(method: string, error: unknown): unknown {
	return error instanceof RpcError ? new ChainUnavailable(`${method}: ${error.code} ${error.message}`) : error;
}

/** An answer that seldom or never changes: asked again only after this time. One that failed is not kept. */
export function keptFor<T>(milliseconds: number, ask: () => Promise<T>): () => Promise<T> {
	let kept: { readonly answer: T; readonly at: number } | null = null;
	return async () => {
		if (kept === null || Date.now() - kept.at >= milliseconds) kept = { answer: await ask(), at: Date.now() };
		return kept.answer;
	};
}
