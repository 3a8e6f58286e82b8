/**
 * Pay-in addresses and the ledger check. Swept ones are left out, of what the chain is asked and of the books alike, so
 * that a check costs what is open and not all there ever was: what the books say still lies there (`left`) is the few
 * units that a sweep could not take. The native coin at a token's address, sent there as gas, is always left out: a
 * stranger's coins there are nobody's business of the books.
 */
import { and, eq, type SQL, sql } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import { type AssetId, nativeAsset } from '../../catalog/assets.ts';
import type { NetworkName } from '../../catalog/networks.ts';
import { exactSum } from '../../d1/exact-sum.ts';
import { deposits } from '../../orders/table.ts';
import type { FeePayer } from '../ledger/reserve-rules.ts';
import { transactions } from '../table.ts';

export interface OpenAddresses {
	/** With something that no final sweep has taken. */
	readonly addresses: readonly string[];
	/** Base units that the books say lie at all other addresses. */
	readonly left: bigint;
}

/** Per asset. `feePayer` null where nothing is swept: then all addresses that ever received something. */
export async function openAddresses(
	db: DrizzleD1Database,
	network: NetworkName,
	feePayer: FeePayer | null,
): Promise<Map<AssetId, OpenAddresses>> {
	const native = nativeAsset(network);
	const here = eq(deposits.network, network);
	// Literal, because SQLite takes a partial index only for the words that it was made with.
	const ofSweeps = sql`${transactions.kind} in ('gas', 'sweep') and ${transactions.network} = ${network} and ${transactions.state} = 'final'`;
	const isUnswept = sql`${deposits.state} in ('seen', 'final') and not (${deposits.state} = 'final' and exists (
		select 1 from ${transactions} where ${ofSweeps} and ${transactions.kind} = 'sweep'
			and ${transactions.payInAddress} = ${deposits.address} and ${transactions.plannedAt} > ${deposits.lastSeenAt}))`;
	const open = sql`(select ${deposits.address} from ${deposits} where ${here} and ${isUnswept})`;
	const isSwept = (address: SQL) => sql`${address} not in ${open}`;
	const sweptSums = (kind: 'gas' | 'sweep', where?: SQL) =>
		db
			.select({
				...{ asset: transactions.asset, amount: exactSum(transactions.amount) },
				fees: exactSum(sql`coalesce(${transactions.fee}, '0')`),
			})
			.from(transactions)
			.where(and(ofSweeps, sql`${transactions.kind} = ${kind}`, where))
			.groupBy(transactions.asset);
	const [unswept, received, taken, gas, sweeps] = await db.batch([
		db.selectDistinct({ asset: deposits.asset, address: deposits.address }).from(deposits).where(and(here, isUnswept)),
		db
			.select({ asset: deposits.asset, amount: exactSum(deposits.amount) })
			.from(deposits)
			.where(and(here, sql`${deposits.state} = 'final'`, isSwept(sql`${deposits.address}`)))
			.groupBy(deposits.asset),
		sweptSums('sweep', isSwept(sql`${transactions.payInAddress}`)),
		sweptSums('gas'),
		sweptSums('sweep', sql`${transactions.asset} <> ${native}`),
	]);
	const left = new Map<AssetId, bigint>();
	const add = (asset: AssetId, amount: bigint) => left.set(asset, (left.get(asset) ?? 0n) + amount);
	const paysOwn = feePayer === 'address';
	for (const { asset, amount } of received) add(asset, amount);
	for (const { asset, amount, fees } of taken) add(asset, -amount - (asset === native && paysOwn ? fees : 0n));
	for (const { amount } of gas) add(native, amount);
	if (paysOwn) for (const { fees } of sweeps) add(native, -fees);
	const byAsset = Map.groupBy(unswept, ({ asset }) => asset);
	return new Map(
		[...new Set([...byAsset.keys(), ...left.keys()])].map((asset) => [
			asset,
			{
				addresses: (byAsset.get(asset) ?? []).map(({ address }) => address),
				left: left.get(asset) ?? 0n,
			},
		]),
	);
}
