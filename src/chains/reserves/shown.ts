/** Blocks and balances as public chains show them, by the nodes of who verifies: nothing here is asked of us. */
import type { AssetId } from '../../catalog/assets.ts';
import { type NetworkName, networkNamed } from '../../catalog/networks.ts';
import type { ReserveBlock } from '../../ports/reserves.ts';
import type { NodeChain, NodeConfig } from '../configuration.ts';
import { evmShown } from '../evm/shown.ts';
import { moneroShown } from '../monero/shown.ts';
import { solanaShown } from '../solana/shown.ts';
import { tronShown } from '../tron/shown.ts';
import { utxoShown } from '../utxo/shown.ts';
import { isSignedByAccount, isSignedOnSolana, isSignedOnUtxo, type SignedText } from './signatures.ts';

/** Each throws `ChainUnavailable` where the node does not answer, or cannot tell. */
export interface Shown {
	/** Unix seconds of the block; null where the chain has another one at that height, or none. */
	timeOf(block: ReserveBlock): Promise<number | null>;
	/**
	 * Base units that the address had in the asset once that block was the last; null where its proof is wrong (Monero). `claimed`:
	 * where a node tells only of now, so much now is enough.
	 */
	held(asset: AssetId, text: SignedText, block: ReserveBlock, claimed: bigint): Promise<bigint | null>;
}

export interface Verifying {
	/** Is the text signed by its address? Null where only a node can tell, as on Monero. */
	isSigned(text: SignedText): boolean | null;
	/** @throws TypeError on a malformed URL */
	shown(node: NodeConfig): Shown;
}

export function verifyingOn(name: NetworkName, chain: NodeChain): Verifying {
	const network = networkNamed(name);
	switch (network.family) {
		case 'evm':
			return { isSigned: (text) => isSignedByAccount('Ethereum', text), shown: (node) => evmShown(network, node) };
		case 'tron':
			return { isSigned: (text) => isSignedByAccount('TRON', text), shown: (node) => tronShown(network, node) };
		case 'solana':
			return { isSigned: isSignedOnSolana, shown: (node) => solanaShown(network, node) };
		case 'monero':
			return { isSigned: () => null, shown: (node) => moneroShown(network, node) };
		default:
			return { isSigned: (text) => isSignedOnUtxo(network, chain, text), shown: (node) => utxoShown(network, node) };
	}
}
