/**
 * All chain families, as the signer Worker sees them. `signerOf` makes a network's `ChainSigner`. Only the signer may
 * import this file, and `setup`, which asks whether typed words are those of the wallet (test/checks/architecture.test.ts):
 * everything behind it derives keys.
 */
import {
	type Family,
	NETWORK_NAMES,
	type Network,
	type NetworkName,
	type NetworkOf,
	networkNamed,
} from '../catalog/networks.ts';
import { ConfigurationError } from '../crypto/key-ring.ts';
import { objectNamed } from '../platform/region.ts';
import { type ChainConfiguration, chainOf, type NodeChain } from './configuration.ts';
import { evmSigning } from './evm/signing.ts';
import type { JudgeKeys, Judges } from './judge-keys.ts';
import { isCosigned, type JudgeVariables, keyOn } from './judges.ts';
import { moneroSigning } from './monero/signing.ts';
import { type ChainEnv, runningNetwork } from './registry.ts';
import { sandboxSigner } from './sandbox/signing.ts';
import { sandboxSeed } from './seed.ts';
import type { ChainSigner, OwnAddresses, SigningFamily, SigningMeans } from './signing-port.ts';
import { solanaSigning } from './solana/signing.ts';
import { tronSigning } from './tron/signing.ts';
import { utxoSigning } from './utxo/signing.ts';

const SIGNING_FAMILIES: { readonly [F in Family]: SigningFamily<NetworkOf<F>> } = {
	utxo: utxoSigning,
	evm: evmSigning,
	solana: solanaSigning,
	tron: tronSigning,
	monero: moneroSigning,
};

/** The network's own family. The type only says "any family", but its methods accept this network. */
const familyOf = ({ family }: Network): SigningFamily<Network> => SIGNING_FAMILIES[family];

/** `seed`: BIP-39 seed. @throws TypeError for a network that this deployment does not run. */
export function signerOf(
	env: ChainEnv,
	name: NetworkName,
	seed: Uint8Array,
	means: Omit<SigningMeans, keyof ChainConfiguration>,
): ChainSigner {
	const { mode, network } = runningNetwork(env, name);
	const family = familyOf(network);
	if (mode.on === 'nodes') {
		const signer = family.signer(network, mode, seed, { ...env, ...means });
		return judged(family, { network, chain: mode.chain }, signer, means.judges);
	}
	const addresses = family.addresses(sandboxSeed(seed), network);
	return sandboxSigner(network, objectNamed(env, env.SANDBOX_LEDGER, name), addresses);
}

/** @throws ConfigurationError where the family has no second judge, or cannot derive another one's addresses */
function judged(
	family: SigningFamily<Network>,
	{ network, chain }: { readonly network: Network; readonly chain: NodeChain },
	signer: ChainSigner,
	judges: Judges | undefined,
): ChainSigner {
	if (!judges) return signer;
	if (judges.isCosigned && !signer.approve) throw new ConfigurationError(`${network.name} cannot be co-signed`);
	if (judges.isCosigned) return signer;
	const addresses = family.otherAddresses?.(judges.other, network, chain);
	if (!addresses) throw new ConfigurationError(`addresses on ${network.name} cannot be derived from public keys`);
	// Its own keys decide nothing there.
	return Object.assign(Object.create(signer), addresses, { signReserve: undefined });
}

/** This judge's public keys on the network; null where no other judge can derive addresses from them. */
export function judgeKeysOf(
	env: ChainConfiguration & JudgeVariables,
	name: NetworkName,
	seed: Uint8Array,
): JudgeKeys | null {
	const network = networkNamed(name);
	return familyOf(network).judgeKeys?.(seed, network, chainOf(env, name), isCosigned(env, name)) ?? null;
}

/** The public keys of the seed, as the other judge has them in its variables. */
export const judgeVariables = (env: ChainConfiguration & JudgeVariables, seed: Uint8Array): Record<string, string> =>
	Object.fromEntries(
		NETWORK_NAMES.flatMap((network) => {
			const keys = judgeKeysOf(env, network, seed);
			if (!keys) return [];
			const texts = [keys.payIn, keys.hot].map((key) =>
				key.startsWith('xpub') ? keyOn(chainOf(env, network), key) : key,
			);
			return [[`OTHER_JUDGE_${network.toUpperCase()}`, texts.join(' ').trim()]];
		}),
	);

/** Do the keys of two judges make this address of the network's main chain? Those of one never do. */
export const isSharedAddress = (name: NetworkName, address: string): boolean => {
	const network = networkNamed(name);
	return familyOf(network).isShared?.(network, address) ?? false;
};

/** Addresses of the network's main chain; of the sandbox with `sandboxSeed`. Asks no node. */
export function ownAddresses(name: NetworkName, seed: Uint8Array): OwnAddresses {
	const network = networkNamed(name);
	return familyOf(network).addresses(seed, network);
}
