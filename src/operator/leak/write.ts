/** Stores new seals: many rows in one statement, each only where it still has the seal that was read. */
import { sql } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import type { Change } from './row.ts';

const PER_STATEMENT = 500;

export interface Place {
	readonly table: string;
	/** The columns of the row's id and of its seal. */
	readonly key: string;
	readonly seal: string;
}

/** Atomic: each statement. A crash between them leaves rows with the older seal, which are listed again. */
export async function writeSeals(db: DrizzleD1Database, place: Place, changes: readonly Change[]): Promise<void> {
	const [table, key, seal] = [place.table, place.key, place.seal].map((name) => sql.identifier(name));
	for (let start = 0; start < changes.length; start += PER_STATEMENT) {
		const list = changes.slice(start, start + PER_STATEMENT).map(({ id, before, seal: next }) => [id, before, next]);
		await db.run(
			sql`update ${table} set ${seal} = value ->> 2 from json_each(${JSON.stringify(list)})
				where ${table}.${key} = value ->> 0 and ${table}.${seal} = value ->> 1`,
		);
	}
}
