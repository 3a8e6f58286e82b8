/**
 * A database in memory, from dumps of whom one does not trust. Their rows go into this version's own tables: what else they
 * say is not done. So no dump makes a second row of one number, a view in the place of a table, or a file on this machine.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { constants, DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { type Db, databaseOf } from '../../platform/d1/database.ts';
import { ServiceError } from './service.ts';

const MIGRATIONS = join(import.meta.dirname, '../../../migrations');
const FILE = /\.sql$/;
/** `ATTACH` is refused and not passed over: `VACUUM INTO` relies on it. */
const { SQLITE_ATTACH, SQLITE_DENY, SQLITE_IGNORE, SQLITE_OK } = constants;
const DONE: ReadonlySet<number> = new Set([
	constants.SQLITE_INSERT,
	constants.SQLITE_DELETE,
	constants.SQLITE_SELECT,
	constants.SQLITE_READ,
	constants.SQLITE_FUNCTION,
	constants.SQLITE_TRANSACTION,
]);

/** A database with the rows of all `.sql` files of the folder. @throws ServiceError where there is none, or one cannot be read */
export function databaseIn(folder: string): { readonly sqlite: DatabaseSync; readonly db: Db } {
	const dumps = namesIn(folder);
	if (dumps.length === 0) throw new ServiceError(`${folder} has no dump of the database: a file that ends in .sql`);
	const sqlite = new DatabaseSync(':memory:', { enableForeignKeyConstraints: false });
	for (const name of namesIn(MIGRATIONS)) sqlite.exec(readFileSync(join(MIGRATIONS, name), 'utf8'));
	sqlite.exec('CREATE TABLE d1_migrations (id INTEGER PRIMARY KEY, name TEXT, applied_at TEXT)');
	const indexes = withoutMore(sqlite);
	sqlite.setAuthorizer((action) => {
		if (action === SQLITE_ATTACH) return SQLITE_DENY;
		return DONE.has(action) ? SQLITE_OK : SQLITE_IGNORE;
	});
	for (const name of dumps) {
		try {
			sqlite.exec(readFileSync(join(folder, name), 'utf8'));
		} catch (error) {
			throw new ServiceError(`${name} is no dump of a database of this version: ${(error as Error).message}`);
		}
	}
	sqlite.setAuthorizer(null);
	for (const sql of indexes) sqlite.exec(sql);
	return { sqlite, db: databaseOf({ DB: readerOf(sqlite) }) };
}

const namesIn = (folder: string): string[] =>
	readdirSync(folder)
		.filter((name) => FILE.test(name))
		.sort();

/** Triggers would keep what the dump has as well, and its indexes have the names of ours. Returns the latter. */
function withoutMore(sqlite: DatabaseSync): string[] {
	const all = sqlite
		.prepare("SELECT type, name, sql FROM sqlite_schema WHERE type IN ('index', 'trigger') AND sql IS NOT NULL")
		.all() as { type: string; name: string; sql: string }[];
	for (const { type, name } of all) sqlite.exec(`DROP ${type} IF EXISTS "${name}"`);
	return all.filter(({ type }) => type === 'index').map(({ sql }) => sql);
}

/** It answers queries as D1 does. */
function readerOf(sqlite: DatabaseSync): D1Database {
	const statement = (query: string, values: readonly SQLInputValue[] = []) => ({
		bind: (...bound: SQLInputValue[]) => statement(query, bound),
		all: async () => ({ results: sqlite.prepare(query).all(...values) }),
		async raw() {
			const prepared = sqlite.prepare(query);
			prepared.setReturnArrays(true);
			return prepared.all(...values);
		},
	});
	return { prepare: statement } as unknown as D1Database;
}
