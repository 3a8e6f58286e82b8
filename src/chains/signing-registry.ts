/**
 * All chain families, as the signer Worker sees them. `signerOf` makes a network's `ChainSigner`. Only the signer may
 * import this file, and `setup`, which asks whether typed words are those of the wallet (test/checks/architecture.test.ts):
 * everything behind it derives keys.
 */
import { type Family, type Network, type NetworkName, type NetworkOf, networkNamed } from '../catalog/networks.ts';
import { objectNamed } from '../platform/region.ts';
import type { ChainConfiguration } from './configuration.ts';
import { evmSigning } from './evm/signing.ts';
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
	if (mode.on === 'nodes') return family.signer(network, mode, seed, { ...env, ...means });
	const addresses = family.addresses(network, sandboxSeed(seed));
	return sandboxSigner(network, objectNamed(env, env.SANDBOX_LEDGER, name), addresses);
}

/** Addresses of the network's main chain; of the sandbox with `sandboxSeed`. Asks no node. */
export function ownAddresses(name: NetworkName, seed: Uint8Array): OwnAddresses {
	const network = networkNamed(name);
	return familyOf(network).addresses(network, seed);
}
