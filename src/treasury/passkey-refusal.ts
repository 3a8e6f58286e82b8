/** Why the signer refuses where persons have to confirm with their passkeys (`signer-refusal.ts`). Pure. */
import { afterPerson } from './refusal-rule.ts';

const PASSKEY_WHYS = {
	'other-request': 'the passkey signed another request than this one',
	'other-origin': 'the passkey signed on a page of another origin than the one that the signer knows it by',
	'not-verified': 'the device did not verify its owner',
	'wrong-signature': 'the signature is not of the passkey that is named',
	'counted-before': 'the passkey has signed more often before',
	'unknown-passkey': 'the signer’s OPERATOR_PASSKEYS does not have this passkey, or not any more',
	'same-person': 'both passkeys are of one person, and two persons are asked',
	'too-few': 'the sum asks for two persons',
	replayed: 'the confirmation was used before',
	expired: 'the confirmation is too old, or of the future: ask again',
	malformed: 'the confirmation cannot be read',
} as const;

export type PasskeyWhy = keyof typeof PASSKEY_WHYS;

export const PASSKEY_RULES = {
	'passkeys-malformed': afterPerson<{ readonly variable: string; readonly position: number }>(
		({ variable, position }) => `entry ${position} of the signer's ${variable} is malformed, or there twice`,
	),
	'not-confirmed': afterPerson<{ readonly move: string }>(
		({ move }) => `no person has confirmed it with a passkey (${move}): take it back, and run its command again`,
	),
	'passkey-refused': afterPerson<{ readonly why: PasskeyWhy }>(({ why }) => PASSKEY_WHYS[why]),
} as const;
