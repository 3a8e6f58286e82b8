/**
 * The balance of an address in a block, by a node of the verifier's own: its set of unspent outputs, and the blocks since. A coin that
 * was spent since is looked up by its transaction's id, for which the node needs `txindex`.
 */
import { hex } from '@scure/base';
import * as z from 'zod/mini';
import { MINUTE_MILLISECONDS } from '../../platform/time.ts';
import { ChainUnavailable } from '../errors.ts';
import { read } from '../rpc/answers.ts';
import { endpointOf, postTo } from '../rpc/json-rpc.ts';
import { isSame } from './merkle.ts';
import { ownAddress } from './own-script.ts';
import type { UtxoParams } from './params.ts';
import { COINS } from './source/core-shapes.ts';
import type { Source } from './source.ts';
import type { Spend } from './transaction-bytes.ts';

const UNSPENT = z.lazy(() =>
	z.object({ result: z.object({ success: z.boolean(), height: z.int().check(z.nonnegative()), total_amount: COINS }) }),
);
/** A node goes through all coins of its chain, which takes minutes. */
const SCAN_MILLISECONDS = 15 * MINUTE_MILLISECONDS;
/** Blocks that are read back. */
const MOST_BLOCKS = 300;

interface Asked {
	readonly source: Source;
	readonly params: UtxoParams;
	/** The address's. */
	readonly script: Uint8Array;
	readonly height: number;
}

/** Base units. `url`: the source's. @throws ChainUnavailable */
export async function heldByCore(url: string, asked: Asked): Promise<bigint> {
	const { source, script, height } = asked;
	const found = await unspentNow(url, script);
	if (!found.success || found.height - height > MOST_BLOCKS)
		throw new ChainUnavailable(`the node does not look back from block ${found.height} to ${height}`);
	let held = found.total_amount;
	for (let at = height + 1; at <= found.height; at++) {
		const hash = await source.hashAt(at);
		if (hash === null) throw new ChainUnavailable('the chain became shorter meanwhile: verify it again');
		const { transactions } = await source.block(hash);
		for (const { spends, outputs } of transactions) {
			for (const output of outputs) if (isSame(output.script, script)) held -= output.amount;
			for (const spend of spends) held += await spentFrom(asked, spend);
		}
	}
	return held;
}

/** @throws ChainUnavailable */
async function unspentNow(url: string, script: Uint8Array) {
	const endpoint = endpointOf(url);
	const params = ['start', [`raw(${hex.encode(script)})`]];
	const answer = await postTo(endpoint, { id: 1, method: 'scantxoutset', params }, SCAN_MILLISECONDS).catch(
		(error: unknown) => {
			throw new ChainUnavailable(`no node answered: ${endpoint.host}: ${String(error).replaceAll(endpoint.url, '')}`);
		},
	);
	return read(UNSPENT, 'scantxoutset', answer).result;
}

/** Base units that this spend took from the address. */
async function spentFrom({ source, params, script }: Asked, { lock, txId, vout }: Spend): Promise<bigint> {
	if (lock === null || !isSame(ownAddress(lock, params).script, script)) return 0n;
	const output = (await source.transaction(txId, null))?.outputs[vout];
	if (!output) throw new ChainUnavailable(`the node does not know ${txId}: it needs txindex=1`);
	return isSame(output.script, script) ? output.amount : 0n;
}
