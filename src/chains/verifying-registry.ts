/** All chain families, as who verifies reserves sees them. It imports no file that derives keys or signs. */
import { type Family, type Network, type NetworkName, type NetworkOf, networkNamed } from '../catalog/networks.ts';
import type { NodeChain, NodeConfig } from './configuration.ts';
import { evmVerifying } from './evm/shown.ts';
import { moneroVerifying } from './monero/shown.ts';
import { solanaVerifying } from './solana/shown.ts';
import { tronVerifying } from './tron/shown.ts';
import { utxoVerifying } from './utxo/shown.ts';
import type { Shown, SignedBy, SignedText, VerifyingFamily } from './verifying-port.ts';

const FAMILIES: { readonly [F in Family]: VerifyingFamily<NetworkOf<F>> } = {
	utxo: utxoVerifying,
	evm: evmVerifying,
	solana: solanaVerifying,
	tron: tronVerifying,
	monero: moneroVerifying,
};

/** The network's own family. The type only says "any family", but its methods accept this network. */
const familyOf = ({ family }: Network): VerifyingFamily<Network> => FAMILIES[family];

/** Null where only a node can tell. */
export function signedBy(name: NetworkName, chain: NodeChain, text: SignedText): SignedBy | null {
	const network = networkNamed(name);
	return familyOf(network).signedBy(network, chain, text);
}

export function shownOn(name: NetworkName, node: NodeConfig, addresses: readonly string[]): Shown {
	const network = networkNamed(name);
	return familyOf(network).shown(network, node, addresses);
}
