/** The ledger in D1. A sum reads every entry that it adds up, so sums are not for the partner API. */
import { and, count, countDistinct, eq, inArray, isNotNull, isNull, or, type SQL, sql } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import { loadSums } from '../../archive/sums.ts';
import { type AssetId, nativeAsset } from '../../catalog/assets.ts';
import type { Statement } from '../../d1/batches.ts';
import { exactSum, isNotZero } from '../../d1/exact-sum.ts';
import { deposits, orders } from '../../orders/table.ts';
import type { TransactionRow } from '../table.ts';
import { transactions } from '../table.ts';
import { archivedHoldings, withArchived } from './archived.ts';
import type { LedgerEntry } from './entries.ts';
import { ledgerEntries, reserveEntries } from './table.ts';

/** Most orders whose entries do not balance that one check names. */
const UNBALANCED_LIMIT = 100;

export const insertEntries = (db: DrizzleD1Database, entries: readonly LedgerEntry[]): Statement[] =>
	entries.length > 0 ? [db.insert(ledgerEntries).values([...entries])] : [];

/**
 * Reverses an order's settlement, where `when` holds: the same entries with the other sign. Its entries still sum to
 * zero, and it owes nobody anything. The partner's pending share is reversed too.
 */
export const reverseSettlement = (
	db: DrizzleD1Database,
	{ id, orderId }: TransactionRow,
	when: SQL,
	now: number,
): Statement =>
	db.insert(ledgerEntries).select(
		sql`select ${ledgerEntries.orderId}, ${`given up ${id}`}, ${ledgerEntries.account}, ${ledgerEntries.asset},
				case when ${ledgerEntries.amount} like '-%' then ltrim(${ledgerEntries.amount}, '-') else '-' || ${ledgerEntries.amount} end,
				${now}
			from ${ledgerEntries}
			where ${ledgerEntries.orderId} = ${orderId} and ${ledgerEntries.cause} = 'settled' and ${when}`,
	);

/** The balance of every account in every asset, base units, those of archived orders included. */
export async function accountBalances(db: DrizzleD1Database) {
	const [rows, sums] = await db.batch([
		db
			.select({ account: ledgerEntries.account, asset: ledgerEntries.asset, amount: exactSum(ledgerEntries.amount) })
			.from(ledgerEntries)
			.groupBy(ledgerEntries.account, ledgerEntries.asset)
			.orderBy(ledgerEntries.asset, ledgerEntries.account),
		loadSums(db),
	]);
	return withArchived(rows, sums);
}

/**
 * Orders whose entries do not sum to zero per asset, as they always must; and how many orders and entries there are.
 */
export async function checkOrders(db: DrizzleD1Database) {
	const [unbalanced, [counted]] = await db.batch([
		db
			.select({ order: ledgerEntries.orderId, asset: ledgerEntries.asset, sum: exactSum(ledgerEntries.amount) })
			.from(ledgerEntries)
			.groupBy(ledgerEntries.orderId, ledgerEntries.asset)
			.having(isNotZero(ledgerEntries.amount))
			.limit(UNBALANCED_LIMIT),
		db.select({ orders: countDistinct(ledgerEntries.orderId), entries: count() }).from(ledgerEntries),
	]);
	return { unbalanced, orders: counted?.orders ?? 0, entries: counted?.entries ?? 0 };
}

/**
 * What the chains should hold for us, base units: what the books say that the wallets hold, the deposits on record that
 * are not booked (not final, too small, late, or waiting for a decision), and the reserve. Less what is on no order's
 * `wallet` account: what transactions cost, what partners were paid of their earnings, and what was withdrawn.
 */
