/**
 * Who may sign in: using an invitation, adding and removing passkeys. Each is one batch with its audit line: all of it, or
 * nothing.
 */
import { and, eq, gt, isNull, type SQL, sql } from 'drizzle-orm';
import { writeAuditIf } from '../../audit/log.ts';
import { sha256Hex, TOKEN_PATTERN } from '../../crypto/tokens.ts';
import { ACCESS_KINDS, invitationAccess, passkeyAccess } from '../../partners/sign-in/access.ts';
import type { InvitationTerms } from '../../partners/sign-in/seal.ts';
import { cabinetInvitations, cabinetPasskeys, cabinetSessions, type PasskeyRow } from '../../partners/sign-in/table.ts';
import { partners } from '../../partners/table.ts';
import type { Db } from '../../platform/d1/database.ts';
import { errorText } from '../../platform/d1/error-text.ts';
import type { Places } from './challenges.ts';
import type { Session } from './env.ts';
import { MAX_PASSKEYS, passkeysOf } from './passkeys.ts';

export interface Invitation extends InvitationTerms {
	readonly partnerName: string;
}

/** The invitation of this token, as long as it can be used; null else, whatever the reason. */
export async function openInvitation({ db, desk }: Places, token: unknown, now: number): Promise<Invitation | null> {
	if (typeof token !== 'string' || !TOKEN_PATTERN.test(token)) return null;
	const hash = await sha256Hex(token);
	const [found] = await db
		.select({ invitation: cabinetInvitations, partnerName: partners.name })
		.from(cabinetInvitations)
		.innerJoin(partners, eq(partners.id, cabinetInvitations.partnerId))
		.where(and(isOpen(hash, now), eq(partners.enabled, true)));
	if (!found || !(await desk.isOpen('invitation', found.invitation, found.invitation.seal))) return null;
	return { ...found.invitation, partnerName: found.partnerName };
}

const isOpen = (hash: string, now: number) =>
	and(eq(cabinetInvitations.hash, hash), isNull(cabinetInvitations.usedAt), gt(cabinetInvitations.expiresAt, now));

/**
 * Stores the passkey and marks the invitation as used. Of two who use it at the same time one wins: the partner's gate
 * decides, so that no database that is set back lets it be used again. With one that recovers, older passkeys, all sessions
 * and other open invitations end. False where it was used meanwhile, or the passkey is known already.
 */
export async function useInvitation(
	{ db, desk }: Places,
	invitation: Invitation,
	passkey: PasskeyRow,
	now: number,
): Promise<boolean> {
	const { hash, partnerId, recovers } = invitation;
	const isFirst = await desk.endAccess(partnerId, {
		one: invitationAccess(invitation),
		isOnce: true,
		...(recovers && { earlier: { kinds: ACCESS_KINDS, at: now, except: await sha256Hex(passkey.id) } }),
	});
	if (!isFirst) return false;
	const isMine = sql`exists (select 1 from ${cabinetInvitations}
		where ${cabinetInvitations.hash} = ${hash} and ${cabinetInvitations.passkeyId} = ${passkey.id})`;
	const isOther = sql`${cabinetPasskeys.partnerId} = ${partnerId} and ${cabinetPasskeys.id} <> ${passkey.id}`;
	const ended = [
		db.delete(cabinetSessions).where(and(eq(cabinetSessions.partnerId, partnerId), isMine)),
		db.delete(cabinetPasskeys).where(and(isOther, isMine)),
		db
			.delete(cabinetInvitations)
			.where(and(eq(cabinetInvitations.partnerId, partnerId), isNull(cabinetInvitations.usedAt), isMine)),
	] as const;
	try {
		const results = await db.batch([
			db
				.update(cabinetInvitations)
				.set({ usedAt: now, passkeyId: passkey.id })
				.where(isOpen(hash, now))
				.returning({ hash: cabinetInvitations.hash }),
			insertIf(db, passkey, isMine),
			writeAuditIf(byPartner(db, now), entry('cabinet invitation used', passkey, { recovers }), isMine),
			...(recovers ? ended : []),
		]);
		return results[0].length > 0;
	} catch (error) {
		if (errorText(error).includes('UNIQUE constraint failed: cabinet_passkeys.id')) return false;
		throw error;
	}
}

