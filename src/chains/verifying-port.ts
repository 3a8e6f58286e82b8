/** The interface that each chain family implements for who verifies reserves with nodes of their own. */
import type { AssetId } from '../catalog/assets.ts';
import type { Network } from '../catalog/networks.ts';
import type { ReserveBlock } from '../ports/reserves.ts';
import type { NodeChain, NodeConfig } from './configuration.ts';

export interface SignedText {
	readonly address: string;
	readonly message: string;
	readonly signature: string;
}

/** Each method throws `ChainUnavailable` where the node does not answer, or cannot tell. */
export interface Shown {
	/** Unix seconds of the block; null where the chain has another one at that height, or none. */
	timeOf(block: ReserveBlock): Promise<number | null>;
	/**
	 * Base units that the address had in the asset once that block was the last; not a number where the chain tells that not all
	 * keys have signed the text. `claimed`: where a node tells only of now, so much now is enough.
	 */
	held(
		asset: AssetId,
		text: SignedText,
		block: ReserveBlock,
		claimed: bigint,
	): Promise<bigint | Exclude<SignedBy, 'all'>>;
}

/** Which of the keys that the address needs have signed: of one key alone, never `some`. */
export type SignedBy = 'all' | 'some' | 'none';

/** Each family's `shown.ts` exports one of these for `verifying-registry.ts`. */
export interface VerifyingFamily<N extends Network> {
	/**
	 * Have the keys of its address signed the text? An address in any other spelling than the network's usual one is not that address, so
	 * that none counts twice. Null where only a node can tell.
	 */
	signedBy(network: N, chain: NodeChain, text: SignedText): SignedBy | null;
	/** `addresses`: all that it will be asked for. @throws TypeError on a malformed URL, ChainUnavailable where one is missing */
	shown(network: N, node: NodeConfig, addresses: readonly string[]): Shown;
}

/** `none` also where it cannot be read. */
export function soundly(check: () => boolean | SignedBy): SignedBy {
	try {
		const found = check();
		return typeof found === 'string' ? found : found ? 'all' : 'none';
	} catch {
		return 'none';
	}
}
