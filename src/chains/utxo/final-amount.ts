/** The sum of the claimed deposits that the signer's own node confirms in every field. */
import type { AssetId } from '../../catalog/assets.ts';
import type { DepositRef, Depth } from '../port.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { txIdsOf } from '../transaction-ids.ts';
import { creditAt, depthOf, heldTransactions } from './depth.ts';

/** Base units. Each deposit counts once, however often it is named. @throws ChainUnavailable */
export async function finalAmount(
	rpc: JsonRpc,
	asset: AssetId,
	refs: readonly DepositRef[],
	isFinal: (depth: Depth) => boolean,
): Promise<bigint> {
	const held = await heldTransactions(rpc, txIdsOf(refs));
	const distinct = new Map(refs.map((ref) => [`${ref.txId}:${ref.position}`, ref]));
	let sum = 0n;
	for (const ref of distinct.values()) {
		const transaction = held.get(ref.txId);
		const credit = transaction && creditAt(transaction, ref.position);
		if (!credit || ref.asset !== asset) continue;
		if (!isFinal({ ...depthOf(transaction), ...(credit.immature && { immature: true }) })) continue;
		if (credit.address === ref.address && credit.amount === ref.amount) sum += credit.amount;
	}
	return sum;
}
