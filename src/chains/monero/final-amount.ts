/** The sum of the claimed deposits that the wallet and the signer's own monerod both confirm in every field. */
import type { AssetId } from '../../catalog/assets.ts';
import type { DepositRef, Depth } from '../port.ts';
import { txIdsOf } from '../transaction-ids.ts';
import type { MoneroDaemon } from './daemon.ts';
import { heldTransactions } from './depth.ts';
import type { MoneroRpc } from './node.ts';
import { isCredit, positionOf, refreshed, transfersOf } from './wallet.ts';

/** Piconero. Each deposit counts once, however often it is named. @throws ChainUnavailable */
export async function finalAmount(
	wallet: MoneroRpc,
	daemon: MoneroDaemon,
	{
		asset,
		refs,
		isFinal,
	}: { readonly asset: AssetId; readonly refs: readonly DepositRef[]; readonly isFinal: (depth: Depth) => boolean },
): Promise<bigint> {
	await refreshed(wallet, daemon);
	const held = await heldTransactions(daemon, txIdsOf(refs));
	const distinct = new Map(refs.map((ref) => [`${ref.txId} ${ref.position}`, ref]));
	let sum = 0n;
	for (const ref of distinct.values()) {
		const depth = held.get(ref.txId)?.depth;
		if (!depth || ref.asset !== asset || !isFinal(depth)) continue;
		const transfers = (await transfersOf(wallet, ref.txId)).filter(isCredit);
		// The wallet must have seen it in the same block as monerod.
		const credit = transfers.find((each) => positionOf(each) === ref.position && each.height === depth.height);
		if (credit?.address === ref.address && credit.amount === ref.amount) sum += credit.amount;
	}
	return sum;
}
