/** What the ledger's entries add up to. Each of these reads all entries that it sums: for the operator, not for calls. */
import { and, count, countDistinct, eq, inArray, isNull, or, sql } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import type { AssetId } from '../catalog/assets.ts';
import type { NetworkName } from '../catalog/networks.ts';
import { deposits, orders } from '../orders/table.ts';
import { exactSum, isNotZero } from './exact-sum.ts';
import { ledgerEntries, payouts } from './table.ts';

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
 * What the chains should hold for us, base units: what the books say that the wallets hold, and the deposits on record
 * that no entry has booked, because they are not final, too small, late, or wait for somebody; less what partners were
 * paid of their earnings, which the books close in the assets that were earned.
 */
export async function expectedHoldings(db: DrizzleD1Database): Promise<Partial<Record<AssetId, bigint>>> {
	// A refund is booked, deposit and all, when it is sent.
	const isRefundUnderWay = sql`exists (select 1 from ${payouts} where ${payouts.id} = ${deposits.payoutId}
		and ${payouts.kind} = 'refund' and ${payouts.state} in ('planned', 'signed'))`;
	const [booked, unbooked, paidOut] = await db.batch([
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
			.select({ asset: payouts.asset, amount: exactSum(payouts.amount) })
			.from(payouts)
			.where(and(eq(payouts.kind, 'earnings'), inArray(payouts.state, ['sent', 'final'])))
			.groupBy(payouts.asset),
	]);
	const left = paidOut.map(({ asset, amount }) => ({ asset, amount: -amount }));
	const expected: Partial<Record<AssetId, bigint>> = {};
	for (const { asset, amount } of [...booked, ...unbooked, ...left]) expected[asset] = (expected[asset] ?? 0n) + amount;
	return expected;
}

/** Addresses that ever received something, by asset. */
export async function depositAddresses(db: DrizzleD1Database, network: NetworkName): Promise<Map<AssetId, string[]>> {
	const rows = await db
		.selectDistinct({ asset: deposits.asset, address: deposits.address })
		.from(deposits)
		.where(and(eq(deposits.network, network), inArray(deposits.state, ['seen', 'final'])));
	const byAsset = Map.groupBy(rows, ({ asset }) => asset);
	return new Map([...byAsset].map(([asset, found]) => [asset, found.map(({ address }) => address)]));
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
