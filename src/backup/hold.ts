/**
 * Holds D1 still. Triggers on every table refuse each write that is not the command's own, so that all pages of a backup
 * are of one moment, and a half restore takes no order. `create` answers 10, as in maintenance.
 *
 * Atomic: a hold, its triggers and, of a restore, the deletion of the schema's own triggers are one batch; so is the
 * end. A backup's hold ends by itself after a minute without a step, and the cron drops its triggers then. A restore's
 * hold ends only with the restore. The SQL of the schema's own triggers is kept in its row, under a seal: what anyone else
 * wrote there is not executed.
 */
import { type SealKeys, seal, sealHolds } from '../crypto/seals.ts';
import { databaseOf } from '../platform/d1/database.ts';
import { type Hold, holds } from './table.ts';

/** A backup that takes no step for this long is over. */
const LEASE_MILLISECONDS = 60_000;
/** The end of ECMAScript's time. */
const FOREVER = 8_640_000_000_000_000;
const NAME = 'held ';
const REFUSED = 'refused: maintenance';
/** Tables that are not part of a backup: the signer has the heads of the proofs of solvency, and the rest is of the last hours. */
const OURS_ALONE: ReadonlySet<string> = new Set(['holds', 'd1_migrations', 'solvency_reports', 'solvency_debts']);

export const isBackedUp = (table: string): boolean => !OURS_ALONE.has(table);

interface Trigger {
	readonly name: string;
	readonly sql: string;
}

async function schemaOf(d1: D1Database) {
	const [tables, triggers] = await d1.batch([
		d1.prepare(
			"SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '_cf_*' AND name NOT GLOB 'sqlite_*' ORDER BY name",
		),
		d1.prepare("SELECT name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY rowid"),
	]);
	const all = (triggers?.results ?? []) as Trigger[];
	return {
		tables: ((tables?.results ?? []) as { name: string }[]).map(({ name }) => name).filter(isBackedUp),
		own: all.filter(({ name }) => !name.startsWith(NAME)),
		held: all.filter(({ name }) => name.startsWith(NAME)),
	};
}

const drop = (d1: D1Database, { name }: Pick<Trigger, 'name'>) => d1.prepare(`DROP TRIGGER IF EXISTS "${name}"`);

const heldTriggers = (d1: D1Database, tables: readonly string[]) =>
	tables.flatMap((table) =>
		['INSERT', 'UPDATE', 'DELETE'].map((write) =>
			d1.prepare(
				`CREATE TRIGGER IF NOT EXISTS "${NAME}${table} ${write}" BEFORE ${write} ON "${table}"
				 WHEN (SELECT open = 0 AND until > unixepoch('subsec') * 1000 FROM holds)
				 BEGIN SELECT RAISE(ABORT, '${REFUSED}'); END`,
			),
		),
	);

/**
 * `text`: of an error of D1. Was a write refused because D1 is held? In maintenance an order is refused in the same words,
 * and no command inserts one.
 */
export const isHeld = (text: string): boolean => text.includes(REFUSED);

/** The hold that there is, also one that is over; null where there is none. */
export async function currentHold(d1: D1Database): Promise<Hold | null> {
	const [hold] = await databaseOf({ DB: d1 }).select().from(holds);
	return hold ?? null;
}

/** False where another backup or a restore is under way. */
export async function beginBackupHold(d1: D1Database, backupId: string, now: number): Promise<boolean> {
	const { tables } = await schemaOf(d1);
	const taken = d1
		.prepare(
			`INSERT INTO holds (id, purpose, backup_id, until) VALUES (1, 'backup', ?1, ?2)
			 ON CONFLICT (id) DO UPDATE SET backup_id = ?1, until = ?2, open = 0 WHERE purpose = 'backup' AND until <= ?3`,
		)
		.bind(backupId, now + LEASE_MILLISECONDS, now);
	await d1.batch([taken, ...heldTriggers(d1, tables)]);
	return (await currentHold(d1))?.backupId === backupId;
}

