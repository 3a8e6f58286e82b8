/**
 * The amounts that a named transaction gave an address: the coin that it sends there itself, and tokens by their
 * events. Any contract may write any event, so a token that is not listed is asked what lies there, with little gas.
 * Nothing else that it says of itself is read.
 */
import type { AssetId } from '../../catalog/assets.ts';
import type { Received } from '../port.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { requireRead, transactionPlaces, transactionsOf } from './depth.ts';
import { contractOf, tokensOf, wordOf } from './erc20.ts';
import type { EvmRpc } from './node.ts';
import { hexOf, WORD } from './shapes.ts';
import { transfersIn } from './transfers.ts';

const BALANCE_OF = '0x70a08231';
/** A proxy that reads one word takes less than a tenth. */
const READ_GAS = 300_000;
/** The most tokens of one transaction. */
const MAX_TOKENS = 5;

/** As `Chain.received`. @throws ChainUnavailable */
export async function received(rpc: EvmRpc, txId: string, address: string): Promise<Received | null> {
	const { params } = rpc;
	const sent = (await transactionsOf(rpc, [txId])).get(txId);
	const place = sent && (await transactionPlaces(rpc, [txId])).get(txId);
	if (!place) return null;
	const assets = new Map<AssetId, bigint>();
	const to = address.toLowerCase();
	if (place.height === null || !place.success) return { isInBlock: place.height !== null, assets, tokens: new Map() };
	if (sent.to === to && sent.value > 0n) assets.set(params.native, sent.value);
	const { transfers, unread } = await transfersIn(rpc, [txId]);
	requireRead(unread);
	const listed = new Map(tokensOf(params).map((asset) => [contractOf(params, asset), asset]));
	const others = new Set<string>();
	for (const { contract, amount, to: recipient } of transfers) {
		if (recipient !== to) continue;
		const asset = listed.get(contract);
		if (asset) assets.set(asset, (assets.get(asset) ?? 0n) + amount);
		else others.add(contract);
	}
	return { isInBlock: true, assets, tokens: await heldOf(rpc, [...others].slice(0, MAX_TOKENS), to) };
}

/** More than zero, as each of these contracts says. */
async function heldOf(rpc: JsonRpc, contracts: readonly string[], address: string): Promise<Map<string, bigint>> {
	const data = BALANCE_OF + wordOf(address);
	const calls = contracts.map((to) => ({ method: 'eth_call', params: [{ to, data, gas: hexOf(READ_GAS) }, 'latest'] }));
	const answers = calls.length === 0 ? [] : await rpc.batch(calls);
	const said = contracts.flatMap((contract, at): [string, bigint][] => {
		const answer = answers[at];
		return typeof answer === 'string' && WORD.test(answer) ? [[contract, BigInt(answer)]] : [];
	});
	return new Map(said.filter(([, amount]) => amount > 0n));
}
