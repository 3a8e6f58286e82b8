/**
 * Sessions of the console by the operator's token. The cookie has a random secret, since when, and a seal over both; D1 has
 * the secret's hash with the mark of the token. Ended, older than 12 hours, or of a token that was replaced, it opens nothing.
 */
import { and, eq, gt, lte } from 'drizzle-orm';
import { parse, serialize } from 'hono/utils/cookie';
import { keyRing } from '../crypto/key-ring.ts';
import { markOfToken, randomToken, sameDigest, sha256Hex, type TokenVerdict } from '../crypto/tokens.ts';
import type { AnonymousGates } from '../partners/gate/anonymous.ts';
import { OPERATOR, sessionAccess } from '../partners/sign-in/access.ts';
import { gateOf, isOpen } from '../partners/sign-in/open.ts';
import { type SessionTerms, sealAccess } from '../partners/sign-in/seal.ts';
import { type Db, databaseOf } from '../platform/d1/database.ts';
import { HOUR_MILLISECONDS } from '../platform/time.ts';
import type { Env } from '../ports/env.ts';
import { judgeToken, operatorTokens } from './operator-token.ts';
import { operatorSessions } from './table.ts';

const SESSION_MILLISECONDS = 12 * HOUR_MILLISECONDS;

export interface OpenSession {
	readonly id: string;
	readonly secret: string;
}

/** Longer than any token. */
const MOST_TOKEN = 1_000;

/**
 * Over https a cookie that no other host of the domain, and no page over http, can set. On loopback it has no prefix, because
 * not every browser takes a Secure cookie over http.
 */
const cookieOf = ({ protocol }: URL): { readonly name: string; readonly secure: boolean } =>
	protocol === 'https:' ? { name: '__Host-console', secure: true } : { name: 'console', secure: false };

/** `<secret>.<Unix milliseconds of the sign-in>.<seal>` */
const COOKIE = /^([A-Za-z0-9_-]{43})\.(\d{13})\.(\d{1,4}\.[0-9a-f]{64})$/;

/** The text that the cookie's seal is over. */
const termsOf = (id: string, createdAt: number): SessionTerms => ({
	hash: id,
	partnerId: OPERATOR,
	createdAt,
	passkeyHash: '',
	who: '',
});

/** Null where it is over, was ended, or its token admits no longer. D1 is asked only where the seal holds. */
export async function sessionOf(env: Env, request: Request, now: number): Promise<OpenSession | null> {
	const { name } = cookieOf(new URL(request.url));
	const cookie = parse(request.headers.get('cookie') ?? '', name)[name] ?? '';
	const [, secret = '', createdAt, seal = ''] = COOKIE.exec(cookie) ?? [];
	if (secret === '' || Number(createdAt) + SESSION_MILLISECONDS <= now) return null;
	const id = await sha256Hex(secret);
	if (!(await isOpen(env, 'session', termsOf(id, Number(createdAt)), seal))) return null;
	const mark = await sessionMark(databaseOf(env), id, now);
	if (mark === null) return null;
	const marks = await Promise.all(operatorTokens(env).map((token) => markOfToken(token, secret)));
	return marks.map((one) => sameDigest(one, mark)).includes(true) ? { id, secret } : null;
}

/** A new session's cookie, or why the token opens none. A cookie that was there before never becomes a session. */
export async function beginSession(
	env: Env,
	request: Request,
	token: string,
	gates: AnonymousGates,
): Promise<{ readonly cookie: string } | Exclude<TokenVerdict, 'right'>> {
	if (token === '' || token.length > MOST_TOKEN) return 'wrong';
	const verdict = await judgeToken(operatorTokens(env), token, gates, request.headers.get('cf-connecting-ip'));
	if (verdict !== 'right') return verdict;
	const [secret, now] = [randomToken(), Date.now()];
	const session = { id: await sha256Hex(secret), mark: await markOfToken(token, secret) };
	const seal = await sealAccess(keyRing(env, 'SEAL_KEY'), 'session', termsOf(session.id, now));
	await openSession(databaseOf(env), session, now);
	return { cookie: cookieText(request, [secret, now, seal].join('.'), SESSION_MILLISECONDS / 1000) };
}

/** First where it stays ended, whatever the database is set back to. The answer's cookie. */
export async function finishSession(env: Env, request: Request, { id }: OpenSession): Promise<string> {
	await gateOf(env, OPERATOR).endAccess({ one: sessionAccess({ hash: id, createdAt: Date.now() }) });
	await endSession(databaseOf(env), id);
	return noCookie(request);
}

export const noCookie = (request: Request): string => cookieText(request, '', 0);

function cookieText(request: Request, value: string, maxAge: number): string {
	const { name, secure } = cookieOf(new URL(request.url));
	return serialize(name, value, { path: '/', httpOnly: true, sameSite: 'Lax', secure, maxAge });
}

/** Also deletes sessions that are over. */
async function openSession(db: Db, session: { readonly id: string; readonly mark: string }, now: number) {
	await db.batch([
		db.insert(operatorSessions).values({ ...session, createdAt: now, expiresAt: now + SESSION_MILLISECONDS }),
		db.delete(operatorSessions).where(lte(operatorSessions.expiresAt, now)),
	]);
}

/** The mark of a session that is not over. */
async function sessionMark(db: Db, id: string, now: number): Promise<string | null> {
	const [row] = await db
		.select({ mark: operatorSessions.mark })
		.from(operatorSessions)
		.where(and(eq(operatorSessions.id, id), gt(operatorSessions.expiresAt, now)));
	return row?.mark ?? null;
}

async function endSession(db: Db, id: string): Promise<void> {
	await db.delete(operatorSessions).where(eq(operatorSessions.id, id));
}
