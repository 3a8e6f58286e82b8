/** `partner invite`, `partner access` and `partner end-access`: who may open a partner's cabinet. */
import { and, desc, eq, gt } from 'drizzle-orm';
import { writeAudit } from '../../audit/log.ts';
import { randomToken, sha256Hex } from '../../crypto/tokens.ts';
import { OWNER } from '../../partners/partner.ts';
import {
	ACCESS_KINDS,
	invitationAccess,
	passkeyAccess,
	sessionAccess,
	stillOpen,
} from '../../partners/sign-in/access.ts';
import { sealAccess } from '../../partners/sign-in/seal.ts';
import {
	cabinetInvitations,
	cabinetPasskeys,
	cabinetSessions,
	isOpenInvitation,
} from '../../partners/sign-in/table.ts';
import { findPartner } from '../../partners/store.ts';
import { isoTimesOf, pick } from '../../platform/pick.ts';
import { objectNamed } from '../../platform/region.ts';
import { HOUR_MILLISECONDS, isoTime } from '../../platform/time.ts';
import type { Access } from '../../ports/gates.ts';
import { fail, type RunOf } from '../command.ts';
import type { partner as topic } from '../topics/partner.ts';

/** Far more than a partner has people. */
const LIST_LIMIT = 200;

const noSuchPartner = (id: string) => fail(404, `there is no partner ${id}`);

/** Only the hash of the token is stored. Atomic: the invitation and its audit line are one batch. */
export const invite: RunOf<typeof topic, 'invite'> = async (context, { id, recover, hours }) => {
	const { env, db, now, origin } = context;
	const partner = await findPartner(db, id);
	if (!partner) return noSuchPartner(id);
	if (!partner.enabled) return fail(409, `partner ${id} is not enabled, so nobody of theirs can sign in`);
	const token = randomToken();
	const terms = {
		hash: await sha256Hex(token),
		partnerId: id,
		recovers: recover,
		createdAt: now,
		expiresAt: now + hours * HOUR_MILLISECONDS,
		member: OWNER,
		role: 'admin',
	} as const;
	const seal = await sealAccess(env.askedKeys(), 'invitation', terms);
	await db.batch([
		db.insert(cabinetInvitations).values({ ...terms, seal }),
		writeAudit(context, { command: 'partner invite', subject: id, changes: { recover, hours } }),
	]);
	const link = `${hostNamed(origin ?? '')}/cabinet/invitation#${token}`;
	return { id, name: partner.name, link, recover, expiresAt: isoTime(terms.expiresAt) };
};

/** A passkey belongs to a host name: an address of loopback has none. */
const hostNamed = (origin: string): string => origin.replace(/^http:\/\/127\.0\.0\.1(?=:|$)/, 'http://localhost');

export const showAccess: RunOf<typeof topic, 'access'> = async ({ env, db, now }, { id }) => {
	const partner = await findPartner(db, id);
	if (!partner) return noSuchPartner(id);
	const isTheirs = eq(cabinetPasskeys.partnerId, id);
	const isOpen = and(eq(cabinetSessions.partnerId, id), gt(cabinetSessions.expiresAt, now));
	const found = await db.batch([
		db.select().from(cabinetPasskeys).where(isTheirs).orderBy(desc(cabinetPasskeys.createdAt)).limit(LIST_LIMIT),
		db.select().from(cabinetSessions).where(isOpen).orderBy(desc(cabinetSessions.createdAt)).limit(LIST_LIMIT),
		db.select().from(cabinetInvitations).where(isOpenInvitation(id, now)).limit(LIST_LIMIT),
	]);
	const ask = (asked: readonly Access[]) => objectNamed(env, env.PARTNER_GATE, id).hasEnded(asked);
	const passkeys = await stillOpen(ask, found[0], passkeyAccess);
	const sessions = await stillOpen(ask, found[1], sessionAccess);
	const links = await stillOpen(ask, found[2], invitationAccess);
	return {
		id,
		name: partner.name,
		passkeys: passkeys.map((row) => ({
			...pick(row, 'member', 'role', 'label'),
			...isoTimesOf(row, 'createdAt', 'lastUsedAt'),
			id: row.id,
		})),
		sessions: sessions.map((row) => ({
			...isoTimesOf(row, 'createdAt', 'lastSeenAt', 'expiresAt'),
			userAgent: row.userAgent,
		})),
		links: links.map((row) => ({
			...isoTimesOf(row, 'createdAt', 'expiresAt'),
			recover: row.recovers,
			...pick(row, 'member', 'role'),
		})),
	};
};

/**
 * First in the partner's gate, where no database that is set back undoes it, also what has no row now. Then all rows and the
 * audit line are one batch. Sessions end with their passkeys (foreign key).
 */
export const endAccess: RunOf<typeof topic, 'end-access'> = async (context, { id }) => {
	const { env, db, now } = context;
	if (!(await findPartner(db, id))) return noSuchPartner(id);
	// An access that began in this millisecond ends too.
	const earlier = { kinds: ACCESS_KINDS, at: Date.now() + 1, except: '' };
	await objectNamed(env, env.PARTNER_GATE, id).endAccess({ earlier });
	const [sessions, passkeys, links] = await db.batch([
		db.delete(cabinetSessions).where(eq(cabinetSessions.partnerId, id)).returning({ id: cabinetSessions.id }),
		db.delete(cabinetPasskeys).where(eq(cabinetPasskeys.partnerId, id)).returning({ id: cabinetPasskeys.id }),
		db.delete(cabinetInvitations).where(isOpenInvitation(id, now)).returning({ hash: cabinetInvitations.hash }),
		writeAudit(context, { command: 'partner end-access', subject: id, changes: { ended: true } }),
	]);
	return { id, sessions: sessions.length, passkeys: passkeys.length, links: links.length };
};
