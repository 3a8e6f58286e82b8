/**
 * A partner's secrets: issued here, shown once, kept sealed (book: contract, "Rotation"). Each sealing draws a new IV,
 * so the sealed texts also tell one generation of secrets from the next.
 */
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import { hmacKey } from '../crypto/hmac.ts';
import type { KeyRing } from '../crypto/key-ring.ts';
import { openSecret, sealSecret } from '../crypto/sealed.ts';
import { randomToken, sha256Hex } from '../crypto/tokens.ts';
import type { Secret } from './gate/flood.ts';
import { type SecretName, secretContext } from './partner.ts';
import { findPartner } from './store.ts';
import type { PartnerRow } from './table.ts';

export const SEALED_COLUMNS = {
	apiSecret: 'apiSecretSealed',
	webhookSecret: 'webhookSecretSealed',
} as const satisfies Record<SecretName, keyof PartnerRow>;

/** A new secret, and what of it is stored. `keys`: `SECRETS_KEY`. */
export async function newSecret(keys: KeyRing, partnerId: string, name: SecretName) {
	const secret = randomToken();
	return { secret, sealed: await sealSecret(keys, secret, secretContext(partnerId, name)) };
}

/** @throws when what is stored was not sealed under `keys` for this partner. */
export async function openApiSecret(keys: KeyRing, { id, apiSecretSealed }: PartnerRow): Promise<string> {
	return openSecret(keys, apiSecretSealed, secretContext(id, 'apiSecret'));
}

/** Both, in the clear. @throws as `openApiSecret` */
export async function openSecrets(keys: KeyRing, partner: PartnerRow) {
	const webhookContext = secretContext(partner.id, 'webhookSecret');
	return {
		apiSecret: await openApiSecret(keys, partner),
		webhookSecret: await openSecret(keys, partner.webhookSecretSealed, webhookContext),
	};
}

/** As D1 has it now, ready to verify with; null for a partner that is not there. `keys`: `SECRETS_KEY`. */
export async function readApiSecret(db: DrizzleD1Database, keys: KeyRing, partnerId: string): Promise<Secret | null> {
	const partner = await findPartner(db, partnerId);
	if (!partner) return null;
	return { sealed: partner.apiSecretSealed, key: await hmacKey(await openApiSecret(keys, partner)) };
}

type SealedSecrets = Pick<PartnerRow, 'apiSecretSealed' | 'webhookSecretSealed'>;

/** Names this generation of both secrets, without telling anything of them. */
export const secretsVersion = ({ apiSecretSealed, webhookSecretSealed }: SealedSecrets): Promise<string> =>
	sha256Hex(`${apiSecretSealed} ${webhookSecretSealed}`);
