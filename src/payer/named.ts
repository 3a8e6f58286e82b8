/**
 * The payer names a transaction whose coins do not show. A look-up costs calls to nodes, so an order has a few of them, beside
 * the budget that all of the page's requests have. The books get nothing but what the chain holds; the operator reads what was
 * named, and what the networks said of it.
 */
import { and, eq, lt, sql } from 'drizzle-orm';
import type { PayerReport, ReportSays } from '../orders/reports.ts';
import { orders } from '../orders/table.ts';
import { databaseOf } from '../platform/d1/database.ts';
import { lookUpOn, networksOf, transactionIn } from '../treasury/strays/named.ts';
import type { Named, NamedAnswer } from '../treasury/strays/named-answer.ts';
import { findForPayer, forgetOrder, type Reader } from './read.ts';

/** Look-ups of one order's payer, ever. The operator has more. */
const MOST = 20;

/** Null where the token is not the order's. The look-up is counted before it is made. */
export async function nameForPayer(
	reader: Reader,
	id: string,
	token: string,
	text: string,
): Promise<NamedAnswer | null> {
	const record = await findForPayer(reader, id, token);
	if (!record) return null;
	const { env } = reader;
	const { order } = record;
	const txId = transactionIn(text, order.fromNetwork);
	if (txId === null) return 'no id';
	const counted = await databaseOf(env)
		.update(orders)
		.set({ named: sql`${orders.named} + 1` })
		.where(and(eq(orders.id, id), lt(orders.named, MOST)))
		.returning({ id: orders.id });
	if (counted.length === 0) return 'used up';
	const found = await lookUpOn(env, networksOf(env, order), id, txId);
	await keepReport(env, id, { txId, at: Date.now(), says: saysOf(found) });
	forgetOrder(id);
	return found;
}

/** Kept of one order, the newest first. */
const MOST_KEPT = 5;

/** For the operator. Naming the same transaction again replaces what was kept of it. */
async function keepReport(env: Reader['env'], id: string, report: PayerReport): Promise<void> {
	const others = sql`select value, key + 1 as place from json_each(coalesce(${orders.reports}, '[]'))
		where value ->> 'txId' <> ${report.txId}`;
	const newest = sql`select json(${JSON.stringify(report)}) as value, 0 as place union all ${others} order by place limit ${MOST_KEPT}`;
	const reports = sql`(select json_group_array(json(value)) from (${newest}))`;
	await databaseOf(env)
		.update(orders)
		// Coins that were found are told of where they are.
		.set({ reports, ...(report.says !== 'coins' && { reportedAt: report.at }) })
		.where(eq(orders.id, id));
}

/** The answer that says the most. */
function saysOf(found: readonly Named[]): ReportSays {
	const gave = found.flatMap(({ found: each }) => (typeof each === 'string' ? [] : each));
	if (gave.some(({ is }) => is !== 'late')) return 'coins';
	if (gave.length > 0) return 'late';
	const said = (['pending', 'nothing', 'not answering', 'unknown', 'listed'] as const).find((one) =>
		found.some((each) => each.found === one),
	);
	return said === 'not answering' || said === undefined ? 'silent' : said;
}
