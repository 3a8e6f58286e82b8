/** Inviting people to a partner's team, and removing them. */
import { and, eq, isNull, sql } from 'drizzle-orm';
import { randomToken, sha256Hex } from '../../crypto/tokens.ts';
import { OWNER } from '../../partners/partner.ts';
import { invitationAccess, stillOpen } from '../../partners/sign-in/access.ts';
import { cabinetInvitations, type InvitationRow, isOpenInvitation } from '../../partners/sign-in/table.ts';
import { HOUR_MILLISECONDS } from '../../platform/time.ts';
import type { Places } from './challenges.ts';
import type { Session } from './env.ts';
import { isOf, MAX_PASSKEYS, type Person, passkeysOf } from './passkeys.ts';
import { isLive, removePasskey } from './people.ts';

export const LINK_HOURS = 48;
const LINK_MILLISECONDS = LINK_HOURS * HOUR_MILLISECONDS;

/** Links that nobody has used yet. */
export async function openLinks({ db, desk }: Places, partnerId: string, now: number): Promise<InvitationRow[]> {
	const rows = await db.select().from(cabinetInvitations).where(isOpenInvitation(partnerId, now)).limit(MAX_PASSKEYS);
	return stillOpen((asked) => desk.hasEnded(partnerId, asked), rows, invitationAccess);
}

/**
 * The token of a link, shown this once; `taken` where somebody has the name, `full` where the team has as many passkeys
 * and links as it may have, or the session has ended meanwhile. Only the token's hash is stored.
 */
export async function inviteMember(
	{ db, desk }: Places,
	session: Session,
	{ member, role }: Omit<Person, 'partnerId'>,
	now: number,
): Promise<{ readonly token: string } | 'taken' | 'full'> {
	const { partnerId } = session;
	const [people, links] = await Promise.all([
		passkeysOf({ db, desk }, partnerId),
		openLinks({ db, desk }, partnerId, now),
	]);
	const isTaken = [...people, ...links].some((one) => one.member.toLowerCase() === member.toLowerCase());
	if (isTaken || member.toLowerCase() === OWNER.toLowerCase()) return 'taken';
	if (people.length + links.length >= MAX_PASSKEYS) return 'full';
	const token = randomToken();
	const sealed = { hash: await sha256Hex(token), partnerId, recovers: false, createdAt: now, member, role };
	const terms = { ...sealed, expiresAt: now + LINK_MILLISECONDS };
	const seal = await desk.sealAccess('invitation', terms);
	const [made] = await db.batch([
		db
			.insert(cabinetInvitations)
			.select(
				sql`select ${terms.hash}, ${partnerId}, 0, ${now}, ${terms.expiresAt}, ${seal}, null, null, ${member}, ${role}
					where ${isLive(session, now)}`,
			)
			.returning({ hash: cabinetInvitations.hash }),
	]);
	return made.length > 0 ? { token } : 'full';
}

/** First where it stays ended, then its row. */
export async function cancelLink({ db, desk }: Places, partnerId: string, hash: string): Promise<void> {
	const isThis = and(eq(cabinetInvitations.partnerId, partnerId), eq(cabinetInvitations.hash, hash));
	const [row] = await db.select().from(cabinetInvitations).where(isThis);
	if (!row || row.usedAt !== null) return;
	await desk.endAccess(partnerId, { one: invitationAccess(row) });
	await db.delete(cabinetInvitations).where(and(isThis, isNull(cabinetInvitations.usedAt)));
}

/** All passkeys of the member, and with them their sessions. False where the last admin's would go. */
export async function removeMember(places: Places, person: Person, now: number): Promise<boolean> {
	const people = await passkeysOf(places, person.partnerId);
	const isLastAdmin = !people.some((one) => one.role === 'admin' && !isOf(one, person));
	if (person.role === 'admin' && isLastAdmin) return false;
	for (const { id } of people.filter((one) => isOf(one, person)))
		if (!(await removePasskey(places, { partnerId: person.partnerId, passkeyId: id }, now))) return false;
	return true;
}
