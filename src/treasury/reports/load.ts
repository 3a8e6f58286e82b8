/**
 * Orders with all that the reports need of them. Each page is bounded, and each query uses an index. Conditions of
 * partial indexes are literal.
 */
import { and, asc, eq, gte, lt, sql } from 'drizzle-orm';
import { archivedTotals } from '../../archive/table.ts';
import { type OrderRow, orders } from '../../orders/table.ts';
import type { Db } from '../../platform/d1/database.ts';
import { inJson } from '../../platform/d1/lists.ts';
import { ledgerEntries } from '../ledger/table.ts';
import { type TransactionRow, transactions } from '../table.ts';
import { type Cursor, cursorText, type PageOf } from './cursor.ts';
import { factsOf, type ReportFacts } from './facts.ts';

/** Payouts and refunds that one page of a report reads. */
const PER_PAGE = 500;
/** No text of an id is below it. */
const FIRST: Cursor = [0, ''];

export interface ReportedOrder {
	readonly order: OrderRow;
	/** Its payout and refunds, in the order in which they were planned. */
	readonly transactions: readonly TransactionRow[];
	readonly facts: ReportFacts;
}

/** The orders with these ids, in any order. */
export async function loadReported(db: Db, ids: readonly string[]): Promise<ReportedOrder[]> {
	const among = inJson(ids);
	const [rows, own, sweeps, entries] = await db.batch([
		db.select().from(orders).where(sql`${orders.id} in ${among}`),
		db
			.select()
			.from(transactions)
			// Only payouts and refunds belong to an order.
			.where(sql`${transactions.orderId} in ${among}`)
			.orderBy(asc(transactions.plannedAt), transactions.id),
		db
			.select({ orderId: orders.id, state: transactions.state, fee: transactions.fee })
			.from(orders)
			.innerJoin(
				transactions,
				and(eq(transactions.network, orders.fromNetwork), eq(transactions.payInAddress, orders.payInAddress)),
			)
			.where(sql`${orders.id} in ${among} and ${transactions.kind} in ('gas', 'sweep', 'token')`),
		db.select().from(ledgerEntries).where(sql`${ledgerEntries.orderId} in ${among}`),
	]);
	const [ownBy, sweepsBy, entriesBy] = [
		Map.groupBy(own, ({ orderId }) => orderId),
		Map.groupBy(sweeps, ({ orderId }) => orderId),
		Map.groupBy(entries, ({ orderId }) => orderId),
	];
	return rows.map((order) => {
		const ofOrder = ownBy.get(order.id) ?? [];
		const rest = { sweeps: sweepsBy.get(order.id) ?? [], entries: entriesBy.get(order.id) ?? [] };
		return { order, transactions: ofOrder, facts: factsOf({ order, transactions: ofOrder, ...rest }) };
	});
}

export interface FactsPage {
	readonly facts: readonly ReportFacts[];
	/** Null where this was the last page. */
	readonly cursor: string | null;
}

/**
 * The facts of the orders whose payout, or first refund where there is none, was planned in the time. An order without
 * either moved nothing and is in no report.
 */
export async function factsPage(db: Db, { since, until, after }: PageOf): Promise<FactsPage> {
	const [at, id = ''] = after ?? FIRST;
	const page = await db
		.select({ id: transactions.id, orderId: transactions.orderId, plannedAt: transactions.plannedAt })
		.from(transactions)
		.where(
			and(
				sql`${transactions.kind} in ('payout', 'refund')`,
				gte(transactions.plannedAt, since),
				lt(transactions.plannedAt, until),
				sql`(${transactions.plannedAt}, ${transactions.id}) > (${at}, ${id})`,
			),
		)
		.orderBy(asc(transactions.plannedAt), asc(transactions.id))
		.limit(PER_PAGE);
	const here = new Set(page.map((row) => row.id));
	const loaded = await loadReported(db, [...new Set(page.flatMap(({ orderId }) => orderId ?? []))]);
	const last = page.at(-1);
	return {
		facts: loaded.filter(({ transactions: own }) => here.has(countedBy(own)?.id ?? '')).map(({ facts }) => facts),
		cursor: last && page.length === PER_PAGE ? cursorText([last.plannedAt, last.id]) : null,
	};
}

/** The one transaction by which an order is counted, so that it is counted once: that of its day (`facts.ts`). */
const countedBy = (own: readonly TransactionRow[]): TransactionRow | undefined =>
	own.find(({ kind }) => kind === 'payout') ?? own.find(({ state }) => state === 'sent' || state === 'final');

/** Totals of archived orders in one page. */
const TOTALS_PER_PAGE = 2_000;

/** The columns of its key, by which pages are cut. */
export type ArchivedKey = readonly [string, string, string, string, string];

/** Totals of the days from `sinceDay` on and before `untilDay`, after `after`; fewer than a page are the last. */
export async function archivedPage(
	db: Db,
	sinceDay: string,
	untilDay: string,
	after: ArchivedKey,
): Promise<{ readonly facts: readonly ReportFacts[]; readonly last: ArchivedKey | null }> {
	const { day, partnerId, referenceCode, fromAsset, toAsset } = archivedTotals;
	const key = [day, partnerId, referenceCode, fromAsset, toAsset];
	const values = after.map((each) => sql`${each}`);
	const isAfter = sql`(${sql.join(key, sql`, `)}) > (${sql.join(values, sql`, `)})`;
	const isOfPage = and(gte(day, sinceDay), lt(day, untilDay), isAfter);
	const order = key.map((column) => asc(column));
	const facts = await db
		.select()
		.from(archivedTotals)
		.where(isOfPage)
		.orderBy(...order)
		.limit(TOTALS_PER_PAGE);
	const last = facts.length === TOTALS_PER_PAGE ? facts.at(-1) : undefined;
	return { facts, last: last ? [last.day, last.partnerId, last.referenceCode, last.fromAsset, last.toAsset] : null };
}
