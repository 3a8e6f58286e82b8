/** Shared by all kinds of rows that are sealed again. */
import { count, type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import { type KeyNumbers, sealingKey } from '../crypto/key-ring.ts';
import type { SealClaim } from '../crypto/seals.ts';
import type { Context } from './command.ts';
import { type Place, writeSeals } from './leak/row.ts';

/** Rows that are read and sealed at once. */
export const PAGE = 200;

export interface Resealed {
	/** Rows that now have the current key's seal. */
	readonly resealed: number;
	/** Ids of rows whose seal does not match. */
	readonly broken: readonly string[];
}

export interface Page extends Resealed {
	/** Id of the last row that was read; null where there was none. */
	readonly last: string | null;
}

/** Sealed with another key than the one that seals now: a seal begins with its key's number. */
export const isOld = (seal: SQLiteColumn, keys: KeyNumbers): SQL => {
	const prefix = `${sealingKey(keys, Date.now()).number}.`;
	return sql`substr(${seal}, 1, ${sql.raw(String(prefix.length))}) <> ${prefix}`;
};

export async function rowCount(db: Context['db'], table: SQLiteTable, where: SQL | undefined): Promise<number> {
	const [row] = await db.select({ rows: count() }).from(table).where(where);
	return row?.rows ?? 0;
}

interface Claimed {
	readonly id: string | number;
	/** Null where the row has no seal that it could have. */
	readonly claim: SealClaim | null;
}

/** Atomic: as `writeSeals`. */
export async function resealRows({ db, env }: Context, place: Place, rows: readonly Claimed[]): Promise<Page> {
	const keys = env.askedKeys();
	const seals = await Promise.all(rows.map(({ claim }) => claim && keys.asker.resealed(claim)));
	const changes = rows.flatMap(({ id, claim }, i) => {
		const seal = seals[i];
		return claim && seal ? [{ id, before: claim.sealed, seal }] : [];
	});
	await writeSeals(db, place, changes);
	const broken = rows.filter((_, i) => !seals[i]).map(({ id }) => String(id));
	return { resealed: changes.length, broken, last: rows.at(-1)?.id.toString() ?? null };
}
