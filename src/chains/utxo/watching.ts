/** One UTXO network as a Worker watches it: its providers, and the book of our coins that is read from their blocks. */
import type { NetworkOf } from '../../catalog/networks.ts';
import type { NodeChain, NodeConfig } from '../configuration.ts';
import { deepestConfirmations } from '../finality.ts';
import type { Keeping } from '../watching-port.ts';
import { CoinBook } from './book/coin-book.ts';
import { headerTable } from './book/header-table.ts';
import { type Followed, Keeper } from './book/keeper.ts';
import { Locks } from './book/locks.ts';
import { ownKind } from './book/own-kind.ts';
import { Pool } from './book/pool.ts';
import { isShared } from './own-script.ts';
import { sharedParams, type UtxoParams, utxoParams } from './params.ts';
import type { Prove, ProvenChain } from './proven-chain.ts';
import type { Source, Sources, Tip } from './source.ts';
import { utxoSources } from './sources.ts';
import type { Form } from './transaction-bytes.ts';

export interface Watching {
	readonly network: NetworkOf<'utxo'>;
	readonly params: UtxoParams;
	readonly sources: Sources;
	readonly book: CoinBook;
	readonly keeper: Keeper;
	readonly pool: Pool;
	readonly locks: Locks;
	/** Confirmations after which every deposit is final. */
	readonly deepest: number;
}

export const formOf = ({ work }: UtxoParams): Form => ({ x11: work === 'x11' });

/** One book has one reader, so all that watch a network from one object share it. */
const watched = new WeakMap<DurableObjectStorage, Map<string, Watching>>();

/** The wallet that is watched, and how its chain is believed. */
export interface Watched {
	readonly hotAddress: string;
	/** The chain must prove itself, whatever one provider says. The signer's way; null is the API's. */
	readonly prove: Prove | null;
}

export function utxoWatching(network: NetworkOf<'utxo'>, node: NodeConfig, keeping: Keeping, what: Watched): Watching {
	const here = watched.get(keeping.storage) ?? new Map<string, Watching>();
	watched.set(keeping.storage, here);
	const watching = here.get(network.name) ?? newWatching(network, node, keeping, what);
	here.set(network.name, watching);
	return watching;
}

/**
 * Those of the wallet that this address belongs to: the address alone says whether one key or two spend its outputs.
 */
function paramsFor(network: NetworkOf<'utxo'>, chain: NodeChain, hotAddress: string): UtxoParams {
	const params = utxoParams(network, chain);
	return isShared(hotAddress, params) ? sharedParams(params) : params;
}

function newWatching(
	network: NetworkOf<'utxo'>,
	node: NodeConfig,
	keeping: Keeping,
	{ hotAddress, prove }: Watched,
): Watching {
	const params = paramsFor(network, node.chain, hotAddress);
	const sources = utxoSources(network, node);
	const { name, blockSeconds } = network;
	const book = new CoinBook(keeping.storage, {
		network: name,
		blockSeconds,
		isHeld: keeping.isHeld,
		...ownKind(params),
	});
	const proven = prove?.(network, node.chain, sources, headerTable(book)) ?? null;
	const follow = proven ? () => followed(proven) : trusting;
	const hasLocks = network.confirmations.some(({ tag }) => tag === 'chainlock');
	const isLocked = ({ height, hash }: Tip) =>
		proven ? proven.isLocked(height) : sources.use((source) => source.isLocked(hash));
	return {
		network,
		params,
		sources,
		book,
		keeper: new Keeper({ book, sources, params, keeping, follow }),
		locks: new Locks(book, hasLocks ? isLocked : null),
		pool: new Pool(book, formOf(params)),
		deepest: deepestConfirmations(name),
	};
}

/** Takes the provider's word for which chain is the best. */
const trusting = (source: Source): Followed => ({
	tip: () => source.tip(),
	hashAt: (height) => source.hashAt(height),
	block: (hash) => source.block(hash),
});

const followed = (proven: ProvenChain): Followed => ({
	async tip() {
		const height = await proven.tip();
		return { height, hash: await proven.hashAt(height) };
	},
	hashAt: (height) => proven.hashAt(height),
	block: (_hash, height) => proven.block(height),
});
