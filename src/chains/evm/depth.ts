/** The place of a transaction or block in the best chain, and its depth. */
import { ChainUnavailable } from '../errors.ts';
import type { Depth, TransactionDepth } from '../port.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { ask, askEach, readEach, readIfKept } from './node.ts';
import { receiptsOf, type Unread } from './receipts.ts';
import {
	BLOCK,
	BLOCK_OR_NONE,
	hexOf,
	RECEIPT_OR_NONE,
	TRANSACTION_ID,
	TRANSACTION_OR_NONE,
	type Transaction,
} from './shapes.ts';

/** Evidence of a deposit: a transaction's own recipient and value. */
export const NATIVE = 'native';
/** Evidence of a deposit: the sum that a transaction sends to the address from inside contract calls. */
export const INTERNAL = 'internal';
/**
 * Evidence of a deposit: the address's balance grew, and no trace names the transaction. The block's hash takes the
 * place of the transaction id.
 */
export const BALANCE = 'balance';

export interface Head {
	readonly height: number;
	/** Wei per gas (EIP-1559); absent on a node without it. */
	readonly baseFee: bigint | undefined;
}

export interface Tips {
	readonly head: number;
	/** Height of the `finalized` block; -1 where the node does not know the tag. */
	readonly finalized: number;
}

const NONE_FINALIZED = -1;

/** @throws ChainUnavailable */
export async function tipsOf(rpc: JsonRpc): Promise<Tips> {
	const asked = (tag: string) => [{ method: 'eth_getBlockByNumber', params: [tag, false] }];
	const [finalized, latest] = await rpc.batch([...asked('finalized'), ...asked('latest')]);
	const [head] = readEach(BLOCK, asked('latest'), [latest]);
	const [final] = readIfKept(BLOCK_OR_NONE, asked('finalized'), [finalized]) ?? [];
	return { head: head?.number ?? 0, finalized: final?.number ?? NONE_FINALIZED };
}

/** @throws ChainUnavailable */
export async function headOf(rpc: JsonRpc): Promise<Head> {
	const { number, baseFeePerGas } = await ask(rpc, BLOCK, 'eth_getBlockByNumber', 'latest', false);
	return { height: number, baseFee: baseFeePerGas };
}

/** @throws ChainUnavailable where the node's head is lower */
export async function requireHead(rpc: JsonRpc, seen: number): Promise<void> {
	const { height } = await headOf(rpc);
	if (height < seen) throw new ChainUnavailable(`the node is at block ${height}, and ${seen} was seen before`);
}

/** @throws ChainUnavailable when the head is lower: two nodes answered, or there was a reorganisation just now */
export function depthAt(height: number, { head, finalized }: Tips): Depth {
	if (height > head) throw new ChainUnavailable(`block ${height} is above the node's head ${head}`);
	return { confirmations: head - height + 1, irreversible: height <= finalized, height };
}

export interface Place {
	/** Null in the mempool. */
	readonly height: number | null;
	/** False where it was reverted: then it cost its fee and moved nothing. */
	readonly success: boolean;
	/** Wei that it paid; null in the mempool. */
	readonly fee: bigint | null;
}

/** The block that holds a transaction. */
export interface Mined {
	readonly height: number;
	readonly blockHash: string;
}

export interface Places {
	/** Transactions that the best chain or the mempool holds. */
	readonly places: ReadonlyMap<string, Place>;
	/** Transactions for which the node cannot tell now. */
	readonly unread: ReadonlyMap<string, Unread>;
}

/**
 * The transactions among these that the best chain or the mempool holds. @throws ChainUnavailable, also if only one
 * receipt is unreadable
 */
export async function transactionPlaces(rpc: JsonRpc, txIds: Iterable<string>): Promise<ReadonlyMap<string, Place>> {
	const { places, unread } = await readablePlaces(rpc, txIds);
	requireRead(unread);
	return places;
}

/** @throws ChainUnavailable where a receipt is unread */
export function requireRead(unread: ReadonlyMap<string, Unread>): void {
	for (const [txId, why] of unread) throw new ChainUnavailable(`the receipt of ${txId} cannot be read: ${why}`);
}

/** As `transactionPlaces`, without those whose receipt cannot be read. @throws ChainUnavailable */
export async function readablePlaces(rpc: JsonRpc, txIds: Iterable<string>): Promise<Places> {
	const asked = [...new Set(txIds)].filter((txId) => TRANSACTION_ID.test(txId));
	const { places, unread } = await placesInBlocks(rpc, asked);
	const absent = asked.filter((txId) => !places.has(txId) && !unread.has(txId));
	const held = [...(await transactionsOf(rpc, absent)).values()];
	const inBlocks = held.filter(({ blockNumber }) => typeof blockNumber === 'number').map(({ hash }) => hash);
	// A block included them between the two calls.
	const again = await placesInBlocks(rpc, inBlocks);
	const all = new Map(places);
	for (const { hash } of held) {
		if (again.unread.has(hash)) continue;
		const place = inBlocks.includes(hash) ? again.places.get(hash) : { height: null, success: true, fee: null };
		if (!place) throw new ChainUnavailable(`the node says that ${hash} is in a block, and has no receipt`);
		all.set(hash, place);
	}
	return { places: all, unread: new Map([...unread, ...again.unread]) };
}

