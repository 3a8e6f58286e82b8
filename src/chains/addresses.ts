/**
 * Addresses of all families as text, without a node. Imports no code that asks one, so a Worker that only judges addresses
 * does not carry it.
 */
import { type Family, type Network, type NetworkName, type NetworkOf, networkNamed } from '../catalog/networks.ts';
import { type ChainConfiguration, type NodeChain, networkMode } from './configuration.ts';
import { checksummed, isEvmAddress } from './evm/address.ts';
import { isMoneroAddress, withoutPaymentId } from './monero/address.ts';
import { isSolanaAddress } from './solana/address.ts';
import { isTronAddress } from './tron/address.ts';
import { comparable, isUnpayable } from './unpayable.ts';
import { isUtxoAddress } from './utxo/address.ts';
import { utxoParams } from './utxo/params.ts';

interface AddressRules<N extends Network> {
	/** As `Chain.isAddress`. */
	isAddress(text: string, network: N, chain: NodeChain): boolean;
	/** The normal form of an address, in which this service writes its own. Absent where that is small letters at most. */
	plainForm?(address: string): string;
}

const RULES: { readonly [F in Family]: AddressRules<NetworkOf<F>> } = {
	utxo: { isAddress: (text, network, chain) => isUtxoAddress(text, utxoParams(network, chain)) },
	evm: { isAddress: isEvmAddress, plainForm: (text) => (isEvmAddress(text) ? checksummed(text) : text) },
	solana: { isAddress: isSolanaAddress },
	tron: { isAddress: isTronAddress },
	monero: { isAddress: isMoneroAddress, plainForm: withoutPaymentId },
};

/** The network's own family. The type only says "any family", but its methods accept this network. */
const rulesOf = ({ family }: Network): AddressRules<Network> => RULES[family];

/**
 * May payouts and refunds on this network go to `text`? False for an address from which the coins could never be spent
 * (`unpayable.ts`), and on a network that this deployment does not run.
 */
export function isAddressOn(configuration: ChainConfiguration, name: NetworkName, text: string): boolean {
	const mode = networkMode(configuration, name);
	if (mode === null) return false;
	const network = networkNamed(name);
	const chain = mode.on === 'nodes' ? mode.chain : 'main';
	return rulesOf(network).isAddress(text, network, chain) && !isUnpayable(text);
}

/** The same text for all spellings of one address; an address of ours is written so. */
export function plainForm(name: NetworkName, address: string): string {
	const { plainForm: form = comparable } = rulesOf(networkNamed(name));
	return form(address);
}

/** Are two accepted addresses of this network the same recipient, however they are written? */
export const isSameAddressOn = (name: NetworkName, one: string, other: string): boolean =>
	plainForm(name, one) === plainForm(name, other);
