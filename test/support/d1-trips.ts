/** Counts how often D1 is asked: each batch, and each statement by itself. */
export function countedDatabase(database: D1Database): { readonly database: D1Database; readonly asked: () => number } {
	let times = 0;
	const asStatement = new WeakMap<object, D1PreparedStatement>();
	const counted = (statement: D1PreparedStatement): D1PreparedStatement => {
		const asking = <T>(ask: () => T): T => {
			times++;
			return ask();
		};
		const own = {
			bind: (...values: unknown[]) => counted(statement.bind(...values)),
			all: () => asking(() => statement.all()),
			run: () => asking(() => statement.run()),
			raw: () => asking(() => statement.raw()),
		} as unknown as D1PreparedStatement;
		asStatement.set(own, statement);
		return own;
	};
	const own = {
		prepare: (query: string) => counted(database.prepare(query)),
		batch: (statements: D1PreparedStatement[]) => {
			times++;
			return database.batch(statements.map((each) => asStatement.get(each) ?? each));
		},
	};
	return { database: own as unknown as D1Database, asked: () => times };
}
