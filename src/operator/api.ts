/**
 * The operator API: one POST per command, `/operator/v1/<topic>/<verb>`, its input a JSON object. Answers are `{ ok: true,
 * data }` or `{ ok: false, error }`; the error is one line for a person. The API Worker has checked the token
 * (`src/api/operate.ts`).
 */
import { zValidator } from '@hono/zod-validator';
import type { MiddlewareHandler } from 'hono';
import { HTTPException } from 'hono/http-exception';
import { Hono } from 'hono/tiny';
import { isHeld } from '../backup/hold.ts';
import { ConfigurationError } from '../crypto/key-ring.ts';
import { parseJson, readBody } from '../http/body.ts';
import type { Role } from '../partners/partner.ts';
import { databaseOf } from '../platform/d1/database.ts';
import { errorText } from '../platform/d1/error-text.ts';
import { firstIssue } from '../platform/issue.ts';
import { logError } from '../platform/log.ts';
import { inSpan } from '../platform/span.ts';
import type { CallFacts } from '../ports/operator.ts';
import type { AskedPersons, Confirmation } from '../ports/persons.ts';
import { refusalText } from '../treasury/signer-refusal.ts';
import { actorOf } from './actor.ts';
import { followAudit } from './audit.ts';
import { BACKUP_STEPS } from './backup/backup-steps.ts';
import { RESTORE_STEPS } from './backup/restore-steps.ts';
import type { Step } from './backup/step.ts';
import { type Context, type Deployment, isFailure } from './command.ts';
import { RUNS } from './commands/table.ts';
import type { OperatorEnv } from './env.ts';
import { withWholeIds } from './names.ts';
import { readConfirmation } from './persons.ts';
import { mayRun } from './roles.ts';
import { type Declaration, pathOf, type Topic } from './topic.ts';
import { TOPICS } from './topics/table.ts';

/** A call, as its headers and the API Worker say it. They are read first: `readInput` makes another request. */
interface OperatorCall {
	readonly requestId: string;
	readonly actor: string;
	readonly role: Role;
	readonly callerAt: number | null;
	readonly deployment: Deployment;
}

type HonoEnv = {
	Bindings: OperatorEnv & { readonly call: OperatorCall };
	Variables: { confirmation: Confirmation | undefined };
};
/** Its input is the output of its command's schema: the compiler checks that in `RunsOf`. */
type Run = (context: Context, input: never) => Promise<unknown>;

const HELD = 'a backup or a restore holds the database still: run the command again when it is over';
/** A thousand rows of a backup, sealed, are far below this. */
const MAX_STEP_BYTES = 64 * 1024 * 1024;

type OperatorApi = (
	request: Request,
	env: OperatorEnv,
	facts: CallFacts,
	deployment: Deployment,
) => Response | Promise<Response>;

export function createOperatorApi(): OperatorApi {
	const api = createRouter();
	return (request, env, { requestId, by, role }, deployment) => {
		const { headers } = request;
		const callerAt = Number(headers.get('x-caller-time')) || null;
		const call = { requestId, actor: actorOf(by, headers.get('x-operator')), role, callerAt, deployment };
		return api.fetch(request, { ...env, call });
	};
}

function createRouter(): Hono<HonoEnv> {
	const api = new Hono<HonoEnv>().basePath('/operator/v1') as Hono<HonoEnv>;
	for (const [topic, steps] of Object.entries({ backup: BACKUP_STEPS, restore: RESTORE_STEPS })) {
		api.use(`/${topic}/*`, takeStep);
		for (const [name, { input, run }] of Object.entries<Step>(steps))
			mount(api, `${topic}/${name}`, { input, arguments: {}, options: {}, reads: true }, run);
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
		const { requestId } = c.env.call;
		// The validator's, for a step whose body it cannot read.
		if (error instanceof HTTPException) return answer(400, { ok: false, error: 'the body is not JSON' });
		if (error instanceof ConfigurationError) return answer(503, { ok: false, error: error.message });
		if (isHeld(errorText(error))) return answer(503, { ok: false, error: HELD });
		logError('operator_command_failed', error, { requestId, path: c.req.path });
		return answer(500, {
			ok: false,
			error: `the service failed; the operator Worker's log has more under request id ${requestId}`,
		});
	});
	return api;
}

