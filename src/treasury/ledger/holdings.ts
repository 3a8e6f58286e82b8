/**
 * The holdings that the chains should have for us by the books, for `ledger check`. Each sum is bounded: it comes from
 * what triggers keep, or adds up what is open or not booked. Conditions of partial indexes are literal.
 */
import { eq, inArray, sql } from 'drizzle-orm';
import { type AssetId, nativeAsset } from '../../catalog/assets.ts';
import { NETWORK_NAMES } from '../../catalog/networks.ts';
import { amountsByAsset } from '../../money/units.ts';
import { deposits } from '../../orders/table.ts';
import type { Db } from '../../platform/d1/database.ts';
import { exactSum, keptSum } from '../../platform/d1/exact-sum.ts';
import { readOfNoOrder, sumsOfNoOrder } from '../deposits/of-no-order.ts';
import { strays } from '../strays/table.ts';
import { transactions } from '../table.ts';
import { limbsOfBalances } from './prove.ts';
import { deletedHoldings, ledgerBalances, reserveEntries, walletFlows } from './table.ts';
import { feesOfFlows } from './wallet-store.ts';

/**
 * Base units: what the books say that the wallets hold, the deposits on record that are not booked (not final, too
 * small, late, or waiting for a decision), what belongs to no order, strays, and the reserve. Less what is on no order's
 * `wallet` account: what transactions cost, what partners were paid of their earnings, what was withdrawn, and the strays
 * that went back.
 */
export async function expectedHoldings(db: Db): Promise<Partial<Record<AssetId, bigint>>> {
	const [listed, overflown, fees, unbookedPayments, ...held] = await db.batch([
		...readOfNoOrder(db),
		db
			.select({ network: walletFlows.network, amount: keptSum(feesOfFlows) })
			.from(walletFlows)
			.groupBy(walletFlows.network),
		db
			.select({ asset: transactions.asset, amount: exactSum(transactions.amount) })
			.from(transactions)
			.where(
				sql`${transactions.kind} in ('earnings', 'withdrawal', 'stray') and ${inArray(transactions.state, ['sent', 'final'])}`,
			)
			.groupBy(transactions.asset),
		db
			.select({ asset: ledgerBalances.asset, amount: keptSum(limbsOfBalances) })
			.from(ledgerBalances)
			.where(eq(ledgerBalances.account, 'wallet'))
			.groupBy(ledgerBalances.asset),
		db
			.select({ asset: reserveEntries.asset, amount: exactSum(reserveEntries.amount) })
			.from(reserveEntries)
			.groupBy(reserveEntries.asset),
		// All that ever came of them: what went back is among the payments, and what is left is ours.
		db
			.select({ asset: strays.asset, amount: exactSum(strays.counted) })
			.from(strays)
			.where(sql`${strays.isListed} = 0`)
			.groupBy(strays.asset),
		...unbookedDeposits(db),
		...undonePayments(db),
	]);
	const ofNobody = sumsOfNoOrder(listed, overflown);
	const expected = amountsByAsset<AssetId>([
		...held.flat(),
		...ofNobody.map(({ asset, counted, open, booked }) => ({ asset, amount: counted + open - booked })),
		...unbookedPayments.map(({ asset, amount }) => ({ asset, amount: -amount })),
		...fees.map(({ network, amount }) => ({ asset: nativeAsset(network), amount: -amount })),
	]);
	return Object.fromEntries(expected);
}

/** Deposits that no entry books, each in one of the sums; and those of deleted orders. */
function unbookedDeposits(db: Db) {
	const sum = { asset: deposits.asset, amount: exactSum(deposits.amount) };
	const isUnclaimed = sql`${deposits.state} = 'final' and ${deposits.payoutId} is null`;
	const isSeen = sql`${deposits.state} <> 'final' and ${deposits.state} = 'seen'`;
	return [
		db.select(sum).from(deposits).where(isSeen).groupBy(deposits.asset),
		db.select(sum).from(deposits).where(sql`${isUnclaimed} and ${deposits.dust} = 0`).groupBy(deposits.asset),
		db.select(sum).from(deposits).where(sql`${isUnclaimed} and ${deposits.dust} = 1`).groupBy(deposits.asset),
		// A refund is booked, deposit and all, when it is sent.
		db
			.select(sum)
			.from(transactions)
			.innerJoin(
				deposits,
				sql`${deposits.orderId} = ${transactions.orderId} and ${deposits.payoutId} = ${transactions.id}`,
			)
			.where(
				sql`${inArray(transactions.network, [...NETWORK_NAMES])} and ${transactions.state} <> 'final' and ${transactions.state} in ('planned', 'signed') and ${transactions.kind} = 'refund'`,
			)
			.groupBy(deposits.asset),
		db
			.select({
				asset: deletedHoldings.asset,
				amount: keptSum([deletedHoldings.limb3, deletedHoldings.limb2, deletedHoldings.limb1, deletedHoldings.limb0]),
			})
			.from(deletedHoldings)
			.groupBy(deletedHoldings.asset),
	] as const;
}

/**
 * Payments that the books name as sent, and that were reverted for good or paid by hand: their coins are still there,
 * only the fee is not.
 */
function undonePayments(db: Db) {
	const sum = { asset: transactions.asset, amount: exactSum(transactions.amount) };
	const { asset, state, finalAt, settledTxId } = transactions;
	const isPayment = inArray(transactions.kind, ['payout', 'refund', 'earnings', 'withdrawal', 'stray']);
	const isSettled = sql`${settledTxId} is not null and ${isPayment}`;
	const isReverted = sql`${state} = 'sent' and ${finalAt} is not null and ${settledTxId} is null and ${isPayment}`;
	return [
		db.select(sum).from(transactions).where(isSettled).groupBy(asset),
		db.select(sum).from(transactions).where(isReverted).groupBy(asset),
	] as const;
}
