/**
 * Challenges for passkeys to sign: random, for one purpose and one session or invitation, once, within five minutes. It
 * is deleted when an answer names it, before the answer is verified, so no answer counts twice. It is sealed: who
 * answers one is given a passkey, and somebody who writes D1 must not be able to ask.
 */
import { base64urlnopad } from '@scure/base';
import { eq, lte } from 'drizzle-orm';
import * as z from 'zod/mini';
import { randomToken, sha256Hex } from '../../crypto/tokens.ts';
import { cabinetChallenges } from '../../partners/sign-in/table.ts';
import type { Db } from '../../platform/d1/database.ts';
import { MINUTE_MILLISECONDS } from '../../platform/time.ts';
import type { Desk } from '../../ports/desk.ts';

const LIVES_MILLISECONDS = 5 * MINUTE_MILLISECONDS;

/** The actions that a passkey confirms, as the field `confirms` of a form names them. */
export const CONFIRMS = {
	credentials: 'confirm credentials',
	secrets: 'show secrets',
	keys: 'confirm keys',
	payout: 'confirm payout address',
	settings: 'confirm settings',
	exchange: 'confirm exchange',
	refund: 'confirm refund',
	passkeys: 'confirm passkeys',
} as const;

export type Confirmed = keyof typeof CONFIRMS;

/** The purpose of the signature. One that confirms a thing confirms no other. */
export type Purpose = 'sign-in' | 'accept invitation' | 'add passkey' | (typeof CONFIRMS)[Confirmed];

export interface Asked {
	readonly purpose: Purpose;
	/** Hash of the session, its partner and a hash of what the form says; or hash of the invitation; '' of a sign-in. */
	readonly boundTo: string;
}

export interface Places {
	readonly db: Db;
	readonly desk: Desk;
}

/** 32 random bytes in base64url. */
export async function askChallenge({ db, desk }: Places, { purpose, boundTo }: Asked, now: number): Promise<string> {
	const challenge = randomToken();
	const terms = { hash: await sha256Hex(challenge), purpose, boundTo, expiresAt: now + LIVES_MILLISECONDS };
	await db.batch([
		db.delete(cabinetChallenges).where(lte(cabinetChallenges.expiresAt, now)),
		db.insert(cabinetChallenges).values({ ...terms, seal: await desk.sealAccess('challenge', terms) }),
	]);
	return challenge;
}

/** The challenge that the answer names, which is used up by this; null where it was not asked for this, or not now. */
export async function takeChallenge(
	{ db, desk }: Places,
	clientDataJson: string,
	{ purpose, boundTo }: Asked,
	now: number,
): Promise<string | null> {
	const challenge = challengeIn(clientDataJson);
	if (challenge === null) return null;
	const hash = await sha256Hex(challenge);
	const [taken] = await db.delete(cabinetChallenges).where(eq(cabinetChallenges.hash, hash)).returning();
	const isAsked = taken?.purpose === purpose && taken.boundTo === boundTo && taken.expiresAt > now;
	return isAsked && (await desk.isOpen('challenge', taken, taken.seal)) ? challenge : null;
}

const clientData = z.object({ challenge: z.string().check(z.maxLength(100)) });

function challengeIn(clientDataJson: string): string | null {
	try {
		const text = new TextDecoder().decode(base64urlnopad.decode(clientDataJson));
		return clientData.parse(JSON.parse(text)).challenge;
	} catch {
		return null;
	}
}