function mount(
	api: Hono<HonoEnv>,
	path: string,
	declaration: Pick<Declaration, 'input' | 'options' | 'arguments' | 'reads'>,
	run: Run,
): void {
	const checked = zValidator('json', declaration.input, (result) => {
		if (!result.success) return answer(400, { ok: false, error: firstIssue(result.error.issues) });
	});
	api.post(`/${path}`, checked, async ({ env, req, get }) => {
		if (!mayRun(env.call.role, path, declaration.reads === true)) return notAllowed(env.call.role);
		const db = databaseOf(env);
		const named = await withWholeIds(db, declaration, req.valid('json'));
		const { requestId: _, role: __, ...caller } = env.call;
		const origin = new URL(req.url).origin;
		const confirmation = get('confirmation');
		const context = { env, db, now: Date.now(), ...caller, origin, confirmation };
		const data = isFailure(named) ? named : await inSpan('command', () => run(context, named.input as never), path);
		if (!declaration.reads) await followAudit(env);
		if (isFailure(data)) {
			const { failed, error, asks } = data;
			return answer(failed, { ok: false, error, ...(asks && { asks }) });
		}
		return answer(200, { ok: true, data });
	});
}

/**
 * Prepares the body for the validator: at most 16 KiB of JSON, and `{}` where it is empty. The content type is set
 * here, because the validator reads a body of any other type as `{}`, and clients need not send one.
 */
const readInput: MiddlewareHandler<HonoEnv> = async (c, next) => {
	const { method, url } = c.req;
	if (method !== 'POST') return next();
	const { bytes } = await readBody(c.req.raw);
	const body = bytes?.length === 0 ? new TextEncoder().encode('{}') : bytes;
	const read = body && parseJson(body);
	if (!body || typeof read !== 'object' || read === null || Array.isArray(read))
		return answer(400, { ok: false, error: 'the body is not a JSON object of at most 16 KiB' });
	const { confirmation, rest } = parted(read, body);
	if (confirmation === null)
		return answer(400, { ok: false, error: refusalText({ kind: 'passkey-refused', why: 'malformed' }) });
	c.set('confirmation', confirmation);
	c.req.raw = new Request(url, { method, headers: { 'content-type': 'application/json' }, body: rest });
	return next();
};

/** The confirmation of persons stands in the body beside the input; it is null where it cannot be read. */
function parted(read: object, body: Uint8Array) {
	if (!('_confirmation' in read)) return { confirmation: undefined, rest: new TextDecoder().decode(body) };
	const { _confirmation, ...input } = JSON.parse(new TextDecoder().decode(body));
	return { confirmation: readConfirmation(_confirmation), rest: JSON.stringify(input) };
}

/** A piece of a backup is larger than what an operator types. */
const takeStep: MiddlewareHandler<HonoEnv> = (c, next) => {
	if (c.env.call.role !== 'admin') return Promise.resolve(notAllowed(c.env.call.role));
	const { method, url, body, headers } = c.req.raw;
	if (Number(headers.get('content-length') ?? 0) > MAX_STEP_BYTES)
		return Promise.resolve(answer(413, { ok: false, error: 'the piece is larger than any that was written' }));
	c.req.raw = new Request(url, { method, headers: { 'content-type': 'application/json' }, body });
	return next();
};

const notAllowed = (role: Role): Response =>
	answer(403, { ok: false, error: `your role, ${role}, may not run this command; ask an admin` });

type Answered =
	| { readonly ok: true; readonly data: unknown }
	| { readonly ok: false; readonly error: string; readonly asks?: AskedPersons };

const answer = (status: number, body: Answered): Response =>
	new Response(JSON.stringify(body), {
		status,
		headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
	});
