/**
 * Who is at the console: by Cloudflare Access, or by a session that the operator's token opened. A request without either
 * gets no further than the sign-in.
 */
import { drizzle } from 'drizzle-orm/d1';
import type { Context } from 'hono';
import { getCookie } from 'hono/cookie';
import { sameDigest, sha256Hex } from '../../crypto/tokens.ts';
import { OPERATOR } from '../../partners/sign-in/access.ts';
import type { SessionTerms } from '../../partners/sign-in/seal.ts';
import type { PageEnv } from '../env.ts';
import { admittedByAccess } from './access.ts';
import { doorOf } from './door.ts';
import { SESSION_MILLISECONDS, sessionMark } from './store.ts';

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

/**
 * Over https a cookie that no other host of the domain, and no page over http, can set. On loopback it has no prefix, because
 * not every browser takes a Secure cookie over http.
 */
export const cookieOf = ({ protocol }: URL): { readonly name: string; readonly secure: boolean } =>
	protocol === 'https:' ? { name: '__Host-console', secure: true } : { name: 'console', secure: false };

/** `<secret>.<Unix milliseconds of the sign-in>.<seal>` */
const COOKIE = /^([A-Za-z0-9_-]{43})\.(\d{13})\.(\d{1,4}\.[0-9a-f]{64})$/;

/** What the cookie's seal is over. */
export const termsOf = (id: string, createdAt: number): SessionTerms => ({
	hash: id,
	partnerId: OPERATOR,
	createdAt,
	passkeyHash: '',
});

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
	const session = await openedSession(c.env, getCookie(c, cookieOf(url).name) ?? '', Date.now());
	return session
		? { operator: { by: 'token', formKey: await formKeyOf(session.secret), session: session.id } }
		: { ask: 'token' };
}

/** Null where it is over, was ended, or its token admits no longer. D1 is asked only where the seal holds. */
async function openedSession({ DB, desk }: ConsoleEnv['Bindings'], cookie: string, now: number) {
	const [, secret = '', createdAt, seal = ''] = COOKIE.exec(cookie) ?? [];
	const id = await sha256Hex(secret);
	const terms = termsOf(id, Number(createdAt));
	if (secret === '' || terms.createdAt + SESSION_MILLISECONDS <= now || !(await desk.isSession(terms, seal)))
		return null;
	const mark = await sessionMark(drizzle(DB), id, now);
	if (mark === null) return null;
	const marks = await desk.operatorMarks(secret);
	return marks.map((one) => sameDigest(one, mark)).includes(true) ? { id, secret } : null;
}
