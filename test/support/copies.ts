/**
 * A long history from a few real orders: copies of them and of all their rows, each with ids and addresses of its own and
 * older than the one before. The triggers of D1 run, so what they keep is right. What it takes is SQL, so that a service's
 * database and a file are filled alike.
 */

/** Runs one statement. */
export type RunSql = (statement: string, ...values: (string | number)[]) => Promise<readonly Record<string, unknown>[]>;

export interface Copied {
	readonly id: string;
	readonly copies: number;
	/** How old the youngest copy is, and how far two of them are apart, milliseconds. */
	readonly age: number;
	readonly apart: number;
}

const OLDER = (column: string): readonly [string, string] => [column, `rows_.${column} - copies.age`];
const WITH_NUMBER = (column: string): readonly [string, string] => [column, `rows_.${column} || copies.suffix`];
const NEXT: readonly [string, string] = ['number', 'NULL'];
const ORDER: readonly [string, string] = ['order_id', 'copies.id'];

/** Tables that have rows of an order: which rows, and what makes a copy differ. Webhooks stay young: the cron deletes old ones. */
const TABLES: readonly (readonly [table: string, ofOrder: string, changes: readonly (readonly [string, string])[]])[] =
	[
		[
			'orders',
			'id = ?',
			[
				['id', 'copies.id'],
				['idempotency_key', 'NULL'],
				WITH_NUMBER('pay_in_address'),
				...['created_at', 'expires_at', 'watch_until', 'updated_at', 'finished_at', 'facts_at'].map(OLDER),
			],
		],
		['order_changes', 'order_id = ?', [NEXT, ORDER, OLDER('at')]],
		[
			'deposits',
			'order_id = ?',
			[ORDER, ...['tx_id', 'address', 'payout_id'].map(WITH_NUMBER), ...['first_seen_at', 'last_seen_at'].map(OLDER)],
		],
		[
			'transactions',
			'order_id = ?1 OR id IN (SELECT one.id FROM transactions AS one JOIN orders AS its ON its.pay_in_address = one.pay_in_address WHERE its.id = ?1)',
			[
				['order_id', 'iif(rows_.order_id IS NULL, NULL, copies.id)'],
				...['id', 'tx_id', 'pay_in_address'].map(WITH_NUMBER),
				...['planned_at', 'signed_at', 'sent_at', 'final_at'].map(OLDER),
			],
		],
		['ledger_entries', 'order_id = ?', [NEXT, ORDER, OLDER('at')]],
		[
			'webhook_events',
			'order_id = ?',
			[ORDER, WITH_NUMBER('id'), WITH_NUMBER('event_id'), ['created_at', 'rows_.created_at - copies.number']],
		],
	];

export async function copyOrder(run: RunSql, { id, copies, age, apart }: Copied): Promise<void> {
	// Ids of copies are as random as those of orders.
	await run(
		'CREATE TABLE copies (number INTEGER PRIMARY KEY, suffix TEXT NOT NULL, id TEXT NOT NULL, age INTEGER NOT NULL)',
	);
	await run(
		`WITH RECURSIVE numbers (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM numbers WHERE value < ${copies})
		INSERT INTO copies SELECT value, '-' || lower(hex(randomblob(8))), lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-' || hex(randomblob(2)) || '-' || hex(randomblob(2)) || '-' || hex(randomblob(6))),
			${age} + value * ${apart} FROM numbers`,
	);
	for (const [table, ofOrder, changes] of TABLES) {
		const columns = (await run(`PRAGMA table_info(${table})`)).map(({ name }) => String(name));
		const changed = new Map(changes);
		const values = columns.map((column) => changed.get(column) ?? `rows_.${column}`);
		await run(
			`INSERT INTO ${table} (${columns.join(', ')}) SELECT ${values.join(', ')}
			FROM copies CROSS JOIN (SELECT * FROM ${table} WHERE ${ofOrder}) AS rows_`,
			id,
		);
	}
	await run('DROP TABLE copies');
}
