/** `payout list` and `payout show`: what the service sends. */
import { and, asc, desc, eq, gte, lt, sql } from 'drizzle-orm';
import { explorerOf } from '../../chains/explorer.ts';
import { isoTime } from '../../platform/time.ts';
import { transactions, transactionVersions } from '../../treasury/table.ts';
import { fail, type RunOf } from '../command.ts';
import { transactionLine, transactionRecord, waitsOf } from '../orders/record.ts';
import { currentSettings } from '../settings/changes.ts';
import { momentOf } from '../topics/moment.ts';
import type { payout as topic } from '../topics/payout.ts';

/** Versions that are shown of one transaction. */
const MOST_VERSIONS = 100;

export const listTransactions: RunOf<typeof topic, 'list'> = async (context, { open, since, until, limit }) => {
	const { db, now } = context;
	// In the words of the partial indexes that serve them.
	const which = open ? sql`${transactions.state} <> 'final'` : sql`${transactions.kind} in ('payout', 'refund')`;
	const rows = await db
		.select()
		.from(transactions)
		.where(
			and(
				which,
				gte(transactions.plannedAt, since === undefined ? 0 : (momentOf(since, now) ?? 0)),
				until === undefined ? undefined : lt(transactions.plannedAt, momentOf(until, now) ?? 0),
			),
		)
		.orderBy(desc(transactions.plannedAt), desc(transactions.id))
		.limit(limit);
	const switches = await currentSettings(context);
	return rows.map((row) => ({
		...transactionLine(row),
		toAddress: row.toAddress,
		plannedAt: isoTime(row.plannedAt),
		...waitsOf(row, switches),
	}));
};

export const showTransaction: RunOf<typeof topic, 'show'> = async (context, { id }) => {
	const { db, env } = context;
	const { transactionId, replacedAt } = transactionVersions;
	const [[row], versions] = await db.batch([
		db.select().from(transactions).where(eq(transactions.id, id)),
		db.select().from(transactionVersions).where(eq(transactionId, id)).orderBy(asc(replacedAt)).limit(MOST_VERSIONS),
	]);
	if (!row) return fail(404, `there is no transaction ${id}`);
	const record = transactionRecord(row, versions, await currentSettings(context));
	return { ...record, orderId: row.orderId, explorer: explorerOf(env, row) };
};
