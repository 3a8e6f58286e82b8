/**
 * The passkeys of the signer's own configuration: `ann=https://swap.example ID KEY, ben=http://localhost:8791 ID KEY`. No row
 * and no other Worker names one. The key is a P-256 key in SubjectPublicKeyInfo, base64url. One wrong entry refuses all.
 */
import type { PasskeyName } from '../../ports/persons.ts';
import type { SignerRefusal } from '../../treasury/signer-refusal.ts';
import { centsOf } from '../daily-caps.ts';
import type { SignerEnv } from '../env.ts';

export interface Passkey extends PasskeyName {
	readonly publicKey: string;
}

export interface Configured {
	readonly passkeys: readonly Passkey[];
	/** US cents above which two persons are asked; no number is above infinity. */
	readonly twoAboveCents: number;
}

const ENTRY =
	/^(?<person>[a-z][a-z0-9-]{0,31})=(?<origin>https:\/\/[a-z0-9.-]+(?::\d+)?|http:\/\/localhost:\d+) (?<id>[\w-]{16,700}) (?<publicKey>MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE[\w-]{86})$/;

/** An empty list: nobody is asked. */
export function configuredPasskeys(env: SignerEnv): Configured | SignerRefusal {
	const twoAboveCents = env.OPERATOR_TWO_ABOVE_USD?.trim()
		? centsOf(env.OPERATOR_TWO_ABOVE_USD)
		: Number.POSITIVE_INFINITY;
	if (twoAboveCents === null) return { kind: 'passkeys-malformed', variable: 'OPERATOR_TWO_ABOVE_USD', position: 1 };
	const text = env.OPERATOR_PASSKEYS?.trim();
	const passkeys: Passkey[] = [];
	for (const [i, entry] of (text ? text.split(',') : []).entries()) {
		const { person, origin, id, publicKey } = ENTRY.exec(entry.trim().replaceAll(/\s+/g, ' '))?.groups ?? {};
		if (
			!person ||
			!origin ||
			!id ||
			!publicKey ||
			passkeys.some((other) => other.id === id || other.publicKey === publicKey)
		)
			return { kind: 'passkeys-malformed', variable: 'OPERATOR_PASSKEYS', position: i + 1 };
		passkeys.push({ person, origin, id, publicKey });
	}
	return { passkeys, twoAboveCents };
}

export const personsOf = (passkeys: readonly PasskeyName[]): number =>
	new Set(passkeys.map(({ person }) => person)).size;
