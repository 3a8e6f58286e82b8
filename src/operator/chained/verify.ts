/** Is the history as it was chained and signed? The first row that is not is named in one sentence. */
import { and, asc, eq, gte, lte, sql } from 'drizzle-orm';
import { auditLog } from '../../audit/table.ts';
import type { Db } from '../../platform/d1/database.ts';
import { HOUR_MILLISECONDS, isoTime, isoTimeOrNull, MINUTE_MILLISECONDS } from '../../platform/time.ts';
import type { SignedHead } from '../../ports/heads.ts';
import type { Context } from '../command.ts';
import { type BentRow, bentRows } from './compare.ts';
import { allHeads, newestSegment, type Stretch, segmentAt, stretchesOf } from './heads.ts';
import { forgottenHead } from './mirrored.ts';
import { CHAINED, type RowsOf, TABLES } from './segment.ts';
import { chainedSegments } from './table.ts';
import { type BentChain, pageFrom } from './truth.ts';

const MOST_PAGES = 8;
/** Findings of one call that are told. */
const MOST_FOUND = 100;
/** A row that stands unchained for so long is told: the job stands still. */
const LATE_MILLISECONDS = 10 * MINUTE_MILLISECONDS;
/** The same of a segment without a signed head: two hours have passed. */
const UNSIGNED_MILLISECONDS = 2 * HOUR_MILLISECONDS;
export const ACCEPTED = 'history accept';

type Bent = BentRow | BentChain;
type Means = Pick<Context, 'env' | 'db' | 'now'>;

const isRow = (bent: Bent): bent is BentRow => 'rowsOf' in bent;

/** By which a person accepts it. */
const keyOf = (bent: Bent): string =>
	isRow(bent) ? `${bent.what} ${bent.rowsOf} ${bent.number}` : `${bent.what} ${bent.position}`;

/** One sentence for a person; a row is named by its table, number, name and time. */
export function sentenceOf(bent: Bent): string {
	if (isRow(bent)) {
		const { what, rowsOf, number, name, at } = bent;
		const row = `row ${number} of ${rowsOf}`;
		if (name === '') return `${row} was removed before it was chained, at ${isoTime(at)}`;
		const named = `${row} (${name}, of ${isoTime(at)})`;
		return what === 'inserted' ? `${named} was inserted later than its time says` : `${named} was ${what}`;
	}
	const { what, position, since, until } = bent;
	if (what === 'set back')
		return `the database was set back: its history ends at ${isoTime(since)}, and the signer has seen more of it`;
	if (what === 'rewritten')
		return `rows and chain were changed together: what was chained from ${isoTime(since)} to ${isoTime(until)} is not what the signer has seen`;
	if (what === 'signer set back')
		return `the signer’s journal was set back, alone or with the database: the bucket has a head of ${isoTime(until)} that it has signed and does not know`;
	return `segment ${position} of the chain, of ${isoTime(until)}, was changed or removed`;
}

/**
 * From this segment on, as far as one call goes. `asksSigner`: does it compare the signer's heads with the bucket's too?
 * @throws what D1, R2 or the signer throws
 */
export async function verifyHistory(means: Means, from: number, asksSigner = from === 1) {
	const signed = await allHeads(means.env.SIGNER);
	const heads = stretchesOf(signed);
	const accepted = await acceptedKeys(means.db, heads);
	const found: Bent[] = [];
	let [segments, rows, uncompared, accepts] = [0, 0, 0, 0];
	const tell = (bent: readonly Bent[]) => {
		const open = bent.filter((one) => !accepted.has(keyOf(one)));
		accepts += bent.length - open.length;
		found.push(...open);
	};
	if (asksSigner) tell(await forgotten(means, signed));
	let next: number | null = from;
	for (let pages = 0; next !== null && pages < MOST_PAGES && found.length < MOST_FOUND; pages++) {
		const page = await pageFrom(means, next, heads);
		tell(inOrder([...page.bent, ...(await bentRows(means, page.segments))]));
		segments += page.segments.length;
		rows += page.segments.reduce((sum, { first, last }) => sum + last - first + 1, 0);
		uncompared += page.uncompared;
		next = page.next;
	}
	if (next === null && !found.some(({ what }) => what === 'set back' || what === 'rewritten'))
		found.push(...(await unmarked(means, heads.at(-1))));
	const { unchained, oldest } = await unchainedRows(means.db);
	return {
		wrong: found.length,
		first: found[0] ? sentenceOf(found[0]) : null,
		accepted: accepts,
		segments,
		rows,
		uncompared,
		unchained,
		late: (await isLate(means, oldest, heads.at(-1))) ? 1 : 0,
		chainedUntil: isoTimeOrNull((await newestSegment(means.db))?.at ?? null),
		signedUntil: isoTimeOrNull(heads.length > 0 ? (heads.at(-1)?.at ?? 0) * 1000 : null),
		left: next ?? 0,
		next: next === null ? 'nothing to do' : `run history verify --from ${next}: the rest of the chain`,
		found: found.map((bent) => ({ what: keyOf(bent), sentence: sentenceOf(bent) })),
	};
}

