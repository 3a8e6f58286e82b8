/** What the API Worker does for the operator Worker with the secrets that it lends to nobody (`ports/operator.ts`). */
import { configurationProblems } from './configuration/check.ts';
import { hmacHex, hmacKey } from './crypto/hmac.ts';
import { ConfigurationError, type Key, type KeyName, keyRing, numbersIn, sealingKey } from './crypto/key-ring.ts';
import { newApiKey } from './partners/api-key.ts';
import { issuedAt, newSecret, openIssued, sealIssued } from './partners/secrets.ts';
import type { Env } from './ports/env.ts';
import type { HeldKeys, StoredSecret } from './ports/operator.ts';

/** Variables whose names begin so are not lent. */
const HELD = /^(?:OPERATOR_TOKEN|SECRETS_KEY|API_KEY_KEY)/;

export const isHeldVariable = (name: string): boolean => HELD.test(name);

export function heldKeys(env: Env): HeldKeys {
	const secretsKeys = () => keyRing(env, 'SECRETS_KEY');
	return {
		rings: {
			SEAL_KEY: heldRing(env, 'SEAL_KEY'),
			SECRETS_KEY: heldRing(env, 'SECRETS_KEY'),
			API_KEY_KEY: heldRing(env, 'API_KEY_KEY'),
		},
		operatorTokens: env.OPERATOR_TOKEN_NEXT ? 2 : 1,
		problems: async () => configurationProblems(env, 'api'),
		newApiKey: async () => newApiKey(keyRing(env, 'API_KEY_KEY')),
		newSecret: async (...of) => newSecret(secretsKeys(), ...of),
		sealAgain: (secrets) => Promise.all(secrets.map((one) => sealedAgain(env, one))),
		fingerprints: (name) => fingerprints(env, name),
	};
}

function heldRing(env: Env, name: KeyName): HeldKeys['rings'][KeyName] {
	try {
		return { ...numbersIn(keyRing(env, name)), hasNext: Boolean(env[`${name}_NEXT`]) };
	} catch (error) {
		if (error instanceof ConfigurationError) return { wrong: error.message };
		throw error;
	}
}

async function sealedAgain(env: Env, { partnerId, name, stored }: StoredSecret): Promise<string | null> {
	const keys = keyRing(env, 'SECRETS_KEY');
	const secret = await openIssued(keys, { partnerId, name, stored }).catch(() => null);
	return secret === null ? null : sealIssued(keys, { partnerId, name, secret, at: issuedAt(stored) });
}

/** The first 64 bits of an HMAC under each key. */
async function fingerprints(env: Env, name: KeyName): Promise<string[]> {
	const ring = keyRing(env, name);
	const sealing = sealingKey(ring, Date.now());
	const others = [ring.current, ring.previous].filter((key) => key !== null && key !== sealing) as Key[];
	const each = [sealing, ...others].map(async ({ bytes }) =>
		(await hmacHex(await hmacKey(bytes), 'backup fingerprint')).slice(0, 16),
	);
	return Promise.all(each);
}