export async function expectedHoldings(db: DrizzleD1Database): Promise<Partial<Record<AssetId, bigint>>> {
	// A refund is booked, deposit and all, when it is sent.
	const isRefundUnderWay = sql`exists (select 1 from ${transactions} where ${transactions.id} = ${deposits.payoutId}
		and ${transactions.kind} = 'refund' and ${transactions.state} in ('planned', 'signed'))`;
	const [booked, unbooked, reserve, unbookedPayments, undone, fees, sums] = await db.batch([
		db
			.select({ asset: ledgerEntries.asset, amount: exactSum(ledgerEntries.amount) })
			.from(ledgerEntries)
			.where(eq(ledgerEntries.account, 'wallet'))
			.groupBy(ledgerEntries.asset),
		db
			.select({ asset: deposits.asset, amount: exactSum(deposits.amount) })
			.from(deposits)
			.where(and(inArray(deposits.state, ['seen', 'final']), or(isNull(deposits.payoutId), isRefundUnderWay)))
			.groupBy(deposits.asset),
		db
			.select({ asset: reserveEntries.asset, amount: exactSum(reserveEntries.amount) })
			.from(reserveEntries)
			.groupBy(reserveEntries.asset),
		db
			.select({ asset: transactions.asset, amount: exactSum(transactions.amount) })
			.from(transactions)
			.where(
				and(inArray(transactions.kind, ['earnings', 'withdrawal']), inArray(transactions.state, ['sent', 'final'])),
			)
			.groupBy(transactions.asset),
		// The books say that it was sent, but it was reverted for good or paid by hand: its coins are still there, only
		// the fee is not.
		db
			.select({ asset: transactions.asset, amount: exactSum(transactions.amount) })
			.from(transactions)
			.where(
				and(
					inArray(transactions.kind, ['payout', 'refund', 'earnings', 'withdrawal']),
					or(and(eq(transactions.state, 'sent'), isNotNull(transactions.finalAt)), isNotNull(transactions.settledTxId)),
				),
			)
			.groupBy(transactions.asset),
		db
			.select({ network: transactions.network, amount: exactSum(transactions.fee) })
			.from(transactions)
			.where(isNotNull(transactions.fee))
			.groupBy(transactions.network),
		loadSums(db),
	]);
	const expected: Partial<Record<AssetId, bigint>> = {};
	const add = (asset: AssetId, amount: bigint) => {
		expected[asset] = (expected[asset] ?? 0n) + amount;
	};
	for (const { asset, amount } of [...booked, ...unbooked, ...reserve, ...undone]) add(asset, amount);
	for (const { asset, amount } of unbookedPayments) add(asset, -amount);
	for (const { network, amount } of fees) add(nativeAsset(network), -amount);
	for (const { asset, amount } of archivedHoldings(sums)) add(asset, amount);
	return expected;
}

/** All reserve that was ever booked, base units. */
export async function reserveSums(db: DrizzleD1Database): Promise<Partial<Record<AssetId, bigint>>> {
	const rows = await db
		.select({ asset: reserveEntries.asset, amount: exactSum(reserveEntries.amount) })
		.from(reserveEntries)
		.groupBy(reserveEntries.asset);
	return Object.fromEntries(rows.map(({ asset, amount }) => [asset, amount]));
}

/** What partners have earned and were not paid, and what they will earn with orders under way, base units. */
export async function owedToPartners(db: DrizzleD1Database): Promise<Partial<Record<AssetId, bigint>>> {
	const rows = await db
		.select({ asset: ledgerEntries.asset, amount: exactSum(ledgerEntries.amount) })
		.from(ledgerEntries)
		.where(inArray(ledgerEntries.account, ['partner', 'partnerPending']))
		.groupBy(ledgerEntries.asset);
	return Object.fromEntries(rows.map(({ asset, amount }) => [asset, -amount]));
}

/** What is owed to a partner per asset, base units: the credit of their orders on the account `partner`. */
export async function owedToPartner(db: DrizzleD1Database, partnerId: string) {
	const ordersOf = db.select({ id: orders.id }).from(orders).where(eq(orders.partnerId, partnerId));
	const rows = await db
		.select({ asset: ledgerEntries.asset, amount: exactSum(ledgerEntries.amount) })
		.from(ledgerEntries)
		.where(and(sql`${ledgerEntries.orderId} in ${ordersOf}`, eq(ledgerEntries.account, 'partner')))
		.groupBy(ledgerEntries.asset)
		.having(isNotZero(ledgerEntries.amount))
		.orderBy(ledgerEntries.asset);
	return rows.map(({ asset, amount }) => ({ asset, amount: -amount }));
}
