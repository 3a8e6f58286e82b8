/**
 * The operator API as the API Worker serves it: under the bearer token `OPERATOR_TOKEN`, or `OPERATOR_TOKEN_NEXT` while
 * that is replaced. Without the first it answers 404, and 429 to a network that guesses (`console/operator-token.ts`). A
 * call with the token goes to the operator Worker, which runs the command.
 */
import type { Hono, MiddlewareHandler } from 'hono';
import { judgeToken, operatorTokens } from '../console/operator-token.ts';
import { bearerOf } from '../http/bearer.ts';
import { refusalResponse } from '../http/refusal.ts';
import { requestIdOf } from '../http/request-id.ts';
import { codeVersion } from '../platform/d1/code-version.ts';
import { log, logError } from '../platform/log.ts';
import type { ApiEnv } from '../ports/env.ts';
import type { OperatorService } from '../ports/operator.ts';
import { type HonoEnv, newApp } from './serve.ts';

export function operatorApi(): Hono<HonoEnv> {
	const api = newApp();
	api.use(requireToken);
	api.all('*', ({ env, req }) => {
		const facts = { requestId: requestIdOf(req.raw), by: null, role: 'admin' as const, version: codeVersion(env) };
		return operatorOf(env).answer(withoutToken(req.raw), facts);
	});
	api.onError((error, c) => {
		const facts = { requestId: requestIdOf(c.req.raw), path: c.req.path };
		logError('operator_command_failed', error, facts);
		const text = `the operator Worker does not answer; the API Worker's log has more under request id ${facts.requestId}`;
		return Response.json({ ok: false, error: text }, { status: 500, headers: { 'cache-control': 'no-store' } });
	});
	return api;
}

/** @throws Error where the first deployment goes no further */
function operatorOf({ OPERATOR }: ApiEnv): OperatorService {
	if (OPERATOR === undefined) throw new Error('the API Worker is not bound to the operator Worker: deploy it again');
	return OPERATOR;
}

/** The operator Worker is given the call, and not what admitted it. */
function withoutToken(request: Request): Request {
	const headers = new Headers(request.headers);
	headers.delete('authorization');
	return new Request(request, { headers });
}

const requireToken: MiddlewareHandler<HonoEnv> = async ({ env, req, executionCtx }, next) => {
	const tokens = operatorTokens(env);
	if (tokens.length === 0) return refusalResponse({ kind: 'operator-api-off' });
	const gates = { anonymous: env.ANONYMOUS_GATE, background: (work: Promise<unknown>) => executionCtx.waitUntil(work) };
	const given = bearerOf(req.raw.headers);
	// Who brings no token guesses none.
	const verdict = given && (await judgeToken(tokens, given, gates, req.header('cf-connecting-ip') ?? null));
	if (verdict === 'right') return next();
	log('operator_refused', { requestId: requestIdOf(req.raw), path: req.path });
	if (typeof verdict === 'string') return refusalResponse({ kind: 'operator-token-wrong' });
	return refusalResponse({ kind: 'operator-token-guessed', retryAfterSeconds: verdict.waitSeconds });
};
