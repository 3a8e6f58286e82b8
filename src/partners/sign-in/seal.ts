/**
 * Seals of invitations and passkeys, under SEAL_KEY. Someone who can write D1 can neither invite themselves nor add a
 * passkey of theirs, so they confirm nothing in a partner's name. What changes with each use, a counter say, is not sealed.
 */
import type { KeyRing } from '../../crypto/key-ring.ts';
import { seal, sealHolds } from '../../crypto/seals.ts';
import type { InvitationRow, PasskeyRow } from './table.ts';

export type InvitationTerms = Pick<InvitationRow, 'hash' | 'partnerId' | 'recovers' | 'createdAt' | 'expiresAt'>;
export type PasskeyTerms = Pick<PasskeyRow, 'id' | 'partnerId' | 'publicKey' | 'createdAt'>;

const invitationText = ({ hash, partnerId, recovers, createdAt, expiresAt }: InvitationTerms): string =>
	JSON.stringify(['invitation', hash, partnerId, recovers, createdAt, expiresAt]);

const passkeyText = ({ id, partnerId, publicKey, createdAt }: PasskeyTerms): string =>
	JSON.stringify(['passkey', id, partnerId, publicKey, createdAt]);

export const sealInvitation = (keys: KeyRing, terms: InvitationTerms): Promise<string> =>
	seal(keys, invitationText(terms));

export const invitationSealHolds = (keys: KeyRing, terms: InvitationTerms, sealed: string): Promise<boolean> =>
	sealHolds(keys, { text: invitationText(terms), at: terms.createdAt }, sealed);

export const sealPasskey = (keys: KeyRing, terms: PasskeyTerms): Promise<string> => seal(keys, passkeyText(terms));

export const passkeySealHolds = (keys: KeyRing, terms: PasskeyTerms, sealed: string): Promise<boolean> =>
	sealHolds(keys, { text: passkeyText(terms), at: terms.createdAt }, sealed);
