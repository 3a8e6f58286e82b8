/** The chain as the signer believes it, whatever its provider says. */
import type { NetworkOf } from '../../catalog/networks.ts';
import type { NodeChain } from '../configuration.ts';
import type { HeaderStore } from './headers.ts';
import type { Sources } from './source.ts';
import type { Block } from './split.ts';

export interface ProvenChain {
	/** The proven tip's height. @throws ChainUnavailable also while headers are still being read: then the call reads on */
	tip(): Promise<number>;
	/** At most the proven tip's height. */
	hashAt(height: number): Promise<string>;
	block(height: number): Promise<Block>;
	/** Dash: do at least two providers say that a ChainLock has settled the block? Always false elsewhere. */
	isLocked(height: number): Promise<boolean>;
}

/** Makes one. `proving.ts` does, which the API never imports. */
export type Prove = (network: NetworkOf<'utxo'>, chain: NodeChain, sources: Sources, store: HeaderStore) => ProvenChain;
