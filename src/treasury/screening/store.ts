/**
 * Verdicts in D1. A verdict is stored before anything follows from it: after a crash it is asked again or read again, and
 * no money moves without it. The operator's verdict is never replaced by the service's.
 */
import { and, eq, lte, type SQL, sql } from 'drizzle-orm';
import type { NetworkName } from '../../catalog/networks.ts';
import { type OrderRow, orders } from '../../orders/table.ts';
import type { Statement } from '../../platform/d1/batches.ts';
import type { Db } from '../../platform/d1/database.ts';
import type { Answered } from './service.ts';
import { type ScreeningRow, screenings, type Verdict } from './table.ts';
import { retryMilliseconds, type Subject } from './verdict.ts';

/** Most orders that one poll asks about again; the next poll takes the rest. */
const DUE_LIMIT = 100;
/** Stands in the note of a hold that became a refund. */
const LAPSED = 'nobody decided about its hold in time';

export const screeningsOf = (db: Db, orderId: string): Promise<ScreeningRow[]> =>
	db.select().from(screenings).where(eq(screenings.orderId, orderId));

/** Orders about which something is to be asked again. */
export async function dueScreenings(db: Db, network: NetworkName, now: number): Promise<string[]> {
	const { orderId, fromNetwork, nextAskAt } = screenings;
	// Literal, for the partial index.
	const isDue = and(eq(fromNetwork, network), sql`${nextAskAt} is not null`, lte(nextAskAt, now));
	const rows = await db.selectDistinct({ orderId }).from(screenings).where(isDue).limit(DUE_LIMIT);
	return rows.map((row) => row.orderId);
}

/** Nothing of the order is asked again: what was held is paid for, set aside, or the order is deleted. */
export const stopAsking = (db: Db, orderId: string): Statement =>
	db.update(screenings).set({ nextAskAt: null }).where(eq(screenings.orderId, orderId));

type Order = Pick<OrderRow, 'id' | 'fromNetwork'>;

/** Statements of the service's answer, for one batch: the verdict, and the order is judged again. */
export function answerStatements(
	db: Db,
	{ order, subject }: { readonly order: Order; readonly subject: Subject },
	{ verdict, note }: Answered,
	{ attempts, now }: { readonly attempts: number; readonly now: number },
): Statement[] {
	const nextAskAt = verdict === 'hold' ? now + retryMilliseconds(attempts) : null;
	const said = { verdict, decidedBy: 'service', note, attempts, at: now, nextAskAt } as const;
	return [upsert(db, { order, subject }, said, sql`${screenings.decidedBy} = 'service'`), judgeAgain(db, order.id)];
}

/** Statements of the operator's decision, for one batch with the audit line. */
export function decisionStatements(
	db: Db,
	order: Order,
	{
		decisions,
		reason,
	}: {
		readonly decisions: readonly { readonly subject: Subject; readonly verdict: Verdict }[];
		readonly reason: string;
	},
	now: number,
): Statement[] {
	return [
		...decisions.map(({ subject, verdict }) =>
			upsert(
				db,
				{ order, subject },
				{ verdict, decidedBy: 'operator', note: reason, attempts: 0, at: now, nextAskAt: null },
			),
		),
		judgeAgain(db, order.id),
	];
}

/**
 * A hold of the service about which nobody decided in time becomes a refund. What the operator holds stays, and so does the
 * refund address: nothing is sent to where it must not go.
 */
export function lapseStatements(db: Db, order: Order, screened: readonly ScreeningRow[], now: number): Statement[] {
	const lapsed = screened.filter(
		({ subject, verdict, decidedBy }) => subject !== 'refund' && verdict === 'hold' && decidedBy === 'service',
	);
	if (lapsed.length === 0) return [];
	const said = { verdict: 'refund', note: LAPSED, nextAskAt: null, at: now } as const;
	const isHeld = sql`${screenings.subject} <> 'refund' and ${screenings.verdict} = 'hold' and ${screenings.decidedBy} = 'service'`;
	const isOfOrder = and(eq(screenings.orderId, order.id), isHeld);
	return [db.update(screenings).set(said).where(isOfOrder), judgeAgain(db, order.id)];
}

function upsert(
	db: Db,
	{
		order: { id, fromNetwork },
		subject: { kind, txId, position, address },
	}: { readonly order: Order; readonly subject: Subject },
	said: Pick<ScreeningRow, 'verdict' | 'decidedBy' | 'note' | 'attempts' | 'at' | 'nextAskAt'>,
	setWhere?: SQL,
): Statement {
	return db
		.insert(screenings)
		.values({ orderId: id, subject: kind, txId, position, address, fromNetwork, ...said })
		.onConflictDoUpdate({
			target: [screenings.orderId, screenings.subject, screenings.txId, screenings.position, screenings.address],
			set: said,
			...(setWhere && { setWhere }),
		});
}

/** Nothing else makes an order whose deposits have not changed be judged again. */
const judgeAgain = (db: Db, orderId: string): Statement =>
	db
		.update(orders)
		.set({ factsAt: 0 })
		.where(and(eq(orders.id, orderId), sql`${orders.status} in ('PENDING', 'EMERGENCY', 'EXPIRED')`));
