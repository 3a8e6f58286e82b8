/** The dialect of Bitcoin Core's JSON-RPC, which Litecoin's and Dash's nodes speak too. No wallet and no index is asked. */
import { greater } from '../../../money/units.ts';
import { MINUTE_MILLISECONDS } from '../../../platform/time.ts';
import type { NodeConfig } from '../../configuration.ts';
import { ChainUnavailable } from '../../errors.ts';
import { keptFor } from '../../rpc/answers.ts';
import { type Call, type JsonRpc, RpcError } from '../../rpc/json-rpc.ts';
import { ask, askEach, askEachOfAnySize, TOO_LARGE, unavailable, utxoRpc } from '../node.ts';
import type { Dialect, PoolTransaction } from '../source.ts';
import type { Form } from '../transaction-bytes.ts';
import { broadcastAnswer } from './broadcast-answer.ts';
import * as shapes from './core-shapes.ts';
import { readable } from './pool-hints.ts';

/** Core's RPC_INVALID_PARAMETER: there is no block at this height. */
const NO_SUCH_HEIGHT = -8;
/** A mempool with more transactions than this is not read: a list of their ids alone is a third of a megabyte. */
const MAX_POOL = 5_000;
/** Transactions of the mempool that one poll reads; the next ones read the others. */
const MAX_POOL_READ = 500;

export function coreDialect(node: Pick<NodeConfig, 'headers'>, url: string, form: Form): Dialect {
	const rpc = utxoRpc({ ...node, urls: [url] });
	const pool = poolReader(rpc, form);
	return {
		host: new URL(url).host,
		async tip() {
			const info = await ask(rpc, shapes.CHAIN_INFO, 'getblockchaininfo');
			if (info.initialblockdownload) throw new ChainUnavailable('the node is still catching up');
			return { height: info.blocks, hash: info.bestblockhash };
		},
		hashAt: async (height) => (await hashesAt(rpc, [height]))[0] ?? null,
		async headers(from, count) {
			const hashes = await hashesAt(
				rpc,
				Array.from({ length: count }, (_, more) => from + more),
			);
			const headers = await askEach(rpc, shapes.BYTES, callsOf('getblockheader', hashes, false));
			return headers.flatMap((header) => header ?? []);
		},
		block: (hash) => ask(rpc, shapes.BYTES, 'getblock', hash, 0),
		async outputs(outpoints, withPool) {
			const calls = outpoints.map(({ txId, vout }) => ({
				method: 'gettxout',
				params: [txId, vout, withPool === 'with pool'],
			}));
			const found = await askEach(rpc, shapes.UNSPENT_OUTPUT, calls);
			return found.map(
				(output) =>
					output && { amount: output.value, script: output.scriptPubKey.hex, confirmations: output.confirmations },
			);
		},
		async transaction(txId, blockHash) {
			const params = [txId, false, ...(blockHash === null ? [] : [blockHash])];
			return (await askEach(rpc, shapes.BYTES, [{ method: 'getrawtransaction', params }]))[0] ?? null;
		},
		async pooled(txIds) {
			const entries = await askEach(rpc, shapes.MEMPOOL_ENTRY, callsOf('getmempoolentry', txIds));
			return entries.map(
				(entry) =>
					entry && { ancestors: entry.ancestorcount, virtualBytes: entry.ancestorsize, fee: entry.fees.ancestor },
			);
		},
		pool,
		feeRate: async (blocks) => (await ask(rpc, shapes.SMART_FEE, 'estimatesmartfee', blocks)).feerate ?? 0n,
		async floorRate() {
			const { mempoolminfee, minrelaytxfee = 0n } = await ask(rpc, shapes.MEMPOOL_INFO, 'getmempoolinfo');
			return greater(mempoolminfee, minrelaytxfee);
		},
		broadcast: (raw) => broadcast(rpc, raw),
		isLocked: async (hash) => (await ask(rpc, shapes.HEADER, 'getblockheader', hash)).chainlock === true,
	};
}

async function broadcast(rpc: JsonRpc, raw: string) {
	try {
		await rpc.call('sendrawtransaction', raw);
		return 'sent' as const;
	} catch (error) {
		if (error instanceof RpcError && !error.ofNode) return broadcastAnswer(error.code, error.message);
		throw unavailable('sendrawtransaction', error);
	}
}

const callsOf = (method: string, ids: readonly string[], ...more: readonly unknown[]): Call[] =>
	ids.map((id) => ({ method, params: [id, ...more] }));

/** The best chain's, up to its tip. @throws ChainUnavailable */
async function hashesAt(rpc: JsonRpc, heights: readonly number[]): Promise<string[]> {
	const calls = heights.map((height) => ({ method: 'getblockhash', params: [height] }));
	const hashes: string[] = [];
	for (const answer of await rpc.batch(calls)) {
		if (answer instanceof RpcError && answer.code === NO_SUCH_HEIGHT) break;
		if (answer instanceof Error) throw unavailable('getblockhash', answer);
		const hash = shapes.HASH.safeParse(answer);
		if (!hash.success) throw new ChainUnavailable('getblockhash: the answer is no hash');
		hashes.push(hash.data);
	}
	return hashes;
}

/** Remembers which transactions of the mempool it has read, as long as they are there, and for a minute how many there are. */
function poolReader(rpc: JsonRpc, form: Form): () => Promise<PoolTransaction[]> {
	let read = new Set<string>();
	const isSmall = keptFor(
		MINUTE_MILLISECONDS,
		async () => (await ask(rpc, shapes.MEMPOOL_INFO, 'getmempoolinfo')).size <= MAX_POOL,
	);
	return async () => {
		if (!(await isSmall())) return [];
		const present = await ask(rpc, shapes.HASHES, 'getrawmempool');
		const fresh = present.filter((txId) => !read.has(txId)).slice(0, MAX_POOL_READ);
		const found = await askEachOfAnySize(rpc, shapes.BYTES, callsOf('getrawtransaction', fresh));
		read = new Set([...present.filter((txId) => read.has(txId)), ...fresh]);
		return found.flatMap((bytes, at) =>
			bytes === null || bytes === TOO_LARGE ? [] : readable(bytes, fresh[at], form),
		);
	};
}
