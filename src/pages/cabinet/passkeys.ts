/**
 * Passkeys: what a browser is asked to make or to sign, and whether its answer holds. An answer counts only for this
 * origin and host, with the reader verified by their device, and with a passkey whose seal holds. Both questions say no by
 * null; why, the log says.
 */
import { base64urlnopad } from '@scure/base';
import { and, asc, eq } from 'drizzle-orm';
import * as z from 'zod/mini';
import { ALGORITHMS, counterOfMade, counterOfSigned } from '../../crypto/webauthn.ts';
import { passkeyAccess, stillOpen } from '../../partners/sign-in/access.ts';
import { cabinetPasskeys, type PasskeyRow } from '../../partners/sign-in/table.ts';
import { log } from '../../platform/log.ts';
import { type Asked, askChallenge, type Places, takeChallenge } from './challenges.ts';
import type { Site } from './site.ts';

const TRANSPORTS = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'] as const;
/** Passkeys that a partner may have. */
export const MAX_PASSKEYS = 20;

const text = z.string().check(z.maxLength(8_000));
const madeSchema = z.object({
	id: text,
	type: z.literal('public-key'),
	response: z.object({
		clientDataJSON: text,
		authenticatorData: text,
		publicKey: text,
		transports: z._default(z.array(z.string().check(z.maxLength(32))).check(z.maxLength(16)), []),
	}),
});
const signedSchema = z.object({
	id: text,
	type: z.literal('public-key'),
	response: z.object({ clientDataJSON: text, authenticatorData: text, signature: text, userHandle: z.nullish(text) }),
});

export interface Ceremony extends Asked, Places {
	readonly site: Site;
	/** Unix milliseconds. */
	readonly now: number;
}

interface Named {
	readonly partnerId: string;
	readonly partnerName: string;
}

/** A member of a partner's team. */
export type Person = Pick<PasskeyRow, 'partnerId' | 'member' | 'role'>;

export const isOf = (one: Person, other: Person): boolean =>
	one.partnerId === other.partnerId && one.member === other.member && one.role === other.role;

/** A person has a minute. */
const TIMEOUT_MILLISECONDS = 60_000;

const handleOf = (partnerId: string): string => base64urlnopad.encode(new TextEncoder().encode(partnerId));
const named = ({ id }: PasskeyRow) => ({ id, type: 'public-key' });

/** Those that have not ended. */
export async function passkeysOf({ db, desk }: Places, partnerId: string): Promise<PasskeyRow[]> {
	const rows = await db
		.select()
		.from(cabinetPasskeys)
		.where(eq(cabinetPasskeys.partnerId, partnerId))
		.orderBy(asc(cabinetPasskeys.createdAt))
		.limit(MAX_PASSKEYS);
	return stillOpen((asked) => desk.hasEnded(partnerId, asked), rows, passkeyAccess);
}

/** For `navigator.credentials.create`: PublicKeyCredentialCreationOptionsJSON of WebAuthn Level 3. */
export async function creationOptions({ db, desk, site, now, ...asked }: Ceremony, { partnerId, partnerName }: Named) {
	const challenge = await askChallenge({ db, desk }, asked, now);
	const known = await passkeysOf({ db, desk }, partnerId);
	return {
		challenge,
		rp: { name: 'Partner Exchange', id: site.host },
		user: { id: handleOf(partnerId), name: partnerName, displayName: partnerName },
		pubKeyCredParams: ALGORITHMS.map(({ cose }) => ({ alg: cose, type: 'public-key' })),
		timeout: TIMEOUT_MILLISECONDS,
		excludeCredentials: known.map(named),
		authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
		attestation: 'none',
	};
}

/** For `navigator.credentials.get`, PublicKeyCredentialRequestOptionsJSON: any passkey of this host, or those of a person. */
export async function signingOptions({ db, desk, site, now, ...asked }: Ceremony, person: Person | null) {
	const challenge = await askChallenge({ db, desk }, asked, now);
	const known = person === null ? [] : await passkeysOf({ db, desk }, person.partnerId);
	return {
		challenge,
		rpId: site.host,
		timeout: TIMEOUT_MILLISECONDS,
		userVerification: 'required',
		allowCredentials: known.filter((one) => person && isOf(one, person)).map(named),
	};
}

/** A new passkey of the partner's, sealed and not stored yet. */
export async function madePasskey(
	{ db, desk, site, now, ...asked }: Ceremony,
	{ partnerId, member, role, label, answer }: Person & { readonly label: string; readonly answer: unknown },
): Promise<PasskeyRow | null> {
	const made = madeSchema.safeParse(answer);
	if (!made.success) return refused(asked, 'malformed');
	const challenge = await takeChallenge({ db, desk }, made.data.response.clientDataJSON, asked, now);
	if (challenge === null) return refused(asked, 'challenge');
	const { id, response } = made.data;
	const counter = await counterOfMade({ id, ...response }, { challenge, ...site }).catch(() => null);
	if (counter === null) return refused(asked, 'not verified');
	const transports = TRANSPORTS.filter((known) => response.transports.includes(known));
	const terms = { id, partnerId, publicKey: response.publicKey, createdAt: now, member, role };
	return { ...terms, counter, transports, label, lastUsedAt: now, seal: await desk.sealAccess('passkey', terms) };
}

/**
 * The passkey that signed. `partnerId`: whose it must be, where that is known. The counter is a compare-and-set: of two
 * answers with the same one, the second is refused.
 */
export async function signingPasskey(
	{ db, desk, site, now, ...asked }: Ceremony,
	{ partnerId, answer }: { readonly partnerId: string | null; readonly answer: unknown },
): Promise<PasskeyRow | null> {
	const signed = signedSchema.safeParse(answer);
	if (!signed.success) return refused(asked, 'malformed');
	const { id, response } = signed.data;
	const challenge = await takeChallenge({ db, desk }, response.clientDataJSON, asked, now);
	if (challenge === null) return refused(asked, 'challenge');
	const [row] = await db.select().from(cabinetPasskeys).where(eq(cabinetPasskeys.id, id));
	if (!row || (partnerId ?? row.partnerId) !== row.partnerId) return refused(asked, 'unknown passkey');
	if (!(await desk.isOpen('passkey', row, row.seal))) return refused(asked, 'seal');
	const handle = response.userHandle ?? null;
	if (handle !== null && handle !== handleOf(row.partnerId)) return refused(asked, 'handle');
	const counter = await counterOfSigned(response, row, { challenge, ...site }).catch(() => 'malformed' as const);
	if (typeof counter !== 'number') return refused(asked, counter);
	const counted = await db
		.update(cabinetPasskeys)
		.set({ counter, lastUsedAt: now })
		.where(and(eq(cabinetPasskeys.id, id), eq(cabinetPasskeys.counter, row.counter)))
		.returning({ id: cabinetPasskeys.id });
	return counted.length === 0 ? refused(asked, 'counter') : row;
}

function refused({ purpose }: Asked, why: string): null {
	log('cabinet_refused', { purpose, why });
	return null;
}
