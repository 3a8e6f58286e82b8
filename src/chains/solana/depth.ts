/**
 * How deep the best chain holds a transaction, as the node reports it: `confirmed` is seen, `finalized` cannot be
 * undone. Depth is counted in slots, some of which are empty. A transaction on a dropped fork has no status at all.
 */
import { ChainUnavailable } from '../errors.ts';
import type { Depth, TransactionDepth } from '../port.ts';
import { askEach } from '../rpc/answers.ts';
import { inParts } from '../rpc/each-of.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { costOf } from './credits.ts';
import { SEEN } from './node.ts';
import { isTransactionId, STATUSES, TRANSACTION_OR_NONE, type Transaction } from './shapes.ts';

/** Ids that `getSignatureStatuses` accepts in one call. */
const STATUSES_PER_CALL = 256;
/** Accepts every version: the fields that we read, accounts and balances, are in the same place in all of them. */
export const ANY_VERSION = 255;

export interface Status {
	readonly depth: Depth;
	/** It is in a block, but failed and changed nothing. */
	readonly failed: boolean;
}

/** By id; absent where the chain does not hold the transaction. @throws ChainUnavailable */
export async function statusesOf(rpc: JsonRpc, txIds: Iterable<string>): Promise<Map<string, Status>> {
	const parts = inParts([...new Set(txIds)].filter(isTransactionId), STATUSES_PER_CALL);
	const answers = await askEach(
		rpc,
		STATUSES,
		parts.map((part) => ({ method: 'getSignatureStatuses', params: [part, { searchTransactionHistory: true }] })),
	);
	const statuses = new Map<string, Status>();
	for (const [at, { context, value }] of answers.entries()) {
		const part = parts[at] ?? [];
		if (value.length !== part.length)
			throw new ChainUnavailable('the node did not answer for exactly the statuses that it was asked for');
		for (const [place, status] of value.entries()) {
			const txId = part[place];
			if (!status || !txId) continue;
			const { slot, confirmationStatus, err } = status;
			if (slot > context.slot) throw new ChainUnavailable(`slot ${slot} is above the node's ${context.slot}`);
			const isSeen = confirmationStatus !== 'processed';
			const depth: Depth = {
				confirmations: isSeen ? context.slot - slot + 1 : 0,
				irreversible: confirmationStatus === 'finalized',
				height: isSeen ? slot : null,
			};
			statuses.set(txId, { depth, failed: err !== null });
		}
	}
	return statuses;
}

/**
 * In the order of the ids; null where the node has none at that commitment, or returns one that this code cannot read.
 * A form of transaction that is new to us must not block any other.
 * @throws ChainUnavailable
 */
export async function transactionsOf(
	rpc: JsonRpc,
	txIds: readonly string[],
	commitment: string,
): Promise<(Transaction | null)[]> {
	const options = { commitment, encoding: 'json', maxSupportedTransactionVersion: ANY_VERSION };
	const calls = txIds.map((txId) => ({ method: 'getTransaction', params: [txId, options] }));
	const answers = calls.length === 0 ? [] : await rpc.batch(calls);
	return txIds.map((txId, at) => {
		const { data } = TRANSACTION_OR_NONE.safeParse(answers[at]);
		if (data && data.transaction.signatures[0] !== txId)
			throw new ChainUnavailable(`asked for ${txId}, got another transaction`);
		return data ?? null;
	});
}

/** @throws ChainUnavailable */
export async function transactionDepth(rpc: JsonRpc, txId: string): Promise<TransactionDepth | null> {
	const status = (await statusesOf(rpc, [txId])).get(txId);
	if (!status) return null;
	const { depth, failed } = status;
	if (depth.height === null) return { ...depth, reverted: false, fee: null };
	const [transaction] = await transactionsOf(rpc, [txId], SEEN);
	if (!transaction) throw new ChainUnavailable(`the node has a status of ${txId}, but cannot return the transaction`);
	return { ...depth, reverted: failed, fee: costOf(transaction) };
}
