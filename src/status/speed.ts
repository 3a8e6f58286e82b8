/**
 * How fast orders are paid, over the 30 days before the last midnight (UTC), by the rows of payments and orders (book:
 * networks, "How fast it is"). The cron counts once a day; a page reads the few rows that it wrote.
 *
 * Atomic: all rows are replaced by one batch. A run that comes twice counts the same days and changes nothing.
 */
import { lt, type SQL, sql } from 'drizzle-orm';
import type { Db } from '../platform/d1/database.ts';
import { DAY_MILLISECONDS } from '../platform/time.ts';
import { ALL, SPEED_DAYS } from './status.ts';
import { type SpeedRow, speeds } from './table.ts';

/** Fewer payments, or orders, have no figure: three orders have no p95. */
const FEWEST = 20;

/** `half` and `most` are milliseconds of payouts and refunds; for orders, `half` is how many needed a person. */
interface Counted {
	readonly kind: 'payout' | 'refund' | 'order';
	readonly subject: string;
	readonly count: number;
	readonly half: number;
	readonly most: number;
}

export async function countSpeeds(db: Db, now: number): Promise<void> {
	const until = now - (now % DAY_MILLISECONDS);
	const [counted] = await db.select({ until: speeds.until }).from(speeds).limit(1);
	if (counted?.until === until) return;
	const found = await db.all<Counted>(countedOf(paidBetween(until - SPEED_DAYS * DAY_MILLISECONDS, until)));
	await db.batch([
		db.delete(speeds).where(lt(speeds.until, until)),
		db.insert(speeds).values(rowsOf(found, until)).onConflictDoNothing(),
	]);
}

/**
 * The payouts and refunds that were planned in that time. One that is not sent yet has taken until the end of it. A
 * deposit's row is written for the last time when it is final, or when its payment was given up.
 */
const paidBetween = (since: number, until: number): SQL => sql`
	SELECT t.kind, t.network, t.order_id, o.from_network,
		max(0, coalesce(t.sent_at, ${until}) - (SELECT max(last_seen_at) FROM deposits WHERE order_id = t.order_id AND payout_id = t.id)) AS took,
		t.settled_tx_id IS NOT NULL
			OR EXISTS (SELECT 1 FROM order_changes WHERE order_id = t.order_id
				AND (status = 'EMERGENCY' OR (t.kind = 'refund' AND status = 'EXCHANGE')))
			OR EXISTS (SELECT 1 FROM screenings WHERE order_id = t.order_id AND decided_by = 'operator') AS attended
	FROM transactions t INNER JOIN orders o ON o.id = t.order_id
	WHERE t.kind IN ('payout', 'refund') AND t.planned_at >= ${since} AND t.planned_at < ${until}`;

/** Nearest rank: the shortest time that so many of the payments took at most. Each payment is read once. */
const countedOf = (paid: SQL): SQL => sql`
	WITH paid AS MATERIALIZED (${paid}),
	each_and_all AS (SELECT kind, network AS subject, took FROM paid UNION ALL SELECT kind, ${ALL}, took FROM paid),
	ranked AS (
		SELECT kind, subject, took, row_number() OVER (PARTITION BY kind, subject ORDER BY took) AS rank,
			count(*) OVER (PARTITION BY kind, subject) AS count
		FROM each_and_all
	),
	each_order AS MATERIALIZED (SELECT from_network, max(attended) AS attended FROM paid GROUP BY order_id)
	SELECT kind, subject, count,
		max(CASE WHEN rank = (count + 1) / 2 THEN took END) AS half,
		max(CASE WHEN rank = (count * 95 + 99) / 100 THEN took END) AS most
	FROM ranked GROUP BY kind, subject
	UNION ALL SELECT 'order', from_network, count(*), sum(attended), 0 FROM each_order GROUP BY from_network
	UNION ALL SELECT 'order', ${ALL}, count(*), coalesce(sum(attended), 0), 0 FROM each_order`;

function rowsOf(found: readonly Counted[], until: number): SpeedRow[] {
	const subjects = new Set(found.map(({ subject }) => subject));
	return [...subjects].toSorted().map((subject) => {
		const enough = found.filter((each) => each.subject === subject && each.count >= FEWEST);
		const [payout, refund, order] = (['payout', 'refund', 'order'] as const).map((kind) =>
			enough.find((each) => each.kind === kind),
		);
		return {
			subject,
			payoutHalf: payout?.half ?? null,
			payoutMost: payout?.most ?? null,
			refundHalf: refund?.half ?? null,
			refundMost: refund?.most ?? null,
			attendedBps: order ? Math.ceil((order.half * 10_000) / order.count) : null,
			until,
		};
	});
}
