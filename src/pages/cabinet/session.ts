/**
 * Sessions. The cookie has a random token, whose it is, since when, and a seal over all three; D1 has the token's hash. A
 * sign-in makes a new token and ends the session that the browser had, so nobody can prepare one. Ended, expired, unused
 * for a day, or of a partner who is switched off, it opens nothing.
 *
 * All three count. The partner's gate says that it has not ended, which a database that is set back does not. The seal says that somebody signed in: who writes D1 makes no session, takes none to another partner and
 * prolongs none beyond its week. The row says that it has not ended. The seal comes first: the desk checks it with one
 * HMAC, in a call back over the connection that the request came by. The row costs a trip to D1's one writer and rows
 * read, which a made-up cookie is not worth. This Worker has no key, so it cannot check the seal by itself.
 */
import { base64urlnopad } from '@scure/base';
import { and, eq, gt, lt, ne, sql } from 'drizzle-orm';
import { generateCookie, getCookie } from 'hono/cookie';
import { randomToken, sameDigest, sha256Hex } from '../../crypto/tokens.ts';
import { isUndecided, orders } from '../../orders/table.ts';
import type { Role } from '../../partners/partner.ts';
import { sessionAccess } from '../../partners/sign-in/access.ts';
import type { SessionTerms } from '../../partners/sign-in/seal.ts';
import { cabinetPasskeys, cabinetSessions, type PasskeyRow } from '../../partners/sign-in/table.ts';
import { partners } from '../../partners/table.ts';
import type { Db } from '../../platform/d1/database.ts';
import { DAY_SECONDS, MINUTE_MILLISECONDS } from '../../platform/time.ts';
import type { Places } from './challenges.ts';
import type { CabinetContext, Session } from './env.ts';
import type { Site } from './site.ts';

const LIVES_MILLISECONDS = 7 * DAY_SECONDS * 1000;
const IDLE_MILLISECONDS = DAY_SECONDS * 1000;
/** How often it is noted that a session was seen. */
const NOTED_MILLISECONDS = 5 * MINUTE_MILLISECONDS;
const MAX_USER_AGENT = 200;

/** A cookie's words about its session, before anybody has checked them. */
interface Said {
	readonly token: string;
	readonly terms: SessionTerms;
	readonly seal: string;
}

/** `<token>.<partner's id>.<Unix milliseconds of the sign-in>.<hash of the passkey's id>.<role and member>.<seal>` */
const COOKIE =
	/^([A-Za-z0-9_-]{43})\.([0-9a-f]{32})\.(\d{13})\.([0-9a-f]{64})\.([A-Za-z0-9_-]{8,400})\.(\d{1,4}\.[0-9a-f]{64})$/;

const formTokenOf = (token: string): Promise<string> => sha256Hex(`form ${token}`);

/** Role and member, `admin Owner`, as a cookie can hold them. */
const inCookie = (who: string): string => base64urlnopad.encode(new TextEncoder().encode(who));

/** Empty where it is no such text: no seal fits that. */
function textOf(inCookie: string): string {
	try {
		return new TextDecoder().decode(base64urlnopad.decode(inCookie));
	} catch {
		return '';
	}
}

async function saidIn(c: CabinetContext): Promise<Said | null> {
	const match = COOKIE.exec(getCookie(c, c.var.site.cookie.name) ?? '');
	if (!match) return null;
	const [, token = '', partnerId = '', createdAt, passkeyHash = '', text = '', seal = ''] = match;
	const who = textOf(text);
	const terms = { hash: await sha256Hex(token), partnerId, createdAt: Number(createdAt), passkeyHash, who };
	return { token, terms, seal };
}

/** The session of this request; null without a live one. D1 is asked only where the seal holds. */
export async function currentSession(c: CabinetContext, db: Db, now: number): Promise<Session | null> {
	const said = await saidIn(c);
	if (said === null || said.terms.createdAt + LIVES_MILLISECONDS <= now) return null;
	const { token, terms, seal } = said;
	if (!(await c.env.desk.isOpen('session', terms, seal))) return null;
	const { hash, partnerId } = terms;
	const [row] = await db
		.select({ session: cabinetSessions, name: partners.name, waiting: waitingOf(partnerId) })
		.from(cabinetSessions)
		.innerJoin(partners, eq(partners.id, cabinetSessions.partnerId))
		.innerJoin(
			cabinetPasskeys,
			and(eq(cabinetPasskeys.id, cabinetSessions.passkeyId), eq(cabinetPasskeys.partnerId, cabinetSessions.partnerId)),
		)
		.where(
			and(
				eq(cabinetSessions.hash, hash),
				eq(cabinetSessions.partnerId, partnerId),
				gt(cabinetSessions.expiresAt, now),
				gt(cabinetSessions.lastSeenAt, now - IDLE_MILLISECONDS),
				eq(partners.enabled, true),
			),
		);
	if (!row) return null;
	const { id, passkeyId, lastSeenAt } = row.session;
	if (lastSeenAt < now - NOTED_MILLISECONDS) c.executionCtx.waitUntil(noteSeen(db, hash, now));
	const { name: partnerName, waiting } = row;
	const [role = '', ...member] = terms.who.split(' ');
	const who = { role: role as Role, member: member.join(' ') };
	return { hash, id, partnerId, partnerName, passkeyId, ...who, waiting, formToken: await formTokenOf(token) };
}

