/**
 * Trades in D1. What is to be told comes from the rows that a trigger wrote with the books, so nothing is told that was not
 * booked, and nothing that was booked is forgotten: how far the outbox has them is stored with the events themselves.
 */
import { and, asc, eq, gt, lt, type SQL, sql } from 'drizzle-orm';
import type { Statement } from '../../platform/d1/batches.ts';
import type { Db } from '../../platform/d1/database.ts';
import { keptSum } from '../../platform/d1/exact-sum.ts';
import { DAY_MILLISECONDS } from '../../platform/time.ts';
import { type NewWebhookEventRow, webhookEvents } from '../../webhooks/table.ts';
import { exposures, hedgers, trades } from './table.ts';

/** There is one hedger at most. */
export const isOnly = eq(hedgers.id, 1);

/** Days that a trade is kept, so that a hedger that was down can read what it missed. */
const KEPT_DAYS = 90;
/** Trades that one run puts into the outbox, and that one run deletes. */
const PER_RUN = 200;

/** The exposure per asset, base units, by what the trigger kept. */
export const exposureByAsset = (db: Db) =>
	db
		.select({
			asset: exposures.asset,
			amount: keptSum([exposures.limb3, exposures.limb2, exposures.limb1, exposures.limb0]),
		})
		.from(exposures)
		.groupBy(exposures.asset);

/** At most `limit` trades after this number, oldest first. */
export const tradesAfter = (db: Db, sequence: number, limit: number) =>
	db.select().from(trades).where(gt(trades.sequence, sequence)).orderBy(asc(trades.sequence)).limit(limit);

/** The numbers of the first and the last trade that is kept; zero where there is none. */
export const newestSequence: SQL<number> = sql`(select coalesce(max(${trades.sequence}), 0) from ${trades})`;
export const oldestSequence: SQL<number> = sql`(select coalesce(min(${trades.sequence}), 0) from ${trades})`;

/** Who is told, and the trades that the outbox does not have yet, oldest first: none where nobody is told. For a batch. */
export const readUnqueued = (db: Db) => {
	const isNew = sql`${trades.sequence} > (select ${hedgers.queuedUntil} from ${hedgers} where ${isOnly})`;
	return [
		db.select().from(hedgers).where(isOnly),
		db.select().from(trades).where(isNew).orderBy(asc(trades.sequence)).limit(PER_RUN),
	] as const;
};

/**
 * Puts the events into the outbox and moves the mark, for one batch. Of two runs that have read the same mark the second
 * changes nothing.
 */
export function queueEvents(
	db: Db,
	{ partnerId, queuedUntil }: typeof hedgers.$inferSelect,
	events: readonly NewWebhookEventRow[],
	until: number,
): Statement[] {
	const isSame = and(eq(hedgers.partnerId, partnerId), eq(hedgers.queuedUntil, queuedUntil));
	const rows = events.map(({ id, sequence, type, body, createdAt }) => [id, sequence, type, body, createdAt]);
	return [
		db.insert(webhookEvents).select(
			sql`select value ->> 0, ${partnerId}, null, value ->> 1, value ->> 2, value ->> 3, 'due', 0, value ->> 4, value ->> 4, '', ''
				from json_each(${JSON.stringify(rows)}) where exists (select 1 from ${hedgers} where ${isSame})`,
		),
		db.update(hedgers).set({ queuedUntil: until }).where(isSame),
	];
}

/** Deletes trades that are older than they are kept, oldest first; never the newest, whose number the next one follows. */
export const pruneTrades = (db: Db, now: number) => {
	const isOld = lt(trades.at, now - KEPT_DAYS * DAY_MILLISECONDS);
	const end = sql`(select ${trades.sequence} + ${PER_RUN} from ${trades}
		where ${trades.sequence} = ${oldestSequence} and ${isOld})`;
	return db
		.delete(trades)
		.where(and(sql`${trades.sequence} < ${end}`, isOld, sql`${trades.sequence} < ${newestSequence}`));
};
