/**
 * Typed calls to this family's nodes (`rpc/answers.ts`). Before its first call each node must say that it is on our
 * chain: coins of another chain are not the coins that we owe.
 */
import type * as z from 'zod/mini';
import type { AssetId } from '../../catalog/assets.ts';
import type { NodeConfig } from '../configuration.ts';
import { ChainUnavailable } from '../errors.ts';
import { ask, askEach, read, readEach, unavailable } from '../rpc/answers.ts';
import { checkedNode } from '../rpc/failover.ts';
import { type Call, firstThatAnswers, type JsonRpc, jsonRpc, RpcError } from '../rpc/json-rpc.ts';
import type { EvmParams } from './params.ts';
import { QUANTITY } from './shapes.ts';
import { assetCheck } from './token-check.ts';

/** Error texts of a node that is busy, not of one that lacks data or a method. */
const BUSY = /\brate\b|\blimit|too many|capacity|overload|busy|timeout|timed out|try again/i;

/** The nodes of one network. */
export interface EvmRpc extends JsonRpc {
	readonly params: EvmParams;
	/** Resolves when the asset may be moved (`token-check.ts`). @throws ChainUnavailable */
	requireAsset(asset: AssetId): Promise<void>;
}

/** The nodes in order of preference, each checked to be on our chain before its first question. */
export function evmRpc(params: EvmParams, { urls, headers }: Pick<NodeConfig, 'urls' | 'headers'>): EvmRpc {
	const nodes = urls.map((url) => checkedNode(jsonRpc([url], headers), (node) => requireChain(node, params)));
	const rpc = firstThatAnswers(nodes);
	return { ...rpc, params, requireAsset: assetCheck(rpc, params) };
}

/** @throws ChainUnavailable */
async function requireChain(rpc: JsonRpc, params: EvmParams): Promise<void> {
	const chainId = await ask(rpc, QUANTITY, 'eth_chainId');
	if (chainId !== BigInt(params.chainId))
		throw new ChainUnavailable(`the node is on chain ${chainId}, not on ${params.chainId}`);
}

/** As `askEach`, but null as soon as the node lacks what one call needs: pruned state, an unknown method. */
export const askIfKept = async <T>(
	rpc: JsonRpc,
	shape: z.ZodMiniType<T>,
	calls: readonly Call[],
): Promise<readonly T[] | null> => readIfKept(shape, calls, await rpc.batch(calls));

/** The same of the answers to these calls. */
export function readIfKept<T>(
	shape: z.ZodMiniType<T>,
	calls: readonly Call[],
	answers: readonly unknown[],
): readonly T[] | null {
	const refusal = answers.find((answer) => answer instanceof RpcError);
	if (refusal && !BUSY.test(refusal.message)) return null;
	return readEach(shape, calls, answers);
}

export { ask, askEach, read, readEach, unavailable };
