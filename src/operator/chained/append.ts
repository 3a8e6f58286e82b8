/**
 * Chains the rows that came since, each minute: a row stands unchained for two minutes at most, or, behind a backlog, until the
 * minutes that it takes. Rows of a table are chained in the order of their numbers, in which D1, the one writer, has committed
 * them. Where a number is missing a new segment begins, so that the gap is seen.
 *
 * Atomic: the segments of a step are one batch, and the position of the first is its compare-and-set. Of two runs at once one
 * chains nothing in that step, and begins it again behind the other.
 */
import { asc, desc, eq, gt, sql } from 'drizzle-orm';
import { runBatch } from '../../platform/d1/batches.ts';
import type { Db } from '../../platform/d1/database.ts';
import {
	CHAINED,
	type ChainedRow,
	digestOf,
	lineOf,
	type RowsOf,
	type Segment,
	TABLES,
	textOfLines,
} from './segment.ts';
import { chainedSegments, isNewest } from './table.ts';

/** Rows of one table in one step, and in one segment. */
const PER_STEP = 500;
const RUN_MILLISECONDS = 20_000;
/** D1 says so where another run has chained meanwhile. */
const TAKEN = 'UNIQUE constraint failed: chained_segments.position';

/** False where so much has come that the next minute has to go on. @throws what D1 throws */
export async function chainRows(db: Db, now: number): Promise<boolean> {
	for (const deadline = Date.now() + RUN_MILLISECONDS; Date.now() < deadline; ) {
		const most = await chainSome(db, now).catch(begunAgain);
		if (most < PER_STEP) return true;
	}
	return false;
}

function begunAgain(error: unknown): number {
	if (!String(error).includes(TAKEN)) throw error;
	return PER_STEP;
}

/** The most rows that were found of one table. */
async function chainSome(db: Db, now: number): Promise<number> {
	const [[newest], audit, entries, moves] = await db.batch([
		db
			.select({ position: chainedSegments.position, digest: chainedSegments.digest })
			.from(chainedSegments)
			.where(isNewest()),
		newRows(db, 'audit_log'),
		newRows(db, 'ledger_entries'),
		newRows(db, 'order_changes'),
	]);
	const found: readonly ChainedRow[][] = [audit, entries, moves];
	let { position, digest: before } = newest ?? { position: 0, digest: '' };
	const segments: Segment[] = [];
	for (const [i, rowsOf] of TABLES.entries()) {
		for (const rows of runsOf(found[i] ?? [])) {
			const segment = await segmentOf(before, { position: ++position, rowsOf, at: now }, rows);
			segments.push(segment);
			before = segment.digest;
		}
	}
	const inserts = segments.map((segment) => db.insert(chainedSegments).values(segment));
	await runBatch(db, inserts);
	return Math.max(...found.map((rows) => rows.length));
}

/** Above the last number that is chained. */
const newRows = <Of extends RowsOf>(db: Db, rowsOf: Of) => {
	const table = CHAINED[rowsOf];
	const { last, rowsOf: of, position } = chainedSegments;
	const chained = db.select({ last }).from(chainedSegments).where(eq(of, rowsOf)).orderBy(desc(position)).limit(1);
	return db
		.select()
		.from(table as (typeof CHAINED)[RowsOf])
		.where(gt(table.number, sql`coalesce(${chained}, 0)`))
		.orderBy(asc(table.number))
		.limit(PER_STEP);
};

/** Rows with consecutive numbers. */
function runsOf(rows: readonly ChainedRow[]): ChainedRow[][] {
	const runs: ChainedRow[][] = [];
	for (const row of rows) {
		const run = runs.at(-1);
		if (run?.at(-1)?.number === row.number - 1) run.push(row);
		else runs.push([row]);
	}
	return runs;
}

async function segmentOf(
	before: string,
	own: Pick<Segment, 'position' | 'rowsOf' | 'at'>,
	rows: readonly ChainedRow[],
): Promise<Segment> {
	const lines = textOfLines(await Promise.all(rows.map((row) => lineOf(own.rowsOf, row))));
	const segment = { ...own, first: rows[0]?.number ?? 0, last: rows.at(-1)?.number ?? 0, lines };
	return { ...segment, digest: await digestOf(before, segment) };
}
