/**
 * All chain families, as the API Worker sees them. `chainOf` makes a `Chain` from a network's family and from what the
 * network runs on. Imports no file that derives keys or signs (`signing-registry.ts` does), so no such code can reach
 * the API Worker.
 */
import { type Family, type Network, type NetworkName, type NetworkOf, networkNamed } from '../catalog/networks.ts';
import { objectNamed, type Regional } from '../platform/region.ts';
import { isAddressOn } from './addresses.ts';
import { type ChainConfiguration, type NetworkMode, type NodeConfig, networkMode } from './configuration.ts';
import { evmChain } from './evm/family.ts';
import { moneroChain } from './monero/family.ts';
import type { Chain } from './port.ts';
import { sandboxChain } from './sandbox/family.ts';
import type { SandboxLedger } from './sandbox/ledger.ts';
import { solanaChain } from './solana/family.ts';
import { tronChain } from './tron/family.ts';
import { utxoChain } from './utxo/family.ts';
import type { Watching } from './watching-port.ts';

export interface ChainEnv extends ChainConfiguration, Regional {
	readonly SANDBOX_LEDGER: DurableObjectNamespace<SandboxLedger>;
}

type Make<N, Made, Given> = (network: N, node: NodeConfig, hotAddress: string, given: Given) => Made;

/** By family, what is made of a network, its nodes and its hot wallet's address. */
export type FamilyTable<Made, Given> = { readonly [F in Family]: Make<NetworkOf<F>, Made, Given> };

const CHAINS: FamilyTable<Chain, Watching> = {
	utxo: utxoChain,
	evm: evmChain,
	solana: solanaChain,
	tron: tronChain,
	monero: moneroChain,
};

/** @throws TypeError for a network that this deployment does not run: callers check first. */
export const chainOf = (env: ChainEnv, name: NetworkName, hotAddress: string, watching: Watching): Chain =>
	madeBy(CHAINS, env, name, { hotAddress, given: watching });

/** By the network's own family, or of the sandbox. Throws as `chainOf`. */
export function madeBy<Made, Given>(
	table: FamilyTable<Made, Given>,
	env: ChainEnv,
	name: NetworkName,
	{ hotAddress, given }: { readonly hotAddress: string; readonly given: Given },
): Made | Chain {
	const { mode, network } = runningNetwork(env, name);
	// The type only says "any family", but its function accepts this network.
	const make = table[network.family] as Make<Network, Made, Given>;
	if (mode.on === 'nodes') return make(network, mode, hotAddress, given);
	return sandboxChain(network, objectNamed(env, env.SANDBOX_LEDGER, name), (text) => isAddressOn(env, name, text));
}

/** A network, and what it runs on. @throws TypeError for a network that this deployment does not run. */
export function runningNetwork(
	configuration: ChainConfiguration,
	name: NetworkName,
): { readonly mode: NetworkMode; readonly network: Network } {
	const mode = networkMode(configuration, name);
	if (!mode) throw new TypeError(`${name} runs on neither nodes nor the sandbox`);
	return { mode, network: networkNamed(name) };
}
