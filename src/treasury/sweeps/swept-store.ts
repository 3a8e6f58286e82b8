/**
 * Which pay-in addresses are open, and sums of what came to all of them, was sent to them for gas, and was swept. What all
 * of them ever got and gave is kept by triggers, so only the
 * open ones are read. Partial indexes' conditions are literal.
 */
import { and, eq, inArray, type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import { type AssetId, allAssets } from '../../catalog/assets.ts';
import type { NetworkName } from '../../catalog/networks.ts';
import { deposits, orders } from '../../orders/table.ts';
import { byIndex, fromIndex } from '../../platform/d1/by-index.ts';
import type { Db } from '../../platform/d1/database.ts';
import { exactSum, keptSum } from '../../platform/d1/exact-sum.ts';
import { pick } from '../../platform/pick.ts';
import { depositSums, overflows, walletFlows } from '../ledger/table.ts';
import { feesOfFlows, limbsOfDeposits, movedOfFlows } from '../ledger/wallet-store.ts';
import { strays } from '../strays/table.ts';
import { transactions } from '../table.ts';
import { sweepCandidates } from './table.ts';

/**
 * Orders whose pay-in address may have something that no final sweep has taken: a deposit that is not final, or that no
 * payout or refund has paid for; a payout or refund that is not final; a candidate for a sweep; a sweep under way. In
 * two, because D1 takes five terms of a union at most.
 */
const openOrders = (network: NetworkName): SQL => sql`(
	select order_id from (
		select ${deposits.orderId} as order_id from ${byIndex(deposits, 'deposits_open')}
		where ${deposits.network} = ${network} and ${deposits.state} <> 'final' and ${deposits.state} = 'seen'
		union all
		select ${deposits.orderId} from ${byIndex(deposits, 'deposits_unclaimed')}
		where ${deposits.network} = ${network} and ${deposits.state} = 'final' and ${deposits.payoutId} is null and ${deposits.dust} = 0
		union all
		select ${deposits.orderId} from ${byIndex(deposits, 'deposits_unclaimed_dust')}
		where ${deposits.network} = ${network} and ${deposits.state} = 'final' and ${deposits.payoutId} is null and ${deposits.dust} = 1
	)
	union
	select ${transactions.orderId} from ${byIndex(transactions, 'transactions_open')}
	where ${transactions.state} <> 'final' and ${transactions.orderId} is not null
	union
	select ${sweepCandidates.orderId} from ${sweepCandidates} where ${sweepCandidates.network} = ${network}
	union
	select ${orders.id} from ${byIndex(transactions, 'transactions_one_sweep')}
	join ${orders} on ${orders.fromNetwork} = ${transactions.network} and ${orders.payInAddress} = ${transactions.payInAddress}
	where ${transactions.network} = ${network} and ${transactions.kind} in ('gas', 'sweep', 'stray', 'token') and ${transactions.state} <> 'final'
)`;

/**
 * `open`: each open address with its final deposits, and with all that are recorded. `movedOpen`: what final gas and sweeps
 * moved at each of these, with what the address's order asked for. `received` and `flows`: final deposits, gas top-ups and
 * sweeps of all addresses. `strayed` and `overflown`: all strays and
 * overflows that ever came; `overflownOpen`: those of open addresses. Sums per asset, base units; read in one transaction.
 */
export async function addressSums(db: Db, network: NetworkName) {
	const codes = allAssets()
		.filter((asset) => asset.network === network)
		.map(({ code }) => code);
	const [open, movedOpen, received, flows, strayed, overflown, overflownOpen] = await db.batch([
		depositsAtOpen(db, network),
		movedAtOpen(db, network),
		db
			.select({ asset: depositSums.asset, amount: keptSum(limbsOfDeposits) })
			.from(depositSums)
			.where(inArray(depositSums.asset, codes))
			.groupBy(depositSums.asset),
		db
			.select({ ...pick(walletFlows, 'kind', 'asset'), amount: keptSum(movedOfFlows), fees: keptSum(feesOfFlows) })
			.from(walletFlows)
			.where(and(eq(walletFlows.network, network), inArray(walletFlows.kind, ['gas', 'sweep', 'token'])))
			.groupBy(walletFlows.kind, walletFlows.asset),
		db
			.select({ asset: strays.asset, amount: exactSum(strays.counted) })
			.from(strays)
			.where(sql`${strays.network} = ${network} and ${strays.isListed} = 0`)
			.groupBy(strays.asset),
		...overflownSums(db, network),
	]);
	return { open, movedOpen, received, flows, strayed, overflown, overflownOpen };
}

function depositsAtOpen(db: Db, network: NetworkName) {
	const ofOrder = (column: SQLWrapper) =>
		sql<number>`max((select ${column} from ${orders} where ${orders.id} = ${deposits.orderId}))`;
	return db
		.select(
			fromIndex({
				asset: deposits.asset,
				address: deposits.address,
				amount: exactSum(sql`iif(${deposits.state} = 'final', ${deposits.amount}, '0')`),
				recorded: exactSum(deposits.amount),
				dustCount: ofOrder(orders.dustCount),
				watchUntil: ofOrder(orders.watchUntil),
				dust: sql<number>`max((select count(*) from deposits each where each.order_id = deposits.order_id and each.dust = 1))`,
			}),
		)
		.from(byIndex(deposits, 'deposits_by_order'))
		.where(
			sql`${deposits.orderId} in ${openOrders(network)} and ${deposits.network} = ${network} and ${deposits.state} in ('seen', 'final')`,
		)
		.groupBy(deposits.asset, deposits.address);
}

function movedAtOpen(db: Db, network: NetworkName) {
	const movedAmount = sql`iif(${transactions.state} = 'final' and ${transactions.settledTxId} is null, ${transactions.amount}, '0')`;
	// Literal: of a single table Drizzle names columns without it, and this compares those of two.
	const askedAsset = sql<AssetId>`(select orders.from_asset from orders
		where orders.from_network = ${network} and orders.pay_in_address = transactions.pay_in_address)`;
	return db
		.select(
			fromIndex({
				kind: transactions.kind,
				asset: transactions.asset,
				address: transactions.payInAddress,
				amount: exactSum(movedAmount),
				fees: exactSum(sql`coalesce(${transactions.fee}, '0')`),
				asked: askedAsset,
			}),
		)
		.from(byIndex(transactions, 'transactions_sweeps'))
		.where(
			sql`${transactions.network} = ${network} and ${transactions.kind} in ('gas', 'sweep', 'token') and ${transactions.finalAt} is not null and ${transactions.payInAddress} in (
					select ${orders.payInAddress} from ${orders} where ${orders.id} in ${openOrders(network)} and +${orders.fromNetwork} = ${network})`,
		)
		.groupBy(transactions.kind, transactions.asset, transactions.payInAddress);
}

/** All overflows, and those of open addresses. */
const overflownSums = (db: Db, network: NetworkName) =>
	[
		db
			.select({ asset: overflows.asset, amount: exactSum(overflows.counted) })
			.from(overflows)
			.where(eq(overflows.network, network))
			.groupBy(overflows.asset),
		db
			.select({ address: overflows.address, counted: overflows.counted })
			.from(overflows)
			.where(sql`${overflows.network} = ${network} and ${overflows.orderId} in ${openOrders(network)}`),
	] as const;
