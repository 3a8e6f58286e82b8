/**
 * All chain families, as a Worker sees them that looks for no deposits: the signer, which has no code that scans, and
 * believes nothing that a scan found.
 */
import type { Family, Network, NetworkName, NetworkOf } from '../catalog/networks.ts';
import { objectNamed } from '../platform/region.ts';
import { isAddressOn } from './addresses.ts';
import type { ChainConfiguration, NodeConfig } from './configuration.ts';
import { evmLook } from './evm/look.ts';
import { moneroLook } from './monero/look.ts';
import { moneroNode } from './monero/node-config.ts';
import type { Look } from './port.ts';
import { type ChainEnv, runningNetwork } from './registry.ts';
import { sandboxChain } from './sandbox/family.ts';
import { solanaLook } from './solana/look.ts';
import { tronLook } from './tron/look.ts';
import { utxoLook } from './utxo/look.ts';

type LookAt<N extends Network> = (
	network: N,
	node: NodeConfig,
	hotAddress: string,
	configuration: ChainConfiguration,
) => { readonly look: Look };

const FAMILIES: { readonly [F in Family]: LookAt<NetworkOf<F>> } = {
	utxo: utxoLook,
	evm: evmLook,
	solana: solanaLook,
	tron: tronLook,
	monero: (network, node, hotAddress, configuration) =>
		moneroLook(network, moneroNode(node, configuration), hotAddress),
};

/** The network's own family. The type only says "any family", but its function accepts this network. */
const familyOf = ({ family }: Network) => FAMILIES[family] as LookAt<Network>;

/** @throws TypeError for a network that this deployment does not run: callers check first. */
export function lookOf(env: ChainEnv, name: NetworkName, hotAddress: string): Look {
	const { mode, network } = runningNetwork(env, name);
	if (mode.on === 'nodes') return familyOf(network)(network, mode, hotAddress, env).look;
	return sandboxChain(network, objectNamed(env, env.SANDBOX_LEDGER, name), (text) => isAddressOn(env, name, text));
}