/** False where the hold is over: then rows may have changed since it began, and the backup is worth nothing. */
export async function renewBackupHold(d1: D1Database, backupId: string, now: number): Promise<boolean> {
	const { meta } = await d1
		.prepare("UPDATE holds SET until = ?2 WHERE backup_id = ?1 AND purpose = 'backup' AND until > ?3")
		.bind(backupId, now + LEASE_MILLISECONDS, now)
		.run();
	return meta.changes === 1;
}

/** Until when a backup's hold lasts without another step, Unix milliseconds. */
export const leaseUntil = (now: number): number => now + LEASE_MILLISECONDS;

/** Ends a backup's hold; nothing happens where it is another one's. */
export async function endBackupHold(d1: D1Database, backupId: string): Promise<void> {
	const { held } = await schemaOf(d1);
	if ((await currentHold(d1))?.backupId !== backupId) return;
	await d1.batch([
		d1.prepare("DELETE FROM holds WHERE backup_id = ? AND purpose = 'backup'").bind(backupId),
		...held.map((trigger) => drop(d1, trigger)),
	]);
}

/** For the cron: ends the hold of a backup that was broken off. */
export async function endLostHold(d1: D1Database, now: number): Promise<void> {
	const hold = await currentHold(d1);
	if (hold?.purpose === 'backup' && hold.until <= now) await endBackupHold(d1, hold.backupId);
}

const triggersText = (backupId: string, triggers: readonly string[]): string =>
	JSON.stringify(['held triggers', backupId, triggers]);

/** Are the triggers of a restore's hold those that the schema had? It may have begun with the previous key. */
export const holdIsSealed = ({ backupId, triggers, seal: sealed }: Hold, keys: SealKeys): Promise<boolean> =>
	sealHolds(keys, { text: triggersText(backupId, triggers), at: 0, sealed: sealed ?? '' });

/**
 * Empties every table, and holds D1 until the restore has ended. Takes over from a restore of another backup, which has
 * the schema's triggers, and is sealed.
 */
export async function beginRestoreHold(d1: D1Database, backupId: string, keys: SealKeys): Promise<void> {
	const { tables, own, held } = await schemaOf(d1);
	const before = await currentHold(d1);
	const triggers = before?.purpose === 'restore' ? before.triggers : own.map(({ sql }) => sql);
	const hold = d1
		.prepare(
			"INSERT OR REPLACE INTO holds (id, purpose, backup_id, until, triggers, seal) VALUES (1, 'restore', ?, ?, ?, ?)",
		)
		.bind(backupId, FOREVER, JSON.stringify(triggers), await seal(keys, triggersText(backupId, triggers)));
	await d1.batch([
		...[...own, ...held].map((trigger) => drop(d1, trigger)),
		d1.prepare('PRAGMA defer_foreign_keys = on'),
		...tables.map((table) => d1.prepare(`DELETE FROM "${table}"`)),
		hold,
		...heldTriggers(d1, tables),
	]);
}

/** Writes a piece of the restore and counts it, in one batch: each piece is written once. */
export async function writeHeld(
	d1: D1Database,
	backupId: string,
	piece: number,
	statements: readonly D1PreparedStatement[],
): Promise<void> {
	const opened = d1.prepare('UPDATE holds SET open = 1, next_piece = ?2 WHERE backup_id = ?1 AND next_piece = ?2 - 1');
	await d1.batch([
		opened.bind(backupId, piece + 1),
		...statements,
		d1.prepare('UPDATE holds SET open = 0 WHERE backup_id = ?').bind(backupId),
	]);
}

/**
 * The schema has its own triggers again, and D1 takes writes. Rows that come now have the numbers after the last that were chained.
 * `hold`: sealed.
 */
export async function endRestoreHold(d1: D1Database, hold: Hold): Promise<void> {
	const { held } = await schemaOf(d1);
	await d1.batch([
		...held.map((trigger) => drop(d1, trigger)),
		...hold.triggers.map((sql) => d1.prepare(sql)),
		d1.prepare('DELETE FROM sqlite_sequence'),
		d1.prepare('INSERT INTO sqlite_sequence SELECT rows_of, max(last) FROM chained_segments GROUP BY rows_of'),
		d1.prepare("DELETE FROM holds WHERE backup_id = ? AND purpose = 'restore'").bind(hold.backupId),
	]);
}
