/**
 * Seals of invitations, challenges, passkeys and sessions, under SEAL_KEY. Someone who can write D1 can neither invite
 * themselves, nor ask for a passkey, nor add one of theirs, nor open a session, so they confirm nothing in a partner's
 * name. What changes with each use, a counter say, is not sealed.
 */
import { type SealClaim, type SealKeys, seal, sealHolds } from '../../crypto/seals.ts';
import type { ChallengeRow, InvitationRow, PasskeyRow, SessionRow } from './table.ts';

/** The sealed fields of each kind, in this order. */
const FACTS = {
	invitation: ['hash', 'partnerId', 'recovers', 'createdAt', 'expiresAt', 'member', 'role'],
	challenge: ['hash', 'purpose', 'boundTo', 'expiresAt'],
	passkey: ['id', 'partnerId', 'publicKey', 'createdAt', 'member', 'role'],
	session: ['hash', 'partnerId', 'createdAt', 'passkeyHash', 'who'],
} as const;

export type InvitationTerms = Pick<InvitationRow, (typeof FACTS.invitation)[number]>;
export type ChallengeTerms = Pick<ChallengeRow, (typeof FACTS.challenge)[number]>;
export type PasskeyTerms = Pick<PasskeyRow, (typeof FACTS.passkey)[number]>;
/** The seal is in the cookie, not in the row: it is checked before D1 is asked. */
export type SessionTerms = Pick<SessionRow, 'hash' | 'partnerId' | 'createdAt'> & {
	/** SHA-256 of the id of the passkey that began it; '' without one. */
	readonly passkeyHash: string;
	/** The member's role and name, `admin Owner`; '' without one. */
	readonly who: string;
};

/** The sealed terms, by their kind. */
export interface AccessTerms {
	readonly invitation: InvitationTerms;
	readonly challenge: ChallengeTerms;
	readonly passkey: PasskeyTerms;
	readonly session: SessionTerms;
}

const textOf = <Kind extends keyof AccessTerms>(kind: Kind, terms: AccessTerms[Kind]): string =>
	JSON.stringify([kind, ...(FACTS[kind] as readonly string[]).map((name) => terms[name as keyof typeof terms])]);

export const sealAccess = <Kind extends keyof AccessTerms>(
	keys: SealKeys,
	kind: Kind,
	terms: AccessTerms[Kind],
): Promise<string> => seal(keys, textOf(kind, terms));

/** A challenge has no time but its end. */
export const accessClaim = <Kind extends keyof AccessTerms>(
	kind: Kind,
	terms: AccessTerms[Kind],
	sealed: string,
): SealClaim => ({ text: textOf(kind, terms), sealed, at: 'createdAt' in terms ? terms.createdAt : terms.expiresAt });

export const accessSealHolds = <Kind extends keyof AccessTerms>(
	keys: SealKeys,
	kind: Kind,
	terms: AccessTerms[Kind],
	sealed: string,
): Promise<boolean> => sealHolds(keys, accessClaim(kind, terms, sealed));
