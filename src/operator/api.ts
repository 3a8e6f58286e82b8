/**
 * The operator API: one POST per command, `/operator/v1/<topic>/<verb>`, its input a JSON object, under the bearer
 * token `OPERATOR_TOKEN`, or `OPERATOR_TOKEN_NEXT` while that is replaced. Without the first the API answers 404. Answers are `{ ok: true, data }` or `{ ok: false,
 * error }`; the error is one line for a person.
 */
import { zValidator } from '@hono/zod-validator';
import { drizzle } from 'drizzle-orm/d1';
import { Hono, type MiddlewareHandler } from 'hono';
import { bearerAuth } from 'hono/bearer-auth';
import { HTTPException } from 'hono/http-exception';
import { ConfigurationError } from '../crypto/key-ring.ts';
import { sameDigest, sha256Hex } from '../crypto/tokens.ts';
import type { Env } from '../env.ts';
import { parseJson, readBody } from '../http/body.ts';
import { firstIssue } from '../http/issue.ts';
import { refusalResponse } from '../http/refusal.ts';
import { requestIdOf } from '../http/request-id.ts';
import { log, logError } from '../log.ts';
import { actorOf, type OperatedBy } from './actor.ts';
import { BACKUP_STEPS } from './backup/backup-steps.ts';
import { RESTORE_STEPS } from './backup/restore-steps.ts';
import type { Step } from './backup/step.ts';
import { type Context, isFailure } from './command.ts';
import { RUNS } from './commands/table.ts';
import { withWholeIds } from './names.ts';
import { type Declaration, pathOf, type Topic } from './topic.ts';
import { TOPICS } from './topics/table.ts';

type HonoEnv = {
	Bindings: Env & OperatedBy;
	Variables: { requestId: string; callerAt: number | null; actor: string };
};
/** Its input is the output of its command's schema: the compiler checks that in `RunsOf`. */
type Run = (context: Context, input: never) => Promise<unknown>;

/** A thousand rows of a backup, sealed, are far below this. */
const MAX_STEP_BYTES = 64 * 1024 * 1024;

export function operatorApi(): Hono<HonoEnv> {
	const api = new Hono<HonoEnv>();
	api.use(nameRequest, requireToken);
	for (const [topic, steps] of Object.entries({ backup: BACKUP_STEPS, restore: RESTORE_STEPS })) {
		api.use(`/${topic}/*`, takeStep);
		for (const [name, { input, run }] of Object.entries<Step>(steps))
			mount(api, `${topic}/${name}`, { input, options: {} }, run);
	}
	api.use(readInput);
	for (const [topic, { commands }] of Object.entries<Topic>(TOPICS)) {
		const runs: Readonly<Record<string, Run>> = RUNS[topic as keyof typeof TOPICS];
		for (const [verb, declaration] of Object.entries(commands)) {
			const run = runs[verb];
			if (run) mount(api, pathOf(topic, verb), declaration, run);
		}
	}
	api.all('*', () => answer(404, { ok: false, error: 'the service does not know this command' }));
	api.onError((error, c) => {
		const { requestId } = c.var;
		// The validator's, for a step whose body it cannot read. The token's brings a response.
		if (error instanceof HTTPException && !error.res) return answer(400, { ok: false, error: 'the body is not JSON' });
		if (error instanceof HTTPException) {
			log('operator_refused', { requestId, path: c.req.path });
			return refusalResponse({ kind: 'operator-token-wrong' });
		}
		if (error instanceof ConfigurationError) return answer(503, { ok: false, error: error.message });
		logError('operator_command_failed', error, { requestId, path: c.req.path });
		return answer(500, { ok: false, error: `the service failed; its log has more under request id ${requestId}` });
	});
	return api;
}

function mount(
	api: Hono<HonoEnv>,
	path: string,
	declaration: Pick<Declaration, 'input' | 'options' | 'arguments'>,
	run: Run,
): void {
	const checked = zValidator('json', declaration.input, (result) => {
		if (!result.success) return answer(400, { ok: false, error: firstIssue(result.error.issues) });
	});
	api.post(`/${path}`, checked, async ({ env, req, var: { callerAt, actor } }) => {
		const db = drizzle(env.DB);
		const named = await withWholeIds(db, declaration, req.valid('json'));
		const context = { env, db, now: Date.now(), callerAt, actor, origin: new URL(req.url).origin };
		const data = isFailure(named) ? named : await run(context, named.input as never);
		if (isFailure(data)) return answer(data.failed, { ok: false, error: data.error });
		return answer(200, { ok: true, data });
	});
}

/** Runs before `readInput` replaces the request that has the id, the caller's time and their name. */
const nameRequest: MiddlewareHandler<HonoEnv> = (c, next) => {
	c.set('requestId', requestIdOf(c.req.raw));
	c.set('callerAt', Number(c.req.header('x-caller-time')) || null);
	c.set('actor', actorOf(c.env, c.req.header('x-operator')));
	return next();
};

const requireToken: MiddlewareHandler<HonoEnv> = async (c, next) => {
	const { OPERATOR_TOKEN: token, OPERATOR_TOKEN_NEXT: newer } = c.env;
	if (!token) return refusalResponse({ kind: 'operator-api-off' });
	// Compares digests in constant time, so the time says nothing about the tokens.
	const digests = await Promise.all([token, newer || token].map(sha256Hex));
	const verifyToken = async (given: string) => {
		const digest = await sha256Hex(given);
		return digests.map((of) => sameDigest(digest, of)).includes(true);
	};
	return bearerAuth<HonoEnv>({ verifyToken })(c, next);
};

/**
 * Prepares the body for the validator: at most 16 KiB of JSON, and `{}` where it is empty. The content type is set
 * here, because the validator reads a body of any other type as `{}`, and clients need not send one.
 */
const readInput: MiddlewareHandler<HonoEnv> = async (c, next) => {
	const { method, url } = c.req;
	if (method !== 'POST') return next();
	const { bytes } = await readBody(c.req.raw);
	const body = bytes?.length === 0 ? new TextEncoder().encode('{}') : bytes;
	if (!body || !parseJson(body))
		return answer(400, { ok: false, error: 'the body is not a JSON object of at most 16 KiB' });
	c.req.raw = new Request(url, { method, headers: { 'content-type': 'application/json' }, body });
	return next();
};

/** A piece of a backup is larger than what an operator types. */
const takeStep: MiddlewareHandler<HonoEnv> = (c, next) => {
	const { method, url, body, headers } = c.req.raw;
	if (Number(headers.get('content-length') ?? 0) > MAX_STEP_BYTES)
		return Promise.resolve(answer(413, { ok: false, error: 'the piece is larger than any that was written' }));
	c.req.raw = new Request(url, { method, headers: { 'content-type': 'application/json' }, body });
	return next();
};

type Answered = { readonly ok: true; readonly data: unknown } | { readonly ok: false; readonly error: string };

const answer = (status: number, body: Answered): Response =>
	new Response(JSON.stringify(body), {
		status,
		headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
	});