/** The signer's own: the bucket remembers more than its journal. */
async function forgotten({ env }: Means, signed: readonly SignedHead[]): Promise<BentChain[]> {
	const head = await forgottenHead(env, signed);
	if (!head) return [];
	return [{ what: 'signer set back', position: head.position, since: 0, until: head.at * 1000 }];
}

/** The bend since the last head, as what the signer remembers of the last minute shows it. */
async function unmarked({ env, db, now }: Means, head: Stretch | undefined): Promise<BentChain[]> {
	const marked = await env.SIGNER.markHead('history', []);
	const own = marked && (await segmentAt(db, marked.position));
	if (!marked || own?.digest === marked.digest) return [];
	const { position } = marked;
	if (own) return [{ what: 'rewritten', position, since: (head?.at ?? 0) * 1000, until: now }];
	return [{ what: 'set back', position, since: (await newestSegment(db))?.at ?? 0, until: now }];
}

export type Verified = Awaited<ReturnType<typeof verifyHistory>>;

/**
 * The order in which findings are told: rows of a chain that was set back or rewritten say less than that it was, and those of a
 * copied chain say more than D1's own.
 */
const WEIGHTS: { readonly [What in Bent['what']]: number } = {
	'signer set back': 0,
	'set back': 0,
	rewritten: 1,
	'chain changed': 2,
	changed: 2,
	removed: 2,
	inserted: 2,
	'copy differs': 3,
};

const inOrder = (found: readonly Bent[]): Bent[] =>
	found.toSorted((a, b) => WEIGHTS[a.what] - WEIGHTS[b.what] || a.position - b.position);

/**
 * The findings that persons have accepted. The line of the audit log alone proves nothing, because who writes D1 writes lines: it counts
 * where the signer signed the head after it as one that a person stands for.
 */
async function acceptedKeys(db: Db, heads: readonly Stretch[]): Promise<ReadonlySet<string>> {
	const stood = heads.filter(({ isAccepted }) => isAccepted);
	if (stood.length === 0) return new Set();
	const lines = await db
		.select({ changes: auditLog.changes, position: chainedSegments.position })
		.from(auditLog)
		.innerJoin(
			chainedSegments,
			and(
				eq(chainedSegments.rowsOf, 'audit_log'),
				lte(chainedSegments.first, auditLog.number),
				gte(chainedSegments.last, auditLog.number),
			),
		)
		.where(eq(auditLog.command, ACCEPTED));
	const counting = lines.filter(({ position }) =>
		stood.some((head) => head.after.position < position && position <= head.position),
	);
	return new Set(counting.flatMap(({ changes }) => (changes as { found?: string[] }).found ?? []));
}

/** Does a row stand unchained, or a segment without a signed head, for longer than the cron takes? */
async function isLate({ db, now }: Means, oldest: number | null, head: Stretch | undefined): Promise<boolean> {
	const unsigned = await segmentAt(db, (head?.position ?? 0) + 1);
	return (
		(oldest !== null && oldest < now - LATE_MILLISECONDS) ||
		(unsigned !== undefined && unsigned.at < now - UNSIGNED_MILLISECONDS)
	);
}

/** How many rows wait for the next minute, and the time of the oldest, Unix milliseconds. */
async function unchainedRows(db: Db): Promise<{ unchained: number; oldest: number | null }> {
	const waiting = await Promise.all(TABLES.map((rowsOf) => unchainedOf(db, rowsOf)));
	const times = waiting.flatMap(({ oldest }) => oldest ?? []);
	return {
		unchained: waiting.reduce((sum, { count }) => sum + count, 0),
		oldest: times.length > 0 ? Math.min(...times) : null,
	};
}

async function unchainedOf(db: Db, rowsOf: RowsOf) {
	const table = CHAINED[rowsOf] as (typeof CHAINED)[RowsOf];
	const chained = sql`coalesce((select last from chained_segments where rows_of = ${rowsOf} order by position desc limit 1), 0)`;
	const isNew = sql`${table.number} > ${chained}`;
	const rows = await db.select({ at: table.at }).from(table).where(isNew).orderBy(asc(table.number)).limit(MOST_FOUND);
	return { count: rows.length, oldest: rows[0]?.at ?? null };
}
