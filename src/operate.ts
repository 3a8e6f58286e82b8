/**
 * The operator API as the API Worker serves it: under the bearer token `OPERATOR_TOKEN`, or `OPERATOR_TOKEN_NEXT` while
 * that is replaced. Without the first it answers 404. A call with the token goes to the operator Worker, which runs the
 * command.
 */
import { Hono, type MiddlewareHandler } from 'hono';
import { bearerAuth } from 'hono/bearer-auth';
import { HTTPException } from 'hono/http-exception';
import { sameDigest, sha256Hex } from './crypto/tokens.ts';
import type { ApiEnv } from './env.ts';
import { refusalResponse } from './http/refusal.ts';
import { requestIdOf } from './http/request-id.ts';
import { lend } from './lend.ts';
import { log, logError } from './log.ts';

type HonoEnv = { Bindings: ApiEnv };
type Tokens = Pick<ApiEnv, 'OPERATOR_TOKEN' | 'OPERATOR_TOKEN_NEXT'>;

export function operatorApi(): Hono<HonoEnv> {
	const api = new Hono<HonoEnv>();
	api.use(requireToken);
	api.all('*', ({ env, req }) =>
		env.OPERATOR.answer(req.raw, { requestId: requestIdOf(req.raw), by: null }, lend(env)),
	);
	api.onError((error, c) => {
		const facts = { requestId: requestIdOf(c.req.raw), path: c.req.path };
		// The token's.
		if (error instanceof HTTPException) {
			log('operator_refused', facts);
			return refusalResponse({ kind: 'operator-token-wrong' });
		}
		logError('operator_command_failed', error, facts);
		const text = `the operator Worker does not answer; the API Worker's log has more under request id ${facts.requestId}`;
		return Response.json({ ok: false, error: text }, { status: 500, headers: { 'cache-control': 'no-store' } });
	});
	return api;
}

const requireToken: MiddlewareHandler<HonoEnv> = async (c, next) => {
	if (!c.env.OPERATOR_TOKEN) return refusalResponse({ kind: 'operator-api-off' });
	return bearerAuth<HonoEnv>({ verifyToken: (given) => isOperatorToken(c.env, given) })(c, next);
};

/** Compares digests in constant time, so the time says nothing about the tokens. */
export async function isOperatorToken(
	{ OPERATOR_TOKEN: token, OPERATOR_TOKEN_NEXT: newer }: Tokens,
	given: string,
): Promise<boolean> {
	if (!token) return false;
	const [digest = '', ...digests] = await Promise.all([given, token, newer || token].map(sha256Hex));
	return digests.map((of) => sameDigest(digest, of)).includes(true);
}
