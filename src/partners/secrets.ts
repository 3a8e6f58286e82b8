/**
 * A partner's secrets: issued here, shown once, kept sealed (decisions.md "Rotation"). Each sealing draws a new IV, so
 * the sealed texts also tell one generation of secrets from the next.
 */
import type { KeyRing } from '../crypto/key-ring.ts';
import { openSecret, sealSecret } from '../crypto/sealed.ts';
import { randomToken, sha256Hex } from '../crypto/tokens.ts';
import { type SecretName, secretContext } from './partner.ts';
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

type SealedSecrets = Pick<PartnerRow, 'apiSecretSealed' | 'webhookSecretSealed'>;

/** Names this generation of both secrets, without telling anything of them. */
export const secretsVersion = ({ apiSecretSealed, webhookSecretSealed }: SealedSecrets): Promise<string> =>
	sha256Hex(`${apiSecretSealed} ${webhookSecretSealed}`);
