/**
 * How Workers find out whether they hold the same SEAL_KEY without showing it: each answers the same challenge
 * with an HMAC under it, and the answers are compared (`operator network check`).
 */
import { hmacHex, hmacKey } from './hmac.ts';
import { ConfigurationError, type KeyVariables, keyRing } from './key-ring.ts';

const FINGERPRINT_DIGITS = 16;

/** A Worker's answer about a secret: that it has it, or what is wrong with it. */
export type Told = { readonly is: string } | { readonly wrong: string };

/** `is`: key number and proof, for the current key and the previous one. */
export async function sealKeyProof(variables: KeyVariables, challenge: string): Promise<Told> {
	return told(async () => {
		const { current, previous } = keyRing(variables, 'SEAL_KEY');
		const proofs = [current, ...(previous ? [previous] : [])].map(
			async ({ number, bytes }) =>
				`${number} ${await hmacHex(await hmacKey(bytes), JSON.stringify(['same key?', challenge]))}`,
		);
		return (await Promise.all(proofs)).join(', ');
	});
}

/** The first 64 bits of an HMAC under a secret: they say nothing of it but that it is the same one. */
export const secretFingerprint = async (secret: Uint8Array<ArrayBuffer>): Promise<string> =>
	(await hmacHex(await hmacKey(secret), 'backup fingerprint')).slice(0, FINGERPRINT_DIGITS);

/** The name that the seals of this Worker are made under. */
export const deploymentOf = (variables: KeyVariables): Promise<Told> =>
	told(() => keyRing(variables, 'SEAL_KEY').deployment || 'without a name');

/** A mistake in the configuration becomes a value; anything else is thrown on. */
export async function told(read: () => string | Promise<string>): Promise<Told> {
	try {
		return { is: await read() };
	} catch (error) {
		if (error instanceof ConfigurationError) return { wrong: error.message };
		throw error;
	}
}
