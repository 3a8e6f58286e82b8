/**
 * The sum of the claimed deposits that the signer's own node shows in finalized transactions. A transaction with
 * another amount, address or asset counts nothing. Sweeps only take coins away, so they need no accounting here.
 */
import type { DepositRef, Depth } from '../port.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { txIdsOf } from '../transaction-ids.ts';
import { isSolanaAddress } from './address.ts';
import { isOnSolana, positionOf } from './assets.ts';
import { creditOf } from './credits.ts';
import { statusesOf, transactionsOf } from './depth.ts';
import { FINAL } from './node.ts';
import { isTransactionId } from './shapes.ts';

/** @throws ChainUnavailable */
export async function finalAmount(
	rpc: JsonRpc,
	refs: readonly DepositRef[],
	isFinal: (depth: Depth) => boolean,
): Promise<bigint> {
	const readable = refs.filter(
		({ asset, address, amount, txId, position }) =>
			isOnSolana(asset) &&
			position === positionOf(asset) &&
			isSolanaAddress(address) &&
			amount > 0n &&
			isTransactionId(txId),
	);
	// The amount is part of the key, so that a wrong claim cannot replace the right one.
	const distinct = new Map(readable.map((ref) => [`${ref.txId} ${ref.address} ${ref.asset} ${ref.amount}`, ref]));
	const txIds = txIdsOf(readable);
	const shown = await transactionsOf(rpc, txIds, FINAL);
	const transactions = new Map(txIds.map((txId, at) => [txId, shown[at] ?? null]));
	const statuses = await statusesOf(rpc, txIds);
	let total = 0n;
	for (const { txId, address, asset, amount } of distinct.values()) {
		const transaction = transactions.get(txId);
		const status = statuses.get(txId);
		if (!transaction || !status || status.failed || !isFinal(status.depth)) continue;
		if (creditOf(transaction, address, asset) === amount) total += amount;
	}
	return total;
}
