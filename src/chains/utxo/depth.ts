/**
 * The transactions as the node's watch-only wallet knows them, and how deep they are. The caller decides what is deep
 * enough.
 */
import type { z } from 'zod/mini';
import type { Depth, TransactionDepth } from '../port.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { askEach, askEachOfAnySize, TOO_LARGE } from './node.ts';
import { type Entry, MEMPOOL_ENTRY, PACKAGE, type Place, TXID, WALLET_TRANSACTION } from './shapes.ts';

type WalletTransaction = z.output<typeof WALLET_TRANSACTION>;

/** An output that pays one of the addresses that the wallet watches. */
interface Credit {
	readonly address: string;
	readonly position: string;
	readonly amount: bigint;
	readonly immature?: true;
}

/** Entries of a wallet's list that are no output to us: what it sent, and the coinbase of a block that was undone. */
const NO_CREDIT: ReadonlySet<string> = new Set(['send', 'orphan']);

/**
 * The credit in a wallet's entry, if it is one: an output on the chain, whatever the wallet calls it. Money trap: Litecoin
 * lists an MWEB peg-out twice, as `receive` with `mweb_out` and without `vout`, which is only its opinion, and as the
 * output, which is `immature` for six blocks and then `hogex`. A coinbase is `immature` for a hundred blocks.
 */
export function creditOf({ category, address, vout, amount, mweb_out }: Entry): Credit | null {
	if (NO_CREDIT.has(category) || address === undefined || vout === undefined || mweb_out !== undefined) return null;
	if (amount <= 0n) return null;
	return { address, position: String(vout), amount, ...(category === 'immature' && { immature: true }) };
}

/** Depth of a transaction that the best chain or the mempool holds. */
export function depthOf({ confirmations, blockheight, chainlock }: Place): Depth {
	return { confirmations, height: confirmations > 0 ? (blockheight ?? null) : null, irreversible: chainlock === true };
}

/** The output of a transaction that this position names, if it pays us. */
export const creditAt = ({ details }: WalletTransaction, position: string): Credit | undefined =>
	details.map(creditOf).find((credit) => credit?.position === position) ?? undefined;

interface ReadTransactions {
	readonly found: Map<string, WalletTransaction>;
	/** The node knows these, but its answer about each is too large to read. */
	readonly unreadable: ReadonlySet<string>;
}

/** The wallet's knowledge of these transactions, including conflicted and evicted ones. */
export async function readTransactions(rpc: JsonRpc, txIds: Iterable<string>): Promise<ReadTransactions> {
	// The node also accepts capitals. A second spelling of one id must not become a second deposit.
	const asked = [...new Set(txIds)].filter((txId) => TXID.test(txId));
	const calls = asked.map((txId) => ({ method: 'gettransaction', params: [txId, true] }));
	const answers = await askEachOfAnySize(rpc, WALLET_TRANSACTION, calls);
	const found = new Map<string, WalletTransaction>();
	const unreadable = new Set<string>();
	for (const [at, txId] of asked.entries()) {
		const answer = answers[at];
		if (answer === TOO_LARGE) unreadable.add(txId);
		else if (answer?.txid === txId) found.set(txId, answer);
	}
	return { found, unreadable };
}

/** As `readTransactions`, without those that cannot be read. */
export const walletTransactions = async (
	rpc: JsonRpc,
	txIds: Iterable<string>,
): Promise<Map<string, WalletTransaction>> => (await readTransactions(rpc, txIds)).found;

/** For each of these that the mempool holds: the number of its ancestors there, itself included. */
export async function mempoolAncestors(rpc: JsonRpc, txIds: readonly string[]): Promise<Map<string, number>> {
	const answers = await askEach(
		rpc,
		MEMPOOL_ENTRY,
		txIds.map((txId) => ({ method: 'getmempoolentry', params: [txId] })),
	);
	return new Map(txIds.flatMap((txId, at) => (answers[at] ? [[txId, answers[at].ancestorcount]] : [])));
}

/** Size and fee of a transaction and its unconfirmed ancestors together; null where the mempool does not hold it. */
export async function unconfirmedAncestors(
	rpc: JsonRpc,
	txId: string,
): Promise<{ virtualBytes: number; fee: bigint } | null> {
	const [entry] = await askEach(rpc, PACKAGE, [{ method: 'getmempoolentry', params: [txId] }]);
	return entry ? { virtualBytes: entry.ancestorsize, fee: entry.fees.ancestor } : null;
}

/** The transactions among these that the best chain or the mempool holds now. */
export const heldTransactions = async (
	rpc: JsonRpc,
	txIds: Iterable<string>,
): Promise<Map<string, WalletTransaction>> => (await readHeld(rpc, txIds)).found;

/** As `heldTransactions`, and the ids of those whose answer is too large to read. */
export async function readHeld(rpc: JsonRpc, txIds: Iterable<string>): Promise<ReadTransactions> {
	const { found: held, unreadable } = await readTransactions(rpc, txIds);
	const unconfirmed = [...held.values()].filter(({ confirmations }) => confirmations === 0).map(({ txid }) => txid);
	// The wallet still calls an evicted or replaced transaction unconfirmed. Only the mempool shows that it was dropped.
	const pooled = await mempoolAncestors(rpc, unconfirmed);
	const absent = unconfirmed.filter((txId) => !pooled.has(txId));
	// Asked again: a block may have taken them from the mempool between the two requests.
	for (const [txId, again] of await walletTransactions(rpc, absent)) held.set(txId, again);
	for (const [txId, { confirmations }] of held) {
		if (confirmations < 0 || (confirmations === 0 && !pooled.has(txId))) held.delete(txId);
	}
	return { found: held, unreadable };
}

/** As `Chain.transactionDepth`. */
export async function transactionDepth(rpc: JsonRpc, txId: string): Promise<TransactionDepth | null> {
	const transaction = (await heldTransactions(rpc, [txId])).get(txId);
	if (!transaction) return null;
	// The wallet shows the fee as a negative amount.
	const fee = transaction.confirmations > 0 ? -(transaction.fee ?? 0n) : null;
	return { ...depthOf(transaction), reverted: false, fee };
}
