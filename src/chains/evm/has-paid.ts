/** Is this transaction of the hot wallet that payment? A token's transfer counts by the log in its receipt. */
import type { JsonRpc } from '../rpc/json-rpc.ts';
import type { PaidTerms } from '../signing-port.ts';
import { requireRead, transactionPlaces } from './depth.ts';
import { contractOf } from './erc20.ts';
import { askEach } from './node.ts';
import type { EvmParams } from './params.ts';
import { TRANSACTION_ID, TRANSACTION_OR_NONE } from './shapes.ts';
import { transfersIn } from './transfers.ts';

/** @throws ChainUnavailable */
export async function hasPaid(
	rpc: JsonRpc,
	params: EvmParams,
	{ hotAddress, txId, payment }: { readonly hotAddress: string; readonly txId: string; readonly payment: PaidTerms },
): Promise<boolean> {
	if (!TRANSACTION_ID.test(txId)) return false;
	const call = { method: 'eth_getTransactionByHash', params: [txId] };
	const [sent] = await askEach(rpc, TRANSACTION_OR_NONE, [call]);
	if (sent?.hash !== txId || sent.from !== hotAddress.toLowerCase()) return false;
	const contract = contractOf(params, payment.asset);
	const wanted = { to: payment.to.toLowerCase(), amount: payment.amount };
	if (contract === null) {
		const isThat = sent.to === wanted.to && sent.value === wanted.amount;
		return isThat && (await transactionPlaces(rpc, [txId])).get(txId)?.success === true;
	}
	const { transfers, unread } = await transfersIn(rpc, [txId]);
	requireRead(unread);
	return transfers.some((each) => each.contract === contract && each.to === wanted.to && each.amount === wanted.amount);
}
