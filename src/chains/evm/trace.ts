/**
 * Value that contracts send from inside their calls, from the traces of a block: `debug_traceBlockByNumber` (geth and
 * its descendants) or `trace_block` (Erigon, Nethermind, Reth). Traces only help to name the transaction. The caller
 * compares their sums with the growth of the balance, and ignores the traces where the two differ.
 */
import * as z from 'zod/mini';
import { type JsonRpc, RpcError } from '../rpc/json-rpc.ts';
import { ADDRESS, HASH, hexOf, QUANTITY } from './shapes.ts';

/** By recipient in lower case, then by transaction. */
export type InternalCredits = ReadonlyMap<string, ReadonlyMap<string, bigint>>;

interface Transfer {
	readonly txId: string;
	readonly to: string;
	readonly value: bigint;
}

/** One call with the calls that it made. An `error` undoes it and everything below it. */
interface Frame {
	readonly type: string;
	readonly to?: string | null | undefined;
	readonly value?: bigint | undefined;
	readonly error?: unknown;
	readonly calls?: readonly Frame[] | undefined;
}

/** A call refers to the object itself, not to the lazy schema: each step between two levels takes stack. */
const FRAME = z.lazy(() => {
	const frame: z.ZodMiniType<Frame> = z.object({
		type: z.string(),
		to: z.nullish(ADDRESS),
		value: z.optional(QUANTITY),
		error: z.optional(z.unknown()),
		get calls() {
			return z.optional(z.array(frame));
		},
	});
	return frame;
});

/** In order of the block's transactions; older nodes leave the hash out. */
const CALL_TRACES = z.lazy(() => z.array(z.object({ txHash: z.optional(HASH), result: FRAME })));

const FLAT_TRACES = z.lazy(() =>
	z.array(
		z.object({
			type: z.string(),
			action: z.object({
				callType: z.optional(z.string()),
				to: z.nullish(ADDRESS),
				value: z.optional(QUANTITY),
				refundAddress: z.nullish(ADDRESS),
				balance: z.optional(QUANTITY),
			}),
			traceAddress: z.array(z.int()),
			transactionHash: z.nullish(HASH),
			error: z.optional(z.unknown()),
		}),
	),
);

/**
 * Types of calls that move their value to `to`. The others run foreign code in their own context, or may not move
 * value.
 */
const MOVES_VALUE = new Set(['CALL', 'SELFDESTRUCT']);

/** Traces that one scan requests. They are the most expensive calls, and each may take the whole timeout. */
const MAX_TRACES = 10;

/** Null where the node cannot trace or its answer is unreadable: traces never make a scan fail. */
export type Tracer = (height: number, txIds: readonly string[]) => Promise<InternalCredits | null>;

/** For one scan. After the first failure, or the last allowed trace, it returns null. */
export function tracer(rpc: JsonRpc): Tracer {
	let remaining = MAX_TRACES;
	return async (height, txIds) => {
		if (remaining === 0) return null;
		remaining -= 1;
		try {
			return byRecipient(await transfersIn(rpc, height, txIds));
		} catch {
			remaining = 0;
			return null;
		}
	};
}

async function transfersIn(rpc: JsonRpc, height: number, txIds: readonly string[]): Promise<Transfer[]> {
	try {
		const traces = await rpc.call('debug_traceBlockByNumber', hexOf(height), { tracer: 'callTracer' });
		return CALL_TRACES.parse(traces).flatMap(({ txHash, result }, at) =>
			innerTransfers(result, txHash ?? txIds[at] ?? ''),
		);
	} catch (error) {
		if (!(error instanceof RpcError)) throw error;
		return flatTransfers(FLAT_TRACES.parse(await rpc.call('trace_block', hexOf(height))));
	}
}

const hasFailed = ({ error }: { readonly error?: unknown }): boolean => error !== undefined && error !== null;

/** All transfers below the outermost call, which is the transaction itself. */
function innerTransfers(frame: Frame, txId: string): Transfer[] {
	if (hasFailed(frame)) return [];
	return (frame.calls ?? []).flatMap((call): Transfer[] => {
		if (hasFailed(call)) return [];
		const moves = MOVES_VALUE.has(call.type) && call.to && call.value;
		const own = moves && call.to && call.value ? [{ txId, to: call.to, value: call.value }] : [];
		return [...own, ...innerTransfers(call, txId)];
	});
}

/** `traces`: depth first, as the nodes list them. A failed call undoes those whose place starts with its own. */
function flatTransfers(traces: z.output<typeof FLAT_TRACES>): Transfer[] {
	let failed: { readonly txId: string; readonly place: readonly number[] } | undefined;
	const transfers: Transfer[] = [];
	for (const { type, action, traceAddress, transactionHash, error } of traces) {
		const txId = transactionHash ?? '';
		if (failed?.txId === txId && failed.place.every((step, at) => step === traceAddress[at])) continue;
		failed = hasFailed({ error }) ? { txId, place: traceAddress } : undefined;
		if (failed || traceAddress.length === 0) continue;
		const to = type === 'suicide' ? action.refundAddress : action.to;
		const value = type === 'suicide' ? action.balance : action.value;
		const moves = type === 'suicide' || (type === 'call' && action.callType === 'call');
		if (moves && to && value) transfers.push({ txId, to, value });
	}
	return transfers;
}

function byRecipient(transfers: readonly Transfer[]): InternalCredits {
	const credits = new Map<string, Map<string, bigint>>();
	for (const { txId, to, value } of transfers) {
		const own = credits.get(to) ?? new Map<string, bigint>();
		own.set(txId, (own.get(txId) ?? 0n) + value);
		credits.set(to, own);
	}
	return credits;
}
