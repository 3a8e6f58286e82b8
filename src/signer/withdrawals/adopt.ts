/**
 * Records a withdrawal that an earlier journal has signed and this one, which was restored or lost, does not know: what the
 * signer's own node shows to have gone to one of the configured addresses, in that amount. It then counts as one that was
 * signed here.
 *
 * Atomic: the last check and the record are one synchronous turn.
 */
import { usdCents } from '../../money/decimal.ts';
import type { Signed } from '../../ports/signer.ts';
import type { SignerRefusal } from '../../treasury/signer-refusal.ts';
import { usdValue } from '../../treasury/sweeps/rules.ts';
import type { TransactionRow } from '../../treasury/table.ts';
import { NO_BYTES, withoutBytes } from '../overtaken.ts';
import { forgottenRefusal } from '../payouts/adopt.ts';
import { isRefusal } from '../refusal.ts';
import type { Signing } from '../signing.ts';
import { judgeWithdrawal } from './judge.ts';

export async function adoptWithdrawal(
	signing: Signing,
	row: TransactionRow,
	txId: string,
): Promise<Signed | SignerRefusal> {
	const { network, chain, journal, restored, day, now } = signing;
	const { id: payoutId, kind, asset } = row;
	const to = judgeWithdrawal(row, network, signing.withdrawalAddresses());
	if (isRefusal(to)) return to;
	const { address } = to;
	if (!restored.otherRefusal()) return { kind: 'order-not-restored', orderId: payoutId };
	const amount = BigInt(row.amount);
	const depth = await chain.transactionDepth(txId);
	const notForgotten = await forgottenRefusal(signing, txId, depth, { asset, to: address, amount });
	if (notForgotten) return notForgotten;
	const usd = await signing.prices.usd(asset);
	if (isRefusal(usd)) return usd;
	if (journal.isSigned(txId)) return { kind: 'signed-for-another', txId };
	const cents = usdCents(usdValue(amount, asset, usd[0]));
	const also = () => journal.days.countWithdrawn({ network, address }, day, cents);
	const transaction = withoutBytes(txId);
	const recorded = journal.record({ payoutId, kind, network, transaction, day, usdCents: cents, now, also });
	return recorded ?? { raw: NO_BYTES, txId };
}
