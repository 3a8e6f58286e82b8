/**
 * Pay-in addresses in the ledger check. Swept addresses are left out, both of the queries to the chain and of the
 * books, so that the cost of a check follows the open addresses and not all that ever were. What remains there by the
 * books (`remainder`) is the few units that a sweep could not take. The native coin at a token's address, which was
 * sent there as gas, is always left out, because what strangers send there is not in the books.
 */
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import { type AssetId, nativeAsset } from '../../catalog/assets.ts';
import type { NetworkName } from '../../catalog/networks.ts';
import type { FeePayer } from '../ledger/reserve-rules.ts';
import { addressSums } from './swept-store.ts';

export interface OpenAddresses {
	/** With something that no final sweep has taken. */
	readonly addresses: readonly string[];
	/** Base units that the books say lie at all other addresses. */
	readonly remainder: bigint;
}

/** Per asset. `feePayer`: null where nothing is swept; then these are all addresses that ever received something. */
export async function openAddresses(
	db: DrizzleD1Database,
	network: NetworkName,
	feePayer: FeePayer | null,
): Promise<Map<AssetId, OpenAddresses>> {
	const native = nativeAsset(network);
	const { unswept, archived, ...live } = await addressSums(db, network, native);
	// Nothing is swept where nobody pays for it, and nothing remains at an address: the wallet spends it from there.
	const sums = feePayer === null ? [live] : [live, archived];
	const remainders = new Map<AssetId, bigint>();
	const add = (asset: AssetId, amount: bigint) => remainders.set(asset, (remainders.get(asset) ?? 0n) + amount);
	const paysOwn = feePayer === 'address';
	for (const { received, taken, gas, sweeps } of sums) {
		for (const { asset, amount } of received) add(asset, amount);
		for (const { asset, amount, fees } of taken) add(asset, -amount - (asset === native && paysOwn ? fees : 0n));
		for (const { amount } of gas) add(native, amount);
		if (paysOwn) for (const { fees } of sweeps) add(native, -fees);
	}
	const byAsset = Map.groupBy(unswept, ({ asset }) => asset);
	return new Map(
		[...new Set([...byAsset.keys(), ...remainders.keys()])].map((asset) => [
			asset,
			{
				addresses: (byAsset.get(asset) ?? []).map(({ address }) => address),
				remainder: remainders.get(asset) ?? 0n,
			},
		]),
	);
}
