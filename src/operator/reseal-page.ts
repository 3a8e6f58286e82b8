/** What sealing rows again has in common for all kinds of rows. */
import { type SQL, sql } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { type KeyNumbers, sealingKey } from '../crypto/key-ring.ts';

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
