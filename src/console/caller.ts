/**
 * Who is at the console, judged by what their browser sent: Cloudflare Access's token, or the cookie of a session. Here, in
 * the Worker that has the keys, and nowhere else: what a page says of its reader counts for nothing.
 */
import { sha256Hex } from '../crypto/tokens.ts';
import { requestIdOf } from '../http/request-id.ts';
import type { AnonymousGates } from '../partners/gate/anonymous.ts';
import { codeVersion } from '../platform/d1/code-version.ts';
import { log } from '../platform/log.ts';
import type { FoundOperator, SignedIn } from '../ports/desk.ts';
import type { Env } from '../ports/env.ts';
import type { CallFacts } from '../ports/operator.ts';
import { admittedByAccess } from './access.ts';
import { doorOf } from './door.ts';
import { operatorTokens } from './operator-token.ts';
import { beginSession, finishSession, noCookie, sessionOf } from './session.ts';

const API_OFF = 'the operator API is off: OPERATOR_TOKEN is not set, or shorter than 32 random bytes';
const NOBODY = 'nobody is signed in at the console';

const formKeyOf = (secret: string): Promise<string> => sha256Hex(`console form ${secret}`);

async function findOperator(env: Env, request: Request): Promise<FoundOperator> {
	const door = doorOf(env, new URL(request.url));
	if (door.kind === 'closed') return { closed: door.why };
	if (door.kind === 'in clear') return { ask: 'https' };
	if (door.kind === 'access') {
		const token = request.headers.get('cf-access-jwt-assertion') ?? '';
		const admitted = await admittedByAccess(token, door.team, Date.now());
		if ('refused' in admitted) return admitted;
		return {
			operator: { by: admitted.email, role: admitted.role, formKey: await formKeyOf(token), canSignOut: false },
		};
	}
	const session = await sessionOf(env, request, Date.now());
	if (!session) return { ask: 'token' };
	return { operator: { by: 'token', role: 'admin', formKey: await formKeyOf(session.secret), canSignOut: true } };
}

/** A page asks for several things at once. After this it is judged again: meanwhile the session may have ended. */
const JUDGED_MILLISECONDS = 2_000;

/** Who sent one request, which a page may hold open. */
export class ConsoleCaller {
	readonly #env: Env;
	readonly #request: Request;
	#judged: { readonly until: number; readonly found: Promise<FoundOperator> } | null = null;

	constructor(env: Env, request: Request) {
		this.#env = env;
		this.#request = request;
	}

	found(): Promise<FoundOperator> {
		const now = Date.now();
		if (this.#judged && now < this.#judged.until) return this.#judged.found;
		const found = findOperator(this.#env, this.#request);
		this.#judged = { until: now + JUDGED_MILLISECONDS, found };
		return found;
	}

	/** A command from a page runs in the name of who sent the request, not of anyone whom the page names. */
	async facts(): Promise<CallFacts | { readonly ok: false; readonly error: string }> {
		if (operatorTokens(this.#env).length === 0) return { ok: false, error: API_OFF };
		const found = await this.found();
		if ('operator' in found) {
			const { by, role } = found.operator;
			return { requestId: requestIdOf(this.#request), by, role, version: codeVersion(this.#env) };
		}
		log('console_refused', { path: new URL(this.#request.url).pathname, why: NOBODY });
		return { ok: false, error: NOBODY };
	}
}

/** The door comes before the token: nobody learns in clear, or beside Access, whether a token is right. */
export async function signInByToken(
	env: Env,
	request: Request,
	token: string,
	gates: AnonymousGates,
): Promise<SignedIn> {
	const door = doorOf(env, new URL(request.url));
	if (door.kind === 'in clear') return 'in clear';
	if (door.kind !== 'token') return 'closed';
	return beginSession(env, request, token, gates);
}

/** The answer's cookie. Who came by Access signs out at Access. */
export async function signOut(env: Env, request: Request): Promise<string> {
	const session = await sessionOf(env, request, Date.now());
	return session ? finishSession(env, request, session) : noCookie(request);
}