async function placesInBlocks(rpc: JsonRpc, txIds: readonly string[]): Promise<Places> {
	const { found, unread } = await receiptsOf(rpc, RECEIPT_OR_NONE, txIds);
	const receipts = [...found].flatMap(([txId, receipt]) => (receipt?.transactionHash === txId ? [receipt] : []));
	const canonical = await canonicalHeights(rpc, receipts);
	const held = receipts.filter(({ blockHash }) => canonical.has(blockHash));
	const places = held.map(({ transactionHash, blockNumber, status, gasUsed, effectiveGasPrice, l1Fee }) => {
		const fee = gasUsed * effectiveGasPrice + (l1Fee ?? 0n);
		return [transactionHash, { height: blockNumber, success: status === 1n, fee }] as const;
	});
	return { places: new Map(places), unread };
}

/** Height of each of these blocks that is on the best chain. @throws ChainUnavailable */
export async function blockHeights(rpc: JsonRpc, hashes: Iterable<string>): Promise<Map<string, number>> {
	const asked = [...new Set(hashes)].filter((hash) => TRANSACTION_ID.test(hash));
	const calls = asked.map((hash) => ({ method: 'eth_getBlockByHash', params: [hash, false] }));
	const blocks = (await askEach(rpc, BLOCK_OR_NONE, calls)).filter((block) => block !== null);
	const placed = blocks.map(({ hash, number }) => ({ blockHash: hash, blockNumber: number }));
	return canonicalHeights(rpc, placed);
}

/**
 * Keeps only blocks of the best chain. By hash, a node may still serve blocks of an abandoned branch; by number, it
 * serves the best chain only.
 */
export async function canonicalHeights(
	rpc: JsonRpc,
	blocks: readonly { readonly blockHash: string; readonly blockNumber: number }[],
): Promise<Map<string, number>> {
	const heights = new Map(blocks.map(({ blockHash, blockNumber }) => [blockHash, blockNumber]));
	const asked = [...heights];
	const calls = asked.map(([, height]) => ({ method: 'eth_getBlockByNumber', params: [hexOf(height), false] }));
	const answers = await askEach(rpc, BLOCK_OR_NONE, calls);
	for (const [at, [hash]] of asked.entries()) if (answers[at]?.hash !== hash) heights.delete(hash);
	return heights;
}

/** As `Chain.transactionDepth`. */
export async function transactionDepth(rpc: JsonRpc, txId: string): Promise<TransactionDepth | null> {
	const place = (await transactionPlaces(rpc, [txId])).get(txId);
	return place ? { ...depthOfPlace(place, await tipsOf(rpc)), reverted: !place.success, fee: place.fee } : null;
}

export const depthOfPlace = ({ height }: Place, tips: Tips): Depth =>
	height === null ? { confirmations: 0, irreversible: false, height } : depthAt(height, tips);

/** By id; one that the node does not know is absent. @throws ChainUnavailable */
export async function transactionsOf(rpc: JsonRpc, txIds: Iterable<string>): Promise<Map<string, Transaction>> {
	const asked = [...new Set(txIds)].filter((txId) => TRANSACTION_ID.test(txId));
	const calls = asked.map((txId) => ({ method: 'eth_getTransactionByHash', params: [txId] }));
	const answers = await askEach(rpc, TRANSACTION_OR_NONE, calls);
	return new Map(answers.flatMap((each, at) => (each && each.hash === asked[at] ? [[each.hash, each]] : [])));
}

/** Which of these transactions a block of the best chain holds. @throws ChainUnavailable */
export async function minedPlaces(rpc: JsonRpc, transactions: Iterable<Transaction>): Promise<Map<string, Mined>> {
	const inBlocks = [...transactions].flatMap(({ hash, blockHash, blockNumber }) =>
		typeof blockHash === 'string' && typeof blockNumber === 'number' ? [{ hash, blockHash, blockNumber }] : [],
	);
	const canonical = await canonicalHeights(rpc, inBlocks);
	const held = inBlocks.filter(({ blockHash }) => canonical.has(blockHash));
	return new Map(held.map(({ hash, blockHash, blockNumber: height }) => [hash, { blockHash, height }]));
}
