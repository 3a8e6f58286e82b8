/**
 * monerod, or several of them: the first that answers is asked, and all are for the id of a block. Restricted RPC is
 * enough.
 */
import { ChainUnavailable } from '../errors.ts';
import type { NodeHeaders } from '../node-urls.ts';
import { checkedNode, failover } from '../rpc/failover.ts';
import { RpcError } from '../rpc/json-rpc.ts';
import { ask, type MoneroRpc, moneroRpc } from './node.ts';
import { BLOCK_HEADER, INFO } from './shapes.ts';

export interface MoneroDaemon {
	readonly rpc: MoneroRpc;
	/**
	 * Number of blocks in the best chain, and the id of the last one. @throws ChainUnavailable also from a node of another
	 * chain, or one that is catching up.
	 */
	best(): Promise<{ readonly blocks: number; readonly hash: string }>;
	blocks(): Promise<number>;
	/** For a check of each by itself. */
	each(): readonly { readonly host: string; readonly blocks: () => Promise<number> }[];
	/** @throws ChainUnavailable where one that answers does not have this block at this height */
	requireAgreed(height: number, hash: string): Promise<void>;
}

/** `chain`: the name that monerod must report for its chain. */
export function moneroDaemon(urls: readonly string[], chain: string, headers?: NodeHeaders): MoneroDaemon {
	const each = urls.map((url) => ({ rpc: moneroRpc(url, { headers }), host: new URL(url).host }));
	const info = async (rpc: MoneroRpc) => {
		const { nettype, height: blocks, top_block_hash: hash, synchronized } = await ask(rpc, INFO, 'get_info');
		if (nettype !== chain) throw new ChainUnavailable(`monerod is on ${nettype}, not on ${chain}`);
		if (!synchronized) throw new ChainUnavailable(`monerod is still catching up, at height ${blocks}`);
		return { blocks, hash };
	};
	const use = failover(each.map(({ rpc }) => checkedNode(rpc, async (node) => void (await info(node)))));
	return {
		rpc: {
			call: (shape, method, params) => use((node) => node.call(shape, method, params)),
			post: (shape, path, body) => use((node) => node.post(shape, path, body)),
		},
		best: () => use(info),
		blocks: async () => (await use(info)).blocks,
		each: () => each.map(({ rpc, host }) => ({ host, blocks: async () => (await info(rpc)).blocks })),
		async requireAgreed(height, hash) {
			if (each.length < 2) return;
			const answers = await Promise.all(each.map(async ({ rpc, host }) => ({ host, at: await hashOf(rpc, height) })));
			const other = answers.find(({ at }) => at !== null && at !== hash);
			if (other) throw new ChainUnavailable(`the daemons differ: block ${height} of ${other.host} is ${other.at}`);
		},
	};
}

/** Null where it does not answer. */
async function hashOf(rpc: MoneroRpc, height: number): Promise<string | null> {
	try {
		return (await rpc.call(BLOCK_HEADER, 'get_block_header_by_height', { height })).block_header.hash;
	} catch (error) {
		if (error instanceof RpcError) return 'not there yet';
		if (error instanceof ChainUnavailable) return null;
		throw error;
	}
}
