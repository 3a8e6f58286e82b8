/** The signer's keys: the seed, from which every wallet is derived, and the key of the seals. */
import type { NetworkName } from '../catalog/networks.ts';
import type { WalletContainer } from '../chains/monero/wallet-container.ts';
import { seedFingerprint, seedOf } from '../chains/seed.ts';
import type { ChainSigner } from '../chains/signing-port.ts';
import { judgeKeysOf, signerOf } from '../chains/signing-registry.ts';
import { deploymentOf, sealKeyProof, told } from '../crypto/key-proof.ts';
import { ConfigurationError } from '../crypto/key-ring.ts';
import { objectNamed } from '../platform/region.ts';
import type { KeysIdentity } from '../ports/signer.ts';
import type { SignerRefusal } from '../treasury/signer-refusal.ts';
import type { SignerEnv } from './env.ts';
import { type PromiseKeys, promiseKeysOf } from './promises/keys.ts';

export type Keys = ReturnType<typeof keysOf>;

/** A wrong seed is reported by each call that needs it. `meansOf`: of a network, always the same. */
export function keysOf(
	env: SignerEnv,
	meansOf: (network: NetworkName) => Omit<Parameters<typeof signerOf>[3], 'walletContainers'>,
) {
	let derived: { readonly seed: Uint8Array } | { readonly error: unknown } = {
		error: new Error('the seed is not derived yet'),
	};
	const signers = new Map<NetworkName, ChainSigner>();

	let promiseKeys: PromiseKeys | null = null;
	function seed(): Uint8Array {
		if ('error' in derived) throw derived.error;
		return derived.seed;
	}

	const identify = async (challenge: string): Promise<KeysIdentity> => ({
		deployment: await deploymentOf(env),
		seed: await told(() => seedFingerprint(seed())),
		sealKey: await sealKeyProof(env, challenge),
	});

	return {
		/** @see SignerService */
		identify,
		/**
		 * Derives the seed. The other methods are called when this has ended, and say what is wrong with the seed. @throws what
		 * has nothing to do with the seed, and may be gone when it is tried again
		 */
		async derive(): Promise<void> {
			try {
				derived = { seed: await seedOf(env.SEED) };
			} catch (error) {
				if (!(error instanceof ConfigurationError)) throw error;
				derived = { error };
			}
		},
		/**
		 * The network's wallets. @throws ConfigurationError where the seed is wrong; TypeError where the network is not run
		 */
		on(network: NetworkName): ChainSigner {
			const signer =
				signers.get(network) ??
				signerOf(env, network, seed(), { ...meansOf(network), walletContainers: () => walletContainers(env) });
			signers.set(network, signer);
			return signer;
		},
		/** Its public keys on the network, for the other judge; null where they say nothing. */
		judgeKeys: (network: NetworkName) => judgeKeysOf(env, network, seed()),
		/** @throws ConfigurationError where the seed or the times of the keys are wrong */
		ofPromises(): PromiseKeys {
			promiseKeys ??= promiseKeysOf(env, seed());
			return promiseKeys;
		},
		/** Why nothing is signed: a key is missing or malformed. Null if all are right. */
		async refusal(): Promise<SignerRefusal | null> {
			const wrong = Object.values(await identify('own')).find((key) => 'wrong' in key);
			return wrong && 'wrong' in wrong ? { kind: 'key-invalid', problem: wrong.wrong } : null;
		},
	};
}

/** One object for each program. Each call has a stub of its own: one that has failed would fail again. */
function walletContainers(env: SignerEnv) {
	const { MONERO_WALLET: wallet, MONERO_COLD_WALLET: cold } = env;
	if (!wallet || !cold) return undefined;
	const program = (objects: typeof wallet): WalletContainer => ({
		ask: (...call) => objectNamed(env, objects, 'wallet').ask(...call),
	});
	return { wallet: program(wallet), cold: program(cold) };
}
