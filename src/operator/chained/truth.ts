/**
 * The chain as it must be, a page at a time: from the copies that the signer's heads prove, and where there is no copy, from D1,
 * as far as it leads to those heads.
 */
import { and, asc, desc, eq, gte, lt } from 'drizzle-orm';
import type { Db } from '../../platform/d1/database.ts';
import { type Chained, copyOf, newestSegment, type StoredSegment, type Stretch } from './heads.ts';
import { digestOf, type RowsOf, type Segment, TABLES } from './segment.ts';
import { chainedSegments } from './table.ts';

/** Segments, and rows, of a page. */
const PER_PAGE = 200;
const MOST_ROWS = 5_000;

/** `rewritten`: rows and chain together. `copy differs`: the bucket has the segment as it was. */
export interface BentChain {
	readonly what: 'chain changed' | 'copy differs' | 'rewritten' | 'set back' | 'signer set back';
	readonly position: number;
	/** Unix milliseconds: from when on, and until when. */
	readonly since: number;
	readonly until: number;
}

/** A segment that is to be compared with its rows. */
export interface Expected extends Segment {
	/** Unix milliseconds when the segment before was chained; null of the first. */
	readonly before: number | null;
	/** The last number of its table that was chained before. */
	readonly above: number;
}

export interface Page {
	readonly segments: readonly Expected[];
	readonly bent: readonly BentChain[];
	/** Rows whose lines are nowhere. */
	readonly uncompared: number;
	/** The position at which the next page begins; null after the last one. */
	readonly next: number | null;
}

/** @throws what D1, R2 or the signer throws */
export async function pageFrom(chained: Chained, from: number, heads: readonly Stretch[]): Promise<Page> {
	const { db } = chained;
	const [stored, copied, newest] = await Promise.all([
		storedFrom(db, from),
		copiedFrom(chained, from, heads),
		newestSegment(db),
	]);
	const ends = Math.max(newest?.position ?? 0, heads.at(-1)?.position ?? 0);
	const above = await numbersBefore(db, from);
	const read: Reading = { stored, copied, heads, newest, above, segments: [], bent: [], uncompared: 0 };
	let [position, rows] = [from, 0];
	for (; position <= ends && position < from + PER_PAGE && rows < MOST_ROWS; position++) {
		await readOne(read, position);
		const { first = 0, last = -1 } = read.segments.at(-1) ?? {};
		rows += last - first + 1;
	}
	const { segments, bent, uncompared } = read;
	return { segments, bent, uncompared, next: position > ends ? null : position };
}

interface Reading {
	readonly stored: ReadonlyMap<number, StoredSegment>;
	readonly copied: ReadonlyMap<number, Segment>;
	readonly heads: readonly Stretch[];
	readonly newest: StoredSegment | undefined;
	readonly above: Record<RowsOf, number>;
	readonly segments: Expected[];
	readonly bent: BentChain[];
	uncompared: number;
}

async function readOne(read: Reading, position: number): Promise<void> {
	const { stored, copied, heads, newest, above } = read;
	const [own, copy] = [stored.get(position), copied.get(position)];
	const before = copied.get(position - 1) ?? stored.get(position - 1);
	const since = before?.at ?? 0;
	const bend = (what: BentChain['what'], until: number, from = since) =>
		read.bent.push({ what, position, since: from, until });
	const last = heads.at(-1);
	if (position === (newest?.position ?? 0) + 1 && last) bend('set back', last.at * 1000, newest?.at ?? 0);
	const truth = copy ?? own;
	if (!truth) {
		if (newest && position < newest.position) bend('chain changed', since);
		return;
	}
	if (copy && own && copy.digest !== own.digest) bend('copy differs', copy.at);
	const { rowsOf, first, last: end } = truth;
	const { lines } = truth;
	if (lines === null) read.uncompared += end - first + 1;
	else {
		const digest = await digestOf(before?.digest ?? '', { ...truth, lines });
		if (!copy && digest !== truth.digest) bend('chain changed', truth.at);
		read.segments.push({ ...truth, lines, before: before?.at ?? null, above: above[rowsOf] });
	}
	const head = heads.find((one) => one.position === position);
	if (head && head.digest !== truth.digest) bend('rewritten', head.at * 1000, stored.get(head.after.position)?.at);
	above[rowsOf] = Math.max(above[rowsOf], end);
}

/** With the one before. */
async function storedFrom(db: Db, from: number): Promise<ReadonlyMap<number, StoredSegment>> {
	const rows = await db
		.select()
		.from(chainedSegments)
		.where(gte(chainedSegments.position, from - 1))
		.orderBy(asc(chainedSegments.position))
		.limit(PER_PAGE + 1);
	return new Map(rows.map((row) => [row.position, row]));
}

async function copiedFrom({ env }: Chained, from: number, heads: readonly Stretch[]) {
	const wanted = heads.filter(({ position, after }) => position >= from - 1 && after.position < from + PER_PAGE);
	const copied = new Map<number, Segment>();
	for (const stretch of wanted)
		for (const segment of (await copyOf(env.BACKUPS, stretch)) ?? []) copied.set(segment.position, segment);
	return copied;
}

/** The last number of each table that was chained before this position. */
async function numbersBefore(db: Db, from: number): Promise<Record<RowsOf, number>> {
	const found = await Promise.all(
		TABLES.map(async (rowsOf): Promise<[RowsOf, number]> => {
			const [row] = await db
				.select({ last: chainedSegments.last })
				.from(chainedSegments)
				.where(and(eq(chainedSegments.rowsOf, rowsOf), lt(chainedSegments.position, from)))
				.orderBy(desc(chainedSegments.position))
				.limit(1);
			return [rowsOf, row?.last ?? 0];
		}),
	);
	return Object.fromEntries(found) as Record<RowsOf, number>;
}
