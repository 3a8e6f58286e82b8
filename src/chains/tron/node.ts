/**
 * Requests to a Tron full node. Promises: whatever a node answers, the caller gets a checked value or
 * `ChainUnavailable`; each node's genesis block is checked before any other request; and one task is served by one node
 * from beginning to end, because two nodes may be on two branches.
 *
 * The URL contains the credentials: `https://user:password@host` is sent as Basic authentication, `https://:KEY@host`
 * as the header in which TronGrid expects its API key.
 */
import type * as z from 'zod/mini';
import type { NodeChain, NodeConfig } from '../configuration.ts';
import { ChainUnavailable } from '../errors.ts';
import type { NodeHeaders } from '../node-urls.ts';
import { read } from '../rpc/answers.ts';
import { checkedNode, failover, type UseNode } from '../rpc/failover.ts';
import { type Endpoint, endpointOf, postTo } from '../rpc/json-rpc.ts';
import { notAnswered } from '../rpc/rpc-error.ts';
import type { TronParams } from './params.ts';
import { HEADER } from './shapes.ts';

export interface TronNode {
	readonly params: TronParams;
	/** @throws ChainUnavailable */
	ask<T>(path: string, shape: z.ZodMiniType<T>, body?: Readonly<Record<string, unknown>>): Promise<T>;
}

/** The nodes in order of preference, each checked before its first other request. */
export const useNodes = (params: TronParams, { urls, chain, headers }: NodeConfig): UseNode<TronNode> =>
	failover(urls.map((url) => checkedNode(tronNode(params, url, headers), (node) => requireGenesis(node, chain))));

/** @throws ChainUnavailable */
async function requireGenesis(node: TronNode, chain: NodeChain): Promise<void> {
	const { id } = await node.ask('/wallet/getblockbynum', HEADER, { num: 0 });
	if ((id === node.params.genesis) !== (chain === 'main'))
		throw new ChainUnavailable(`the node's genesis block is ${id}, which is not that of the chain "${chain}"`);
}

/** @throws TypeError on a malformed URL: a configuration error. */
function tronNode(params: TronParams, url: string, headers: NodeHeaders | undefined): TronNode {
	const endpoint = endpointWithKey(url, headers);
	const base = endpoint.url.replace(/\/$/, '');
	return {
		params,
		async ask(path, shape, body = {}) {
			return read(shape, path, await answerOf({ ...endpoint, url: `${base}${path}` }, path, body));
		},
	};
}

function endpointWithKey(text: string, headers: NodeHeaders | undefined): Endpoint {
	const url = new URL(text);
	const key = url.username === '' ? decodeURIComponent(url.password) : '';
	if (key) url.password = '';
	const endpoint = endpointOf(url.href, headers);
	return key ? { ...endpoint, headers: { ...endpoint.headers, 'TRON-PRO-API-KEY': key } } : endpoint;
}

async function answerOf(endpoint: Endpoint, path: string, body: unknown): Promise<unknown> {
	const answer = await postTo(endpoint, body).catch((error: unknown) => {
		throw notAnswered(path, error, endpoint);
	});
	const refusal = typeof answer === 'object' && answer !== null && 'Error' in answer ? answer.Error : undefined;
	if (refusal !== undefined) throw new ChainUnavailable(`${path}: ${String(refusal)}`);
	return answer;
}
