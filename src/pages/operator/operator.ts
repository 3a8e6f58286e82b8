/**
 * Who is at the console: by Cloudflare Access, or by a session that the operator's token opened. A request without either
 * gets no further than the sign-in.
 */
import { drizzle } from 'drizzle-orm/d1';
import type { Context } from 'hono';
import { getCookie } from 'hono/cookie';
import { sameDigest, sha256Hex, TOKEN_PATTERN } from '../../crypto/tokens.ts';
import type { PageEnv } from '../env.ts';
import { admittedByAccess } from './access.ts';
import { doorOf } from './door.ts';
import { sessionMark } from './store.ts';

export interface Operator {
	/** For the audit log. */
	readonly by: string;
	/** Every form of theirs has it; nobody else can know it. */
	readonly formKey: string;
	/** Can they end the session here? With Access that is at Access. */
	readonly session: string | null;
}

export interface ConsoleEnv extends PageEnv {
	readonly Variables: { operator: Operator };
}

export type Found =
	| { readonly operator: Operator }
	| { readonly ask: 'token' }
	| { readonly inClear: URL }
	| { readonly closed: string }
	| { readonly refused: string };

export const SESSION_COOKIE = 'console_session';

const formKeyOf = (secret: string): Promise<string> => sha256Hex(`console form ${secret}`);

export async function findOperator(c: Context<ConsoleEnv>): Promise<Found> {
	const url = new URL(c.req.url);
	const door = doorOf(c.env, url);
	if (door.kind === 'closed') return { closed: door.why };
	if (door.kind === 'in clear') return { inClear: url };
	if (door.kind === 'access') {
		const token = c.req.header('cf-access-jwt-assertion');
		const admitted = await admittedByAccess(token, door.team, Date.now());
		if ('refused' in admitted) return admitted;
		return { operator: { by: admitted.email, formKey: await formKeyOf(token ?? ''), session: null } };
	}
	const cookie = getCookie(c, SESSION_COOKIE);
	const session = cookie && TOKEN_PATTERN.test(cookie) ? await openedSession(c.env, cookie) : null;
	return session
		? { operator: { by: 'token', formKey: await formKeyOf(session.cookie), session: session.id } }
		: { ask: 'token' };
}

/** Null where it is over, was ended, or its token admits no longer. */
async function openedSession({ DB, desk }: ConsoleEnv['Bindings'], cookie: string) {
	const id = await sha256Hex(cookie);
	const mark = await sessionMark(drizzle(DB), id, Date.now());
	if (mark === null) return null;
	const marks = await desk.operatorMarks(cookie);
	return marks.map((one) => sameDigest(one, mark)).includes(true) ? { id, cookie } : null;
}
