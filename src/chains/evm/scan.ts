/**
 * What arrived at the watched addresses, asset by asset. Watches by balance, because value that a contract sends leaves
 * neither a recipient nor a log to look for: one question per 500 open addresses and poll, and only a balance that is
 * larger than what is on record is looked into (`explain.ts`, `explain-token.ts`).
 *
 * The record must be whole: `known` names everything that was ever credited to an address and is still there.
 */
import type { AssetId } from '../../catalog/assets.ts';
import type { JsonRpc } from '../json-rpc.ts';
import type { DepositRef, ObservedDeposit, WatchedAddress } from '../port.ts';
import { isEvmAddress } from './address.ts';
import { balancesAt } from './balances.ts';
import { sumOf } from './credits.ts';
import { depthAt, type Tips } from './depth.ts';
import { contractOf } from './erc20.ts';
import { type Explanation, explain } from './explain.ts';
import { explainToken } from './explain-token.ts';
import type { EvmParams } from './params.ts';

interface OpenAddress {
	/** As the caller writes it. */
	readonly address: string;
	readonly known: DepositRef[];
	readonly swept: bigint;
}

export interface Look {
	readonly rpc: JsonRpc;
	readonly params: EvmParams;
	readonly tips: Tips;
	/** Heights down to which to look, one after the other; the first is the cursor. */
	readonly floors: readonly number[];
	/** The same for tokens. */
	readonly tokenFloors: readonly number[];
}

export interface Looked extends Pick<Explanation, 'reached' | 'unread'> {
	readonly deposits: readonly ObservedDeposit[];
}

/** What one asset brought, and up to which height that is all. @throws ChainUnavailable */
export async function depositsOf(
	{ rpc, params, tips, floors, tokenFloors }: Look,
	asset: AssetId,
	watched: readonly WatchedAddress[],
): Promise<Looked> {
	const contract = contractOf(params, asset);
	const open = openAddresses(watched);
	const held = await balancesAt(rpc, contract, [...open.keys()], tips.head);
	const grown = [...open].flatMap(([address, { known, swept }], at) => {
		const balance = held[at] ?? 0n;
		const unexplained = balance + swept - sumOf(known);
		return unexplained > 0n ? [{ address, known, unexplained, balance, hasBeenSwept: swept > 0n }] : [];
	});
	if (grown.length === 0) return { deposits: [], reached: tips.head, unread: [] };
	const search = { targets: grown, head: tips.head };
	const { found, ...looked } =
		contract === null
			? await explain(rpc, { ...search, floors, balances: grown.map(({ balance }) => balance) })
			: await explainToken(rpc, { ...search, floors: tokenFloors, contract });
	const deposits = found.map(({ txId, position, amount, address, height }) => ({
		...{ txId, position, amount, asset },
		address: open.get(address)?.address ?? address,
		...depthAt(height, tips),
	}));
	return { deposits, ...looked };
}

/** By address in lower case, one entry each however often it is watched. */
function openAddresses(watched: readonly WatchedAddress[]): Map<string, OpenAddress> {
	const open = new Map<string, OpenAddress>();
	for (const { address, asset, known, swept } of watched) {
		if (!isEvmAddress(address)) continue;
		const entry = open.get(address.toLowerCase()) ?? { address, known: [], swept };
		entry.known.push(...known.filter((ref) => ref.asset === asset));
		open.set(address.toLowerCase(), entry);
	}
	return open;
}