const MOST_WAITING = 100;

const waitingOf = (partnerId: string) => {
	const waits = and(eq(orders.partnerId, partnerId), isUndecided());
	return sql<number>`(select count(*) from (select 1 from ${orders} where ${waits} limit ${MOST_WAITING}))`;
};

const noteSeen = (db: Db, hash: string, now: number) =>
	db
		.update(cabinetSessions)
		.set({ lastSeenAt: now })
		.where(and(eq(cabinetSessions.hash, hash), lt(cabinetSessions.lastSeenAt, now)));

/** Compares in constant time. */
export const isFormTokenOf = ({ formToken }: Session, given: unknown): boolean =>
	typeof given === 'string' && sameDigest(formToken, given);

/**
 * A new session; the answer's cookie. Atomic: it begins, and the browser's earlier one ends, in one batch. It begins only
 * while its passkey is there.
 */
export async function startSession(
	c: CabinetContext,
	db: Db,
	{ id: passkeyId, partnerId, member, role }: PasskeyRow,
	now: number,
): Promise<string | null> {
	const [token, earlier] = [randomToken(), await saidIn(c)];
	const userAgent = (c.req.header('user-agent') ?? '').slice(0, MAX_USER_AGENT).toWellFormed();
	const hash = await sha256Hex(token);
	const passkeyHash = await sha256Hex(passkeyId);
	const { desk } = c.env;
	const who = `${role} ${member}`;
	const seal = await desk.sealAccess('session', { hash, partnerId, createdAt: now, passkeyHash, who });
	if (earlier && (await desk.isOpen('session', earlier.terms, earlier.seal)))
		await desk.endAccess(earlier.terms.partnerId, { one: sessionAccess(earlier.terms) });
	const [, , begun] = await db.batch([
		db.delete(cabinetSessions).where(lt(cabinetSessions.expiresAt, now)),
		db.delete(cabinetSessions).where(eq(cabinetSessions.hash, earlier?.terms.hash ?? '')),
		db
			.insert(cabinetSessions)
			.select(
				sql`select ${hash}, ${crypto.randomUUID()}, ${partnerId}, ${passkeyId}, ${userAgent}, ${now}, ${now}, ${now + LIVES_MILLISECONDS}
					from ${cabinetPasskeys}
					where ${cabinetPasskeys.id} = ${passkeyId} and ${cabinetPasskeys.partnerId} = ${partnerId}`,
			)
			.returning({ id: cabinetSessions.id }),
	]);
	const value = [token, partnerId, now, passkeyHash, inCookie(who), seal].join('.');
	return begun.length === 0 ? null : cookieText(c.var.site, value, LIVES_MILLISECONDS / 1000);
}

/** Lax: a link in a mail opens the cabinet, and no other site's form carries the cookie. */
const cookieText = ({ cookie: { name, secure } }: Site, value: string, maxAge: number): string =>
	generateCookie(name, value, { path: '/', httpOnly: true, sameSite: 'Lax', maxAge, ...(secure && { secure }) });

export const noCookie = (site: Site): string => cookieText(site, '', 0);

/** Ends one session of the partner's, by its id. First where it stays ended, then its row: broken off, it is ended. */
export async function endSession({ db, desk }: Places, partnerId: string, id: string): Promise<void> {
	const isThis = and(eq(cabinetSessions.partnerId, partnerId), eq(cabinetSessions.id, id));
	const [row] = await db.select().from(cabinetSessions).where(isThis);
	if (!row) return;
	await desk.endAccess(partnerId, { one: sessionAccess(row) });
	await db.delete(cabinetSessions).where(isThis);
}

/** Ends all sessions of the partner's but this one, also those that have no row now. */
export async function endOtherSessions({ db, desk }: Places, session: Session, now: number): Promise<void> {
	const { partnerId, id, hash } = session;
	await desk.endAccess(partnerId, { earlier: { kinds: ['session'], at: now, except: hash } });
	await db.delete(cabinetSessions).where(and(eq(cabinetSessions.partnerId, partnerId), ne(cabinetSessions.id, id)));
}
