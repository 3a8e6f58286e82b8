/** What the ledger's entries add up to. Each of these reads all entries that it sums: for the operator, not for calls. */
import { and, count, countDistinct, eq, inArray, isNotNull, isNull, or, sql } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import { type AssetId, nativeAsset } from '../../catalog/assets.ts';
import type { NetworkName } from '../../catalog/networks.ts';
import { exactSum, isNotZero } from '../../d1/exact-sum.ts';
import { deposits, orders } from '../../orders/table.ts';
import { ledgerEntries, reserveEntries, transactions } from '../table.ts';

/** Orders whose entries do not balance, that one check names. */
const UNBALANCED_LIMIT = 100;

/** The balance of every account in every asset, base units. */
export const accountBalances = (db: DrizzleD1Database) =>
	db
		.select({ account: ledgerEntries.account, asset: ledgerEntries.asset, amount: exactSum(ledgerEntries.amount) })
		.from(ledgerEntries)
		.groupBy(ledgerEntries.account, ledgerEntries.asset)
		.orderBy(ledgerEntries.asset, ledgerEntries.account);

/** "Every order's entries sum to zero per asset, always" (decisions.md "Orders"): those that do not, and how many do. */
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
 * What the chains should hold for us, base units: what the books say that the wallets hold; the deposits on record that
 * no entry has booked, because they are not final, too small, late, or wait for somebody; and the reserve. Less what our
 * own transactions cost, what partners were paid of their earnings and what the operator has withdrawn, which no order's
 * `wallet` account knows.
 */
export async function expectedHoldings(db: DrizzleD1Database): Promise<Partial<Record<AssetId, bigint>>> {
	// A refund is booked, deposit and all, when it is sent.
	const isRefundUnderWay = sql`exists (select 1 from ${transactions} where ${transactions.id} = ${deposits.payoutId}
		and ${transactions.kind} = 'refund' and ${transactions.state} in ('planned', 'signed'))`;
	const [booked, unbooked, reserve, unbookedPayments, undone, fees] = await db.batch([
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
		// Sent, as the books say, and undone by the chain for good, or paid by hand: the coins are still there, only the fee
		// is not.
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
	]);
	const expected: Partial<Record<AssetId, bigint>> = {};
	const add = (asset: AssetId, amount: bigint) => {
		expected[asset] = (expected[asset] ?? 0n) + amount;
	};
	for (const { asset, amount } of [...booked, ...unbooked, ...reserve, ...undone]) add(asset, amount);
	for (const { asset, amount } of unbookedPayments) add(asset, -amount);
	for (const { network, amount } of fees) add(nativeAsset(network), -amount);
	return expected;
}

/**
 * A transaction of our own of which the chain has not said its last word: while there is one, the wallets move. Literal,
 * because SQLite takes a partial index only for the words that it was made with.
 */
export const isUnderWay = sql`${transactions.state} <> 'final' and ${transactions.state} in ('signed', 'sent') and ${transactions.finalAt} is null`;

/** How many there are, by network. */
export async function transactionsUnderWay(db: DrizzleD1Database): Promise<Map<NetworkName, number>> {
	const rows = await db
		.select({ network: transactions.network, open: count() })
		.from(transactions)
		.where(isUnderWay)
		.groupBy(transactions.network);
	return new Map(rows.map(({ network, open }) => [network, open]));
}

/** What was ever put into the payout wallets and booked, base units. */
export async function reserveSums(db: DrizzleD1Database): Promise<Partial<Record<AssetId, bigint>>> {
	const rows = await db
		.select({ asset: reserveEntries.asset, amount: exactSum(reserveEntries.amount) })
		.from(reserveEntries)
		.groupBy(reserveEntries.asset);
	return Object.fromEntries(rows.map(({ asset, amount }) => [asset, amount]));
}

/** What partners have earned and were not paid, and what they will have earned with orders under way, base units. */
export async function owedToPartners(db: DrizzleD1Database): Promise<Partial<Record<AssetId, bigint>>> {
	const rows = await db
		.select({ asset: ledgerEntries.asset, amount: exactSum(ledgerEntries.amount) })
		.from(ledgerEntries)
		.where(inArray(ledgerEntries.account, ['partner', 'partnerPending']))
		.groupBy(ledgerEntries.asset);
	return Object.fromEntries(rows.map(({ asset, amount }) => [asset, -amount]));
}

/** What is owed to a partner per asset, base units: the credit of his orders on the account `partner`. */
export async function owedToPartner(db: DrizzleD1Database, partnerId: string) {
	const hisOrders = db.select({ id: orders.id }).from(orders).where(eq(orders.partnerId, partnerId));
	const rows = await db
		.select({ asset: ledgerEntries.asset, amount: exactSum(ledgerEntries.amount) })
		.from(ledgerEntries)
		.where(and(sql`${ledgerEntries.orderId} in ${hisOrders}`, eq(ledgerEntries.account, 'partner')))
		.groupBy(ledgerEntries.asset)
		.having(isNotZero(ledgerEntries.amount))
		.orderBy(ledgerEntries.asset);
	return rows.map(({ asset, amount }) => ({ asset, amount: -amount }));
}
