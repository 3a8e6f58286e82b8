/**
 * All chain families, as the API Worker sees them. `chainOf` makes a `Chain` from a network's family and from what the
 * network runs on. Imports no file that derives keys or signs (`signing-registry.ts` does), so no such code can reach
 * the API Worker.
 */
import { type Family, type Network, type NetworkName, type NetworkOf, networkNamed } from '../catalog/networks.ts';
import { objectNamed, type Regional } from '../platform/region.ts';
import { isAddressOn } from './addresses.ts';
import { type ChainConfiguration, type NetworkMode, networkMode } from './configuration.ts';
import { evmFamily } from './evm/family.ts';
import { moneroFamily } from './monero/family.ts';
import type { Chain, ChainFamily } from './port.ts';
import { sandboxChain } from './sandbox/family.ts';
import type { SandboxLedger } from './sandbox/ledger.ts';
import { solanaFamily } from './solana/family.ts';
import { tronFamily } from './tron/family.ts';
import { utxoFamily } from './utxo/family.ts';

export interface ChainEnv extends ChainConfiguration, Regional {
	readonly SANDBOX_LEDGER: DurableObjectNamespace<SandboxLedger>;
}

const FAMILIES: { readonly [F in Family]: ChainFamily<NetworkOf<F>> } = {
	utxo: utxoFamily,
	evm: evmFamily,
	solana: solanaFamily,
	tron: tronFamily,
	monero: moneroFamily,
};

/** The network's own family. The type only says "any family", but its method accepts this network. */
const familyOf = ({ family }: Network): ChainFamily<Network> => FAMILIES[family];

/** @throws TypeError for a network that this deployment does not run: callers check first. */
export function chainOf(env: ChainEnv, name: NetworkName, hotAddress: string): Chain {
	const { mode, network } = runningNetwork(env, name);
	if (mode.on === 'nodes') return familyOf(network).chain(network, mode, hotAddress, env);
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