type SessionNamed = Pick<Session, 'hash' | 'partnerId'>;

/** Is the session there still? For the batch of a change. */
export const isLive = ({ hash, partnerId }: SessionNamed, now: number): SQL =>
	sql`exists (select 1 from ${cabinetSessions} where ${cabinetSessions.hash} = ${hash}
		and ${cabinetSessions.partnerId} = ${partnerId} and ${cabinetSessions.expiresAt} > ${now})`;

/**
 * False where the passkey is known already, the partner has as many as they may have, or the session in which it was made has
 * ended meanwhile: who was shut out must not come back by it.
 */
export async function addPasskey(db: Db, session: SessionNamed, passkey: PasskeyRow, now: number): Promise<boolean> {
	const count = sql`(select count(*) from ${cabinetPasskeys} where ${cabinetPasskeys.partnerId} = ${passkey.partnerId})`;
	const isKnown = sql`exists (select 1 from ${cabinetPasskeys} where ${cabinetPasskeys.id} = ${passkey.id})`;
	const fits = sql`${count} < ${MAX_PASSKEYS} and not ${isKnown} and ${isLive(session, now)}`;
	const [, added] = await db.batch([
		writeAuditIf(byPartner(db, now), entry('cabinet passkey add', passkey, {}), fits),
		insertIf(db, passkey, fits).returning({ id: cabinetPasskeys.id }),
	]);
	return added.length > 0;
}

/**
 * Its sessions end with it; with an admin's, all open links too, because they may have made one for themselves. False for
 * the last one of an admin: nobody could invite. The partner's gate decides, of two who remove each other's too; then its row
 * goes.
 */
export async function removePasskey(
	{ db, desk }: Places,
	{ partnerId, passkeyId }: { readonly partnerId: string; readonly passkeyId: string },
	now: number,
): Promise<boolean> {
	const rows = await passkeysOf({ db, desk }, partnerId);
	const [one] = rows.filter(({ id }) => id === passkeyId);
	if (!one) return false;
	const otherAdmins = rows.filter((row) => row !== one && row.role === 'admin');
	const isAdmin = one.role === 'admin';
	const ofAdmin = isAdmin && {
		unlessLast: await Promise.all(otherAdmins.map(passkeyAccess)),
		earlier: { kinds: ['invitation'] as const, at: now + 1, except: '' },
	};
	if (!(await desk.endAccess(partnerId, { one: await passkeyAccess(one), ...ofAdmin }))) return false;
	const isThis = and(eq(cabinetPasskeys.id, passkeyId), eq(cabinetPasskeys.partnerId, partnerId));
	await db.batch([
		writeAuditIf(
			byPartner(db, now),
			{ command: 'cabinet passkey remove', subject: partnerId, changes: { passkey: passkeyId } },
			sql`exists (select 1 from ${cabinetPasskeys} where ${isThis})`,
		),
		db.delete(cabinetPasskeys).where(isThis),
		...(isAdmin
			? [
					db
						.delete(cabinetInvitations)
						.where(and(eq(cabinetInvitations.partnerId, partnerId), isNull(cabinetInvitations.usedAt))),
				]
			: []),
	]);
	return true;
}

const byPartner = (db: Db, now: number) => ({ db, now, actor: 'partner' });

const entry = (command: string, { id, partnerId, label }: PasskeyRow, more: object) => ({
	command,
	subject: partnerId,
	changes: { passkey: id, label, ...more },
});

const insertIf = (db: Db, passkey: PasskeyRow, when: SQL) =>
	db.insert(cabinetPasskeys).select(
		sql`select ${passkey.id}, ${passkey.partnerId}, ${passkey.publicKey}, ${passkey.counter},
			${JSON.stringify(passkey.transports)}, ${passkey.label}, ${passkey.seal}, ${passkey.createdAt}, ${passkey.lastUsedAt},
			${passkey.member}, ${passkey.role}
			where ${when}`,
	);
