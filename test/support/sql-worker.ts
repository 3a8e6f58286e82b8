/**
 * A service's D1 for its test: a Worker beside the service's own, on a socket of its own. Miniflare's way to a database
 * takes three requests, for two of which the test's thread stands still, and a thread for each service: five times as
 * much.
 */
import { DATABASE_ID } from '../../src/local/workers.ts';

interface Asked {
	readonly query: string;
	readonly values: readonly unknown[];
}

const SCRIPT = `export default {
	async fetch(request, { DB }) {
		const { method, asked } = await request.json();
		try {
			const statements = asked.map(({ query, values }) => DB.prepare(query).bind(...values));
			return Response.json({ answer: method === 'batch' ? await DB.batch(statements) : await statements[0][method]() });
		} catch ({ message }) {
			return Response.json({ error: message });
		}
	},
};`;

export const sqlWorker = (port: number) => ({
	name: 'partner-exchange-sql',
	modules: true as const,
	script: SCRIPT,
	compatibilityDate: '2026-11-01',
	d1Databases: { DB: DATABASE_ID },
	unsafeDirectSockets: [{ host: '127.0.0.1', port }],
	bindings: {},
});

/** What Drizzle asks of a database. Values and results are those that JSON has. */
export function databaseAt(port: number): D1Database {
	/** @throws Error with what D1 says of the statement */
	async function ask(method: string, asked: readonly Asked[]): Promise<unknown> {
		const body = JSON.stringify({ method, asked });
		const response = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body });
		const given = (await response.json()) as { readonly answer: unknown } | { readonly error: string };
		if ('error' in given) throw new Error(given.error);
		return given.answer;
	}
	const statementOf = (asked: Asked) => ({
		asked,
		bind: (...values: unknown[]) => statementOf({ ...asked, values }),
		all: () => ask('all', [asked]),
		raw: () => ask('raw', [asked]),
		run: () => ask('run', [asked]),
	});
	return {
		prepare: (query: string) => statementOf({ query, values: [] }),
		batch: (statements: readonly { readonly asked: Asked }[]) =>
			ask(
				'batch',
				statements.map(({ asked }) => asked),
			),
	} as unknown as D1Database;
}
