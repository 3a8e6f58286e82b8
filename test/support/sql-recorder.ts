/**
 * Records every statement that the Workers prepare for D1, once each, through their log; and for each the most rows
 * that one execution has read, a line whenever that is more than before.
 */
import { eventually, type TestService } from './service.ts';

/** Runs in each Worker before its own code. Its objects share the isolate, so it sees their statements too. */
export const SQL_RECORDER = `
import { env as recordedEnv } from 'cloudflare:workers';
{
	const seen = new Set();
	const record = (owner) => {
		const prototype = Object.getPrototypeOf(owner);
		const { prepare } = prototype;
		prototype.prepare = function (statement) {
			if (!seen.has(statement)) console.log(JSON.stringify({ event: 'statement', statement }));
			seen.add(statement);
			return prepare.call(this, statement);
		};
	};
	record(recordedEnv.DB);
	record(recordedEnv.DB.withSession());
	const most = new Map();
	const prototype = Object.getPrototypeOf(recordedEnv.DB.withSession());
	// Every query, alone or in a batch, passes here.
	const { _sendOrThrow } = prototype;
	prototype._sendOrThrow = async function (endpoint, query, ...rest) {
		const answers = await _sendOrThrow.call(this, endpoint, query, ...rest);
		const statements = [query].flat();
		[answers].flat().forEach(({ meta }, i) => {
			const statement = statements[i];
			const rows = meta?.rows_read ?? 0;
			if (rows <= (most.get(statement) ?? -1)) return;
			most.set(statement, rows);
			console.log(JSON.stringify({ event: 'rows read', statement, rows }));
		});
		return answers;
	};
}
`;

/** What was recorded, once the log has it all: it is written a moment after the statement. */
export async function recordedStatements(service: TestService): Promise<string[]> {
	const lines = await restedLines(service, 'statement');
	return [...new Set(lines.map(({ statement }) => String(statement)))];
}

/** The most rows that one execution of each statement has read so far. */
export async function recordedRows(service: TestService): Promise<Map<string, number>> {
	const most = new Map<string, number>();
	for (const { statement, rows } of await restedLines(service, 'rows read'))
		most.set(String(statement), Math.max(Number(rows), most.get(String(statement)) ?? 0));
	return most;
}

async function restedLines(service: TestService, event: string): Promise<Record<string, unknown>[]> {
	let before = -1;
	let lines: Record<string, unknown>[] = [];
	await eventually('the log to rest', async () => {
		lines = service.logged(event);
		const rests = lines.length === before;
		before = lines.length;
		await new Promise((wait) => setTimeout(wait, 100));
		return rests;
	});
	return lines;
}
