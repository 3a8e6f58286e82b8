/**
 * `ledger check` each hour, from the cron, and a note of how the networks are. A difference is compared again some minutes later, because a chain moves
 * during a comparison. The second one in a row is an incident, which `attention` lists.
 */
import { and, eq, lte, sql } from 'drizzle-orm';
import { clearIncidents, pruneIncidents, writeIncident } from '../../incidents/store.ts';
import { log, logError } from '../../platform/log.ts';
import { HOUR_MILLISECONDS, MINUTE_MILLISECONDS } from '../../platform/time.ts';
import { examineAudit } from '../audit.ts';
import { examineHistory, signHistory } from '../chained/hourly.ts';
import type { Context } from '../command.ts';
import { NOT_RUN } from '../commands/compare-wallets.ts';
import { checkLedger } from '../commands/ledger.ts';
import { noteNetworks } from '../history/note.ts';
import { periodicChecks } from './table.ts';

type Comparison = Awaited<ReturnType<typeof checkLedger>>;

/** The periodic check of the books; the incidents that it opens begin with the same word. */
export const BOOKS = 'books';
const UNCHECKED = 'books unchecked';
const AGAIN_MILLISECONDS = 5 * MINUTE_MILLISECONDS;
/** Comparisons in a row that differ before it is an incident. */
const IN_A_ROW = 2;

/**
 * The update takes the hour's turn: of two runs at once the second finds nothing due. The first comparison comes an
 * hour after the first start.
 */
export async function compareBooks(context: Context): Promise<void> {
	const { db, now } = context;
	const dueAt = now + HOUR_MILLISECONDS;
	const isDue = and(eq(periodicChecks.name, BOOKS), lte(periodicChecks.dueAt, now));
	const [taken] = await db.batch([
		db.update(periodicChecks).set({ dueAt }).where(isDue).returning(),
		db.insert(periodicChecks).values({ name: BOOKS, dueAt }).onConflictDoNothing(),
	]);
	const [due] = taken;
	if (!due) return;
	await noteNetworks(context).catch((error) => logError('watchdog_failed', error, { part: 'history' }));
	await examineAudit(context).catch((error) => logError('watchdog_failed', error, { part: 'audit' }));
	await signHistory(context).catch((error) => logError('watchdog_failed', error, { part: 'history head' }));
	await examineHistory(context).catch((error) => logError('watchdog_failed', error, { part: 'history rows' }));
	await pruneIncidents(db, now);
	await compare(context, due.found);
}

async function compare(context: Context, before: number): Promise<void> {
	const { db, now } = context;
	const { differences, unbalanced, kept, unsigned, wallets } = await checkLedger(context, { full: false });
	// No chain moves here, and the next run may ask about others: so one finding is enough.
	const named = unsigned.slice(0, 1).map(({ transaction, what }) => `${transaction}: ${what}`);
	for (const detail of named)
		await writeIncident(db, { kind: 'transaction-unsigned', subject: 'transactions', detail }, now);
	await noteUnchecked(context, wallets);
	if (differences === 0) {
		await db.update(periodicChecks).set({ found: 0 }).where(eq(periodicChecks.name, BOOKS));
		await clearIncidents(db, 'books-differ');
		return;
	}
	const differing = wallets.filter(({ result }) => result === 'differs');
	const found = [
		...differing.map(({ asset, difference }): [string, string] => [asset, `the wallets less the books: ${difference}`]),
		...unbalanced
			.slice(0, 1)
			.map(({ order }): [string, string] => ['orders', `order ${order} does not add up to zero`]),
		...kept.slice(0, 1).map(({ where, what }): [string, string] => ['kept balances', `${where}: ${what}`]),
	];
	log('books_differ', { differences, found: Object.fromEntries(found), unsigned: named });
	await db
		.update(periodicChecks)
		.set({ found: sql`${periodicChecks.found} + 1`, ...(before + 1 < IN_A_ROW && { dueAt: now + AGAIN_MILLISECONDS }) })
		.where(eq(periodicChecks.name, BOOKS));
	if (before + 1 < IN_A_ROW) return;
	for (const [subject, detail] of found) await writeIncident(db, { kind: 'books-differ', subject, detail }, now);
}

/** A wallet that can never be compared is no silence: a stranger may be the cause. */
async function noteUnchecked({ db, now }: Context, wallets: Comparison['wallets']): Promise<void> {
	const unchecked = wallets.filter(({ result, reason }) => result === 'unchecked' && reason !== NOT_RUN);
	if (unchecked.length === 0) {
		await db.delete(periodicChecks).where(eq(periodicChecks.name, UNCHECKED));
		await clearIncidents(db, 'books-unchecked');
		return;
	}
	const [row] = await db
		.insert(periodicChecks)
		.values({ name: UNCHECKED, dueAt: now, found: 1 })
		.onConflictDoUpdate({ target: periodicChecks.name, set: { found: sql`${periodicChecks.found} + 1` } })
		.returning();
	if (!row || row.found < IN_A_ROW) return;
	for (const { asset, reason } of unchecked)
		await writeIncident(db, { kind: 'books-unchecked', subject: asset, detail: `${reason}` }, now);
}
