/** Records every statement that the two Workers prepare for D1, once each, through their log. */
import { eventually, type TestService } from './service.ts';

/** Runs in both Workers before their own code. Their objects share its isolate, so it sees their statements too. */
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
}
`;

/** What was recorded, once the log has it all: it is written a moment after the statement. */
export async function recordedStatements(service: TestService): Promise<string[]> {
	let before = -1;
	const logged = () => service.logged('statement').map(({ statement }) => String(statement));
	await eventually('the log to rest', async () => {
		const count = logged().length;
		const rests = count === before;
		before = count;
		await new Promise((wait) => setTimeout(wait, 100));
		return rests;
	});
	return [...new Set(logged())];
}
