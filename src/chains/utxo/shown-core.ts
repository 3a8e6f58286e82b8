/**
 * The balances of addresses in a block, by a node of the verifier's own: its set of unspent outputs, and the blocks since. A coin that
 * was spent since is looked up by its transaction's id, for which the node needs `txindex`.
 */
import { hex } from '@scure/base';
import * as z from 'zod/mini';
import { MINUTE_MILLISECONDS } from '../../platform/time.ts';
import { ChainUnavailable } from '../errors.ts';
import { read } from '../rpc/answers.ts';
import { endpointOf, postTo } from '../rpc/json-rpc.ts';
import { natural } from '../rpc/shapes.ts';
import { scriptOf } from './address.ts';
import { ownAddress } from './own-script.ts';
import { sharedParams, type UtxoParams } from './params.ts';
import { COINS } from './source/core-shapes.ts';
import type { Source } from './source.ts';
import type { Spend } from './transaction-bytes.ts';

const UNSPENT = z.lazy(() =>
	z.object({
		result: z.object({
			success: z.boolean(),
			height: natural,
			unspents: z.array(z.object({ scriptPubKey: z.string(), amount: COINS })),
		}),
	}),
);
/** A node goes through all coins of its chain, which takes minutes. */
const SCAN_MILLISECONDS = 15 * MINUTE_MILLISECONDS;
/** Blocks that are read back. */
const MOST_BLOCKS = 300;

interface Asked {
	readonly source: Source;
	readonly params: UtxoParams;
	readonly addresses: readonly string[];
	readonly height: number;
}

/** Base units by address, in a block of the best chain. `url`: the source's. @throws ChainUnavailable */
export async function heldByCore(url: string, asked: Asked): Promise<ReadonlyMap<string, bigint>> {
	const { source, height } = asked;
	const places = placesOf(asked);
	const found = await unspentNow(url, [...places.keys()]);
	if (!found.success || found.height - height > MOST_BLOCKS)
		throw new ChainUnavailable(`the node does not look back from block ${found.height} to ${height}`);
	const held = new Map<string, bigint>();
	const add = (script: string, amount: bigint) => {
		const address = places.get(script);
		if (address !== undefined) held.set(address, (held.get(address) ?? 0n) + amount);
	};
	for (const { scriptPubKey, amount } of found.unspents) add(scriptPubKey, amount);
	for (let at = height + 1; at <= found.height; at++) {
		const hash = await source.hashAt(at);
		if (hash === null) throw new ChainUnavailable('the chain became shorter meanwhile: verify it again');
		const { transactions } = await source.block(hash);
		for (const { spends, outputs } of transactions) {
			for (const { script, amount } of outputs) add(hex.encode(script), -amount);
			for (const spend of spends) {
				const output = await spentFrom(asked, places, spend);
				if (output) add(hex.encode(output.script), output.amount);
			}
		}
	}
	return held;
}

/** The addresses by their scripts, hexadecimal. */
const placesOf = ({ addresses, params }: Asked): ReadonlyMap<string, string> =>
	new Map(
		addresses.flatMap((address): [string, string][] => {
			const script = scriptOf(address, params);
			return script ? [[hex.encode(script), address]] : [];
		}),
	);

/** @throws ChainUnavailable */
async function unspentNow(url: string, scripts: readonly string[]) {
	const endpoint = endpointOf(url);
	const params = ['start', scripts.map((script) => `raw(${script})`)];
	const answer = await postTo(endpoint, { id: 1, method: 'scantxoutset', params }, SCAN_MILLISECONDS).catch(
		(error: unknown) => {
			throw new ChainUnavailable(`no node answered: ${endpoint.host}: ${String(error).replaceAll(endpoint.url, '')}`);
		},
	);
	return read(UNSPENT, 'scantxoutset', answer).result;
}

/** The output that this spend took, where its lock is that of one of the addresses. */
async function spentFrom({ source, params }: Asked, places: ReadonlyMap<string, string>, { lock, txId, vout }: Spend) {
	if (lock === null) return null;
	const own = [params, sharedParams(params)].map((each) => hex.encode(ownAddress(lock, each).script));
	if (!own.some((script) => places.has(script))) return null;
	const output = (await source.transaction(txId, null))?.outputs[vout];
	if (!output) throw new ChainUnavailable(`the node does not know ${txId}: it needs txindex=1`);
	return output;
}
