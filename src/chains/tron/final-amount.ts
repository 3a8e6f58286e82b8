/**
 * The sum of the claimed deposits that the signer's own node confirms in every field. It reads transaction and receipt
 * by the same rules as the scan.
 */
import { sumOf } from '../../money/units.ts';
import type { DepositRef, Depth } from '../port.ts';
import { eachOf } from '../rpc/each-of.ts';
import { txIdsOf } from '../transaction-ids.ts';
import { isTronAddress } from './address.ts';
import { claimOf, creditsOf, keyOf } from './credits.ts';
import { depthAt, infoOf, tipsOf } from './depth.ts';
import type { TronNode } from './node.ts';
import { TRANSACTION_ID, TRANSACTION_OR_NONE } from './shapes.ts';

/** Each deposit counts once, however often it is named. @throws ChainUnavailable */
export async function finalAmount(
	node: TronNode,
	refs: readonly DepositRef[],
	isFinal: (depth: Depth) => boolean,
): Promise<bigint> {
	const tips = await tipsOf(node);
	const txIds = txIdsOf(refs).filter((txId) => TRANSACTION_ID.test(txId));
	const proven = await eachOf(txIds, async (txId) => {
		const transaction = await node.ask('/wallet/gettransactionbyid', TRANSACTION_OR_NONE, { value: txId });
		const info = transaction && (await infoOf(node, txId));
		if (!info || transaction.txID !== txId || !isFinal(depthAt(info.blockNumber, tips))) return [];
		return creditsOf(node.params, transaction, info);
	});
	const claimed = new Set(refs.filter(({ address }) => isTronAddress(address)).map(claimOf));
	return sumOf(proven.flat().filter((credit) => claimed.has(keyOf(credit))));
}
