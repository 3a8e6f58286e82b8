/** Is this transaction of the hot wallet that payment? A token's transfer counts by the log in its receipt. */
import type { PaidTerms } from '../signing-port.ts';
import { requireRead, transactionPlaces, transactionsOf } from './depth.ts';
import { contractOf } from './erc20.ts';
import type { EvmRpc } from './node.ts';
import { transfersIn } from './transfers.ts';

/** @throws ChainUnavailable */
export async function hasPaid(rpc: EvmRpc, hotAddress: string, txId: string, payment: PaidTerms): Promise<boolean> {
	const sent = (await transactionsOf(rpc, [txId])).get(txId);
	if (sent?.from !== hotAddress.toLowerCase()) return false;
	const contract = contractOf(rpc.params, payment.asset);
	const wanted = { to: payment.to.toLowerCase(), amount: payment.amount };
	if (contract === null) {
		const isThat = sent.to === wanted.to && sent.value === wanted.amount;
		return isThat && (await transactionPlaces(rpc, [txId])).get(txId)?.success === true;
	}
	const { transfers, unread } = await transfersIn(rpc, [txId]);
	requireRead(unread);
	return transfers.some((each) => each.contract === contract && each.to === wanted.to && each.amount === wanted.amount);
}
