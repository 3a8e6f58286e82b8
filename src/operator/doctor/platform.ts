/** The platform's duties to the service: the database's migrations, the queue, the cron. */
import { sql } from 'drizzle-orm';
import { MIGRATIONS } from '../../platform/d1/migrations.ts';
import { objectNamed } from '../../platform/region.ts';
import { isoTime } from '../../platform/time.ts';
import { textOf, verifiedAudit } from '../audit.ts';
import { fine, type Part, type Row, unknown, wrong } from './row.ts';

/** The cron runs each minute, and may miss one. */
const CRON_MILLISECONDS = 180_000;
/** Longest wait for a message to come back; most take a fraction of a second. */
const QUEUE_MILLISECONDS = 15_000;
const QUEUE_PAUSE_MILLISECONDS = 100;
const MIGRATE = 'npx wrangler d1 migrations apply partner-exchange --remote';

export const migrations: Part = async ({ context: { db } }) => {
	const tables = sql`select name from sqlite_master where type = 'table' and name = 'd1_migrations'`;
	const hasTable = (await db.all(tables)).length > 0;
	const rows = hasTable ? await db.all<{ name: string }>(sql`select name from d1_migrations order by name`) : [];
	const applied = new Set(rows.map(({ name }) => name));
	const missing = MIGRATIONS.filter((name) => !applied.has(name));
	if (missing.length > 0) return [wrong('database', 'migrations', `not applied: ${missing.join(', ')}`, MIGRATE)];
	const newer = [...applied].filter((name) => !MIGRATIONS.includes(name));
	if (newer.length === 0) return [fine('database', 'migrations', `all ${MIGRATIONS.length} are applied`)];
	const detail = `the database has migrations that this code does not know: ${newer.join(', ')}`;
	return [wrong('database', 'migrations', detail, 'deploy the newer code: npx exchange deploy')];
};

/** The newest lines too: they are chained first. */
export const auditLog: Part = async ({ context }) => {
	const found = await verifiedAudit(context);
	if (!found)
		return [unknown('database', 'audit log', 'a backup or a restore is under way', 'run doctor again afterwards')];
	if (found.wrong > 0)
		return [wrong('database', 'audit log', textOf(found), 'audit verify says which; then do what attention says')];
	return [fine('database', 'audit log', `${found.lines} lines, none missing or changed`)];
};

/**
 * Sends one message and waits until the consumer has seen it. That costs three operations of the queue when the doctor is
 * asked, and nothing otherwise.
 */
export const queue: Part = async ({ context: { env } }) => {
	const eventId = crypto.randomUUID();
	const started = Date.now();
	await env.WEBHOOKS.send({ eventId, probe: true });
	while (Date.now() - started < QUEUE_MILLISECONDS) {
		const { probes } = await objectNamed(env, env.RATE_BOOK, 'book').vitals();
		if (probes.includes(eventId))
			return [fine('queue', 'webhooks', `a message came back after ${Date.now() - started} ms`)];
		await new Promise((wait) => setTimeout(wait, QUEUE_PAUSE_MILLISECONDS));
	}
	const detail = `a message has not come back within ${QUEUE_MILLISECONDS / 1000} s; webhooks wait for the cron's minute`;
	return [wrong('queue', 'webhooks', detail, 'npx wrangler queues info partner-exchange-webhooks: has it a consumer?')];
};

export const cron: Part = async ({ context: { env, now, deployment } }) => {
	const { cronAt } = await objectNamed(env, env.RATE_BOOK, 'book').vitals();
	const operators = deployment ? [cronRow('operator Worker', deployment.api.cronAt, now)] : [];
	return [cronRow('API', cronAt, now), ...operators];
};

const NOT_YET =
	'run doctor again: a new cron begins within 15 minutes; wrangler dev has none: curl URL/cdn-cgi/handler/scheduled';

function cronRow(who: string, cronAt: number | null, now: number): Row {
	if (cronAt === null) return unknown('cron', who, 'it has not run yet', NOT_YET);
	const seconds = Math.max(0, Math.floor((now - cronAt) / 1000));
	if (now - cronAt <= CRON_MILLISECONDS) return fine('cron', who, `it ran ${seconds} s ago`);
	const todo = 'see Settings, Trigger Events of the Worker in the dashboard; its deployment sets the cron again';
	return wrong('cron', who, `it last ran at ${isoTime(cronAt)}`, todo);
}
