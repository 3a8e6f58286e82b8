/**
 * Node's SQLite behind the interface of D1, in memory and migrated: for tests that read and write thousands of rows, or
 * ask for the plan of a query. Like D1 it binds numbers as floats, refuses more than 100 parameters, and a batch is one
 * transaction.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { MIGRATIONS_DIRECTORY } from '../../src/local/workers.ts';

export interface SqliteD1 {
	readonly sqlite: DatabaseSync;
	readonly d1: D1Database;
	run(statement: string, ...values: SQLInputValue[]): Record<string, unknown>[];
}

interface Bound {
	readonly statement: string;
	readonly values: readonly SQLInputValue[];
}

const MOST_PARAMETERS = 100;

export function migrate(sqlite: DatabaseSync): void {
	const names = readdirSync(MIGRATIONS_DIRECTORY).filter((name) => name.endsWith('.sql'));
	for (const name of names.sort()) sqlite.exec(readFileSync(join(MIGRATIONS_DIRECTORY, name), 'utf8'));
}

export function sqliteD1(): SqliteD1 {
	const sqlite = new DatabaseSync(':memory:');
	// As the platform keeps it.
	sqlite.exec('CREATE TABLE d1_migrations (id INTEGER PRIMARY KEY, name TEXT UNIQUE, applied_at TIMESTAMP)');
	migrate(sqlite);
	const rowsOf = ({ statement, values }: Bound) => sqlite.prepare(statement).all(...values);
	const resultOf = (bound: Bound) => {
		const results = rowsOf(bound);
		const [row] = sqlite.prepare('SELECT changes() AS changes').all();
		return { results, success: true, meta: { changes: row?.['changes'] } };
	};
	const prepared = (bound: Bound) => ({
		...bound,
		bind(...values: SQLInputValue[]) {
			if (values.length > MOST_PARAMETERS) throw new Error(`D1 would refuse ${values.length} parameters`);
			return prepared({ ...bound, values });
		},
		all: async () => resultOf(bound),
		run: async () => resultOf(bound),
		raw: async () => rowsOf(bound).map(Object.values),
	});
	const d1 = {
		prepare: (statement: string) => prepared({ statement, values: [] }),
		async batch(statements: readonly Bound[]) {
			sqlite.exec('BEGIN');
			try {
				const results = statements.map(resultOf);
				sqlite.exec('COMMIT');
				return results;
			} catch (error) {
				sqlite.exec('ROLLBACK');
				throw error;
			}
		},
	} as unknown as D1Database;
	return { sqlite, d1, run: (statement, ...values) => rowsOf({ statement, values }) };
}
