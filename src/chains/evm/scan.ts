/**
 * What arrived at the watched addresses, asset by asset. Watches by balance, because value that a contract sends leaves
 * neither a recipient nor a log to look for: one question per 500 open addresses and poll, and only a balance that is
 * larger than what is on record is looked into (`explain.ts`, `explain-token.ts`).
 *
 * The record must be whole: `known` names everything that was ever credited to an address and is still there.
 */
import type { AssetId } from '../../catalog/assets.ts';
import type { DepositRef, ObservedDeposit, WatchedAddress } from '../port.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
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
	/** The whole record of these addresses; of those that are watched dust is known as a sum alone. */
	readonly recordOf: (addresses: readonly string[]) => Promise<readonly WatchedAddress[]>;
}

export interface Looked extends Pick<Explanation, 'reached' | 'unread'> {
	readonly deposits: readonly ObservedDeposit[];
}

/** What one asset brought, and up to which height that is all. @throws ChainUnavailable */
export async function depositsOf(
	{ rpc, params, tips, floors, tokenFloors, recordOf }: Look,
	asset: AssetId,
	watched: readonly WatchedAddress[],
): Promise<Looked> {
	const contract = contractOf(params, asset);
	const open = openAddresses(watched);
	const held = await balancesAt(rpc, contract, [...open.keys()], tips.head);
	const balances = new Map([...open.keys()].map((address, at) => [address, held[at] ?? 0n]));
	const suspects = grownAmong(open, balances);
	if (suspects.length === 0) return { deposits: [], reached: tips.head, unread: [] };
	const record = await recordOf(suspects.map(({ address }) => open.get(address)?.address ?? address));
	const whole = openAddresses(record.filter((each) => each.asset === asset));
	const grown = grownAmong(whole, balances).filter(({ address }) => open.has(address));
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

/** Those that hold more than is on record. */
const grownAmong = (open: ReadonlyMap<string, OpenAddress>, balances: ReadonlyMap<string, bigint>) =>
	[...open].flatMap(([address, { known, swept }]) => {
		const balance = balances.get(address) ?? 0n;
		const unexplained = balance + swept - sumOf(known);
		return unexplained > 0n ? [{ address, known, unexplained, balance, hasBeenSwept: swept > 0n }] : [];
	});

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
