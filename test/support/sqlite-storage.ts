/** The storage of a Durable Object as far as journals use it, on an SQLite of its own in memory. */
import { DatabaseSync } from 'node:sqlite';

export function sqliteStorage(): DurableObjectStorage {
	const database = new DatabaseSync(':memory:');
	const exec = (query: string, ...values: (string | number)[]) => {
		// Several statements at once take no values.
		if (values.length === 0 && query.includes(';')) {
			database.exec(query);
			return cursorOf([]);
		}
		return cursorOf(database.prepare(query).all(...values));
	};
	const values = new Map<string, unknown>();
	return {
		sql: { exec, databaseSize: 0 },
		kv: {
			get: (key: string) => structuredClone(values.get(key)),
			put: (key: string, value: unknown) => void values.set(key, structuredClone(value)),
			delete: (key: string) => values.delete(key),
			list: ({ prefix = '' } = {}) => [...values].filter(([key]) => key.startsWith(prefix)),
		},
		transactionSync<T>(run: () => T): T {
			database.exec('SAVEPOINT turn');
			try {
				return run();
			} catch (error) {
				database.exec('ROLLBACK TO turn');
				throw error;
			} finally {
				database.exec('RELEASE turn');
			}
		},
	} as unknown as DurableObjectStorage;
}

const cursorOf = (rows: unknown[]) => ({
	toArray: () => rows,
	one: () => rows[0],
	next: () => ({ done: rows.length === 0, value: rows[0] }),
	[Symbol.iterator]: () => rows[Symbol.iterator](),
});
