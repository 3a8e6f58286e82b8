/**
 * How this family asks a node that speaks Bitcoin Core's JSON-RPC, and the shapes that it reads from the answers.
 * Promises: whatever the node says, the caller gets a checked value, an `RpcError` where it asked to see one, or
 * `ChainUnavailable`.
 */
import * as z from 'zod';
import { toBaseUnits } from '../../money/units.ts';
import { ChainUnavailable } from '../errors.ts';
import { type Call, type JsonRpc, RpcError } from '../rpc/json-rpc.ts';

/** Core's RPC_INVALID_ADDRESS_OR_KEY: the wallet or the mempool knows no such transaction. */
const NOT_FOUND = -5;
const DECIMALS = 8;
/** As many as one HTTP request takes (json-rpc.ts). */
const CALLS_AT_ONCE = 50;

export const TXID = /^[0-9a-f]{64}$/;
const txId = z.string().regex(TXID);
/** Whole coins arrive as numbers, fractions as the text that the node wrote (json-rpc.ts). */
const amount = z
	.union([z.int(), z.string().regex(/^-?\d{1,16}(\.\d{1,8})?$/)])
	.transform((coins) => String(coins))
	.transform((text) => (text.startsWith('-') ? -toBaseUnits(text.slice(1), DECIMALS) : toBaseUnits(text, DECIMALS)));

/** How a wallet lists one output or input of a transaction. */
const entry = z.object({
	category: z.string(),
	address: z.string().optional(),
	amount,
	vout: z.int().nonnegative().optional(),
	mweb_out: z.unknown().optional(),
});
const place = z
	.object({
		txid: txId,
		confirmations: z.int(),
		blockheight: z.int().nonnegative().optional(),
		chainlock: z.boolean().optional(),
	})
	.refine((found) => found.confirmations <= 0 || found.blockheight !== undefined, 'confirmed, and at no height');

export const CHAIN_INFO = z.object({
	chain: z.string(),
	blocks: z.int(),
	bestblockhash: txId,
	initialblockdownload: z.boolean(),
});
export const BLOCK_HASH = txId;
/** `confirmations` is negative where the best chain does not hold the block. */
export const BLOCK_HEADER = z.object({
	height: z.int().nonnegative(),
	confirmations: z.int(),
	previousblockhash: txId.optional(),
});
export const BLOCK = z.object({ tx: z.array(txId) });
export const SINCE_BLOCK = z.object({ transactions: z.array(place.and(entry)), lastblock: txId });
/** `fee` is there only if the wallet's own coins paid for the transaction. */
export const WALLET_TRANSACTION = place.and(
	z.object({ details: z.array(entry), fee: amount.optional(), hex: z.string() }),
);
export const MEMPOOL_ENTRY = z.object({ ancestorcount: z.int() });
/** Of an entry and its unconfirmed ancestors together, itself included. */
export const PACKAGE = z.object({ ancestorsize: z.int().positive(), fees: z.object({ ancestor: amount }) });
export const UNSPENT = z.array(
	z.object({
		txid: txId,
		vout: z.int().nonnegative(),
		address: z.string().optional(),
		amount,
		confirmations: z.int().nonnegative(),
	}),
);
/** A descriptor wallet calls its own what a legacy wallet only watches. */
const kindOfBalance = z.object({ trusted: amount, untrusted_pending: amount });
export const BALANCES = z.object({ mine: kindOfBalance.optional(), watchonly: kindOfBalance.optional() });
export const BALANCE = amount;
export const SMART_FEE = z.object({ feerate: amount.optional() });
export const DECODED = z.object({ txid: txId, vin: z.array(z.object({ txid: txId.optional() })) });

export type Entry = z.output<typeof entry>;
export type Place = z.output<typeof place>;
export type Unspent = z.output<typeof UNSPENT>[number];

/** @throws ChainUnavailable */
export async function ask<T>(rpc: JsonRpc, shape: z.ZodType<T>, method: string, ...params: unknown[]): Promise<T> {
	try {
		return read(shape, method, await rpc.call(method, ...params));
	} catch (error) {
		throw unavailable(method, error);
	}
}

/** One answer per call, in order; null where the node knows no such thing. @throws ChainUnavailable */
export async function askEach<T>(rpc: JsonRpc, shape: z.ZodType<T>, calls: readonly Call[]): Promise<(T | null)[]> {
	if (calls.length === 0) return [];
	const answers = await rpc.batch(calls);
	return calls.map(({ method }, at) => {
		const answer = answers[at];
		if (answer instanceof RpcError && answer.code === NOT_FOUND) return null;
		if (answer instanceof Error) throw unavailable(method, answer);
		return read(shape, method, answer);
	});
}

/** In place of an answer that is too large to be read even alone. */
export const TOO_LARGE = Symbol('too large');

/**
 * As `askEach`, for answers of any size: calls whose answers are too large together are made in halves, so that one of
 * them keeps no other from being read.
 */
export async function askEachOfAnySize<T>(
	rpc: JsonRpc,
	shape: z.ZodType<T>,
	calls: readonly Call[],
): Promise<(T | null | typeof TOO_LARGE)[]> {
	const answers: (T | null | typeof TOO_LARGE)[] = [];
	for (let start = 0; start < calls.length; start += CALLS_AT_ONCE) {
		answers.push(...(await inHalves(rpc, shape, calls.slice(start, start + CALLS_AT_ONCE))));
	}
	return answers;
}

async function inHalves<T>(
	rpc: JsonRpc,
	shape: z.ZodType<T>,
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

function read<T>(shape: z.ZodType<T>, method: string, answer: unknown): T {
	const checked = shape.safeParse(answer);
	if (!checked.success) throw new ChainUnavailable(`${method}: ${z.prettifyError(checked.error)}`);
	return checked.data;
}

/** A node that warms up, has lost its wallet or lacks a method is a node that is not there. Other errors stay bugs. */
export function unavailable(method: string, error: unknown): unknown {
	return error instanceof RpcError ? new ChainUnavailable(`${method}: ${error.code} ${error.message}`) : error;
}
