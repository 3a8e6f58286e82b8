/**
 * Seals of invitations, challenges, passkeys and sessions, under SEAL_KEY. Someone who can write D1 can neither invite
 * themselves, nor ask for a passkey, nor add one of theirs, nor open a session, so they confirm nothing in a partner's
 * name. What changes with each use, a counter say, is not sealed.
 */
import type { KeyRing } from '../../crypto/key-ring.ts';
import { seal, sealHolds } from '../../crypto/seals.ts';
import type { ChallengeRow, InvitationRow, PasskeyRow, SessionRow } from './table.ts';

export type InvitationTerms = Pick<InvitationRow, 'hash' | 'partnerId' | 'recovers' | 'createdAt' | 'expiresAt'>;
export type ChallengeTerms = Omit<ChallengeRow, 'seal'>;
export type PasskeyTerms = Pick<PasskeyRow, 'id' | 'partnerId' | 'publicKey' | 'createdAt'>;
/** The seal is in the cookie, not in the row: it is checked before D1 is asked. */
export type SessionTerms = Pick<SessionRow, 'hash' | 'partnerId' | 'createdAt'> & {
	/** SHA-256 of the id of the passkey that began it; '' without one. */
	readonly passkeyHash: string;
};

const invitationText = ({ hash, partnerId, recovers, createdAt, expiresAt }: InvitationTerms): string =>
	JSON.stringify(['invitation', hash, partnerId, recovers, createdAt, expiresAt]);

const challengeText = ({ hash, purpose, boundTo, expiresAt }: ChallengeTerms): string =>
	JSON.stringify(['challenge', hash, purpose, boundTo, expiresAt]);

const passkeyText = ({ id, partnerId, publicKey, createdAt }: PasskeyTerms): string =>
	JSON.stringify(['passkey', id, partnerId, publicKey, createdAt]);

const sessionText = ({ hash, partnerId, createdAt, passkeyHash }: SessionTerms): string =>
	JSON.stringify(['session', hash, partnerId, createdAt, passkeyHash]);

export const sealInvitation = (keys: KeyRing, terms: InvitationTerms): Promise<string> =>
	seal(keys, invitationText(terms));

export const invitationSealHolds = (keys: KeyRing, terms: InvitationTerms, sealed: string): Promise<boolean> =>
	sealHolds(keys, { text: invitationText(terms), at: terms.createdAt }, sealed);

export const sealChallenge = (keys: KeyRing, terms: ChallengeTerms): Promise<string> =>
	seal(keys, challengeText(terms));

export const challengeSealHolds = (keys: KeyRing, terms: ChallengeTerms, sealed: string): Promise<boolean> =>
	sealHolds(keys, { text: challengeText(terms), at: terms.expiresAt }, sealed);

export const sealPasskey = (keys: KeyRing, terms: PasskeyTerms): Promise<string> => seal(keys, passkeyText(terms));

export const passkeySealHolds = (keys: KeyRing, terms: PasskeyTerms, sealed: string): Promise<boolean> =>
	sealHolds(keys, { text: passkeyText(terms), at: terms.createdAt }, sealed);

export const sealSession = (keys: KeyRing, terms: SessionTerms): Promise<string> => seal(keys, sessionText(terms));

export const sessionSealHolds = (keys: KeyRing, terms: SessionTerms, sealed: string): Promise<boolean> =>
	sealHolds(keys, { text: sessionText(terms), at: terms.createdAt }, sealed);
