/**
 * Pay-in addresses in the ledger check. Swept addresses are left out, both of the queries to the chain and of the
 * books, so that the cost of a check follows the open addresses and not all that ever were. What remains there by the
 * books (`remainder`) is the few units that a sweep could not take, strays and overflows. The native coin at a token's
 * address, which was sent there as gas, is always left out, as each stray is: nothing that a stranger sends there may make
 * a check differ.
 */
import { type AssetId, nativeAsset } from '../../catalog/assets.ts';
import { type NetworkName, networkNamed } from '../../catalog/networks.ts';
import type { Db } from '../../platform/d1/database.ts';
import { mayOverflow } from '../deposits/overflows.ts';
import type { FeePayer } from '../ledger/reserve-rules.ts';
import { addressSums } from './swept-store.ts';

export interface OpenAddress {
	readonly address: string;
	/** Its balance by the books. */
	readonly booked: bigint;
	/** May more lie there than is on record now? A poll or a look will find it. */
	readonly mayOverflow: boolean;
}

export interface OpenAddresses {
	/** With something that no final sweep has taken. */
	readonly open: readonly OpenAddress[];
	/** Base units that the books say lie at all other addresses. */
	readonly remainder: bigint;
}

/** Does a poll read each block once, instead of asking what lies at addresses? */
export const isReadOnce = (network: NetworkName): boolean => networkNamed(network).family === 'tron';

/**
 * Per asset. `feePayer`: null where nothing is swept; then the wallet knows its own addresses and spends from there, so
 * none is named and nothing remains.
 */
export async function openAddresses(
	db: Db,
	network: NetworkName,
	feePayer: FeePayer | null,
	now: number,
): Promise<Map<AssetId, OpenAddresses>> {
	if (feePayer === null) return new Map();
	const native = nativeAsset(network);
	const paysOwn = feePayer === 'address';
	const sums = await addressSums(db, network);
	const { open, movedOpen } = sums;
	const overflowAt = new Map(sums.overflownOpen.map(({ address, counted }) => [address, BigInt(counted)]));
	const remainders = remaindersOf(sums, overflowAt, native, paysOwn);
	/** The sum of the order's asset that left an open address; negative where gas of ours came. */
	const takenAt = (asset: AssetId, at: string) =>
		movedOpen
			.filter(({ address, asked }) => address === at && asked === asset)
			.reduce((sum, move) => {
				const fees = asset === native && paysOwn ? move.fees : 0n;
				if (move.kind === 'gas') return asset === native ? sum - move.amount : sum;
				return sum + fees + (move.asset === asset ? move.amount : 0n);
			}, 0n);
	// Where blocks are read once, nothing finds a deposit again whose row is gone. Nothing excuses either what lies where rows
	// of dust are gone that the order counts.
	const isOverflowing = (each: (typeof open)[number]) =>
		each.dust >= each.dustCount && (!isReadOnce(network) || mayOverflow(each, now));
	const byAsset = Map.groupBy(open, ({ asset }) => asset);
	return new Map(
		[...new Set([...byAsset.keys(), ...remainders.keys()])].map((asset) => [
			asset,
			{
				open: (byAsset.get(asset) ?? []).map((each) => ({
					address: each.address,
					booked: each.recorded + (overflowAt.get(each.address) ?? 0n) - takenAt(asset, each.address),
					mayOverflow: isOverflowing(each),
				})),
				remainder: remainders.get(asset) ?? 0n,
			},
		]),
	);
}

/** Per asset. `overflowAt`: overflows of open addresses. `paysOwn`: do addresses pay the fees of their sweeps? */
function remaindersOf(
	{ open, movedOpen, received, flows, strayed, overflown }: Awaited<ReturnType<typeof addressSums>>,
	overflowAt: ReadonlyMap<string, bigint>,
	native: AssetId,
	paysOwn: boolean,
): Map<AssetId, bigint> {
	const remainders = new Map<AssetId, bigint>();
	const add = (asset: AssetId, amount: bigint) => remainders.set(asset, (remainders.get(asset) ?? 0n) + amount);
	/** The sum that sweeps took from addresses; `sign`: 1 counts it as still there. */
	const taken = (sign: 1n | -1n, { asset, amount, fees }: { asset: AssetId; amount: bigint; fees: bigint }) =>
		add(asset, sign * (amount + (asset === native && paysOwn ? fees : 0n)));
	for (const { asset, amount } of [...received, ...strayed, ...overflown]) add(asset, amount);
	for (const { asset, address, amount } of open) add(asset, -amount - (overflowAt.get(address) ?? 0n));
	for (const flow of flows) {
		if (flow.kind === 'gas') add(native, flow.amount);
		else taken(-1n, flow);
		// A token's address pays in the native coin.
		if (flow.kind === 'sweep' && flow.asset !== native && paysOwn) add(native, -flow.fees);
	}
	// The balances of these addresses in their orders' assets are read from the chain.
	for (const { kind, asked, ...move } of movedOpen) {
		if (kind === 'sweep' && move.asset === asked) taken(1n, move);
		if (asked !== native) continue;
		if (kind === 'gas') add(native, -move.amount);
		else if ((kind === 'token' || move.asset !== native) && paysOwn) add(native, move.fees);
	}
	return remainders;
}
