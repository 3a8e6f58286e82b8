/**
 * `keys verify`: is a key that somebody kept the one of the service? Its fingerprint is computed here. The key itself is not
 * sent, printed or stored.
 */
import type { KeyName } from '../../crypto/key-ring.ts';
import { ServiceError } from './service.ts';

/** The service's answer. */
export interface HeldFingerprints {
	readonly name: KeyName | 'SEED' | 'OPERATOR_TOKEN';
	/** The keys of the rings are derived with it. Empty where it has no name. */
	readonly deployment: string;
	/** One of each secret that is valid, the one that is in use first. */
	readonly fingerprints: readonly string[];
	/** Does the signer have the same? Set of SEAL_KEY alone. */
	readonly signerHasIt?: boolean;
}

export async function verifiedKey(held: HeldFingerprints, typed: string) {
	const { name, fingerprints, signerHasIt } = held;
	const fingerprint = await fingerprintOf(held, typed);
	const at = fingerprints.indexOf(fingerprint);
	if (at < 0)
		throw new ServiceError(
			`this is not the ${name} of the service: its fingerprint is ${fingerprint}, and the service has ${fingerprints.join(' and ')}; keep it only where a backup was made with it`,
		);
	if (signerHasIt === false)
		throw new ServiceError(`the API Worker has this ${name} and the signer another one: run doctor`);
	return { name, fingerprint, is: at === 0 ? 'in use' : 'valid beside the one in use' };
}

/** @throws ServiceError where it is malformed, without any of it */
async function fingerprintOf({ name, deployment }: HeldFingerprints, typed: string): Promise<string> {
	// Loaded where they are needed: no other command computes with a key.
	const [{ ConfigurationError, keyRing }, { secretFingerprint }] = await Promise.all([
		import('../../crypto/key-ring.ts'),
		import('../../crypto/key-proof.ts'),
	]);
	try {
		if (name === 'OPERATOR_TOKEN')
			return await secretFingerprint(new TextEncoder().encode(typed) as Uint8Array<ArrayBuffer>);
		if (name === 'SEED') {
			const { seedFingerprint, seedOf } = await import('../../chains/seed.ts');
			return seedFingerprint(await seedOf(typed));
		}
		return await secretFingerprint(keyRing({ [name]: typed, DEPLOYMENT: deployment }, name).current.bytes);
	} catch (error) {
		if (error instanceof ConfigurationError) throw new ServiceError(error.message);
		throw error;
	}
}
