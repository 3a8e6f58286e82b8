/**
 * Judges and signs withdrawals: coins of the hot wallet that the operator takes out. They have a daily cap of their
 * own, so that withdrawals never use up the cap of payouts, nor payouts that of withdrawals. Each address may have one as
 * well, which counts what it gets, without fees. Withdrawals of a network are signed one after the other, so what was read
 * of that counter holds until the signature is recorded.
 */
import { nativeAsset } from '../../catalog/assets.ts';
import { usdCents } from '../../money/decimal.ts';
import type { Signed } from '../../ports/signer.ts';
import type { SignerRefusal } from '../../treasury/signer-refusal.ts';
import { usdValue } from '../../treasury/sweeps/rules.ts';
import type { TransactionRow } from '../../treasury/table.ts';
import { NO_BYTES, withoutBytes } from '../overtaken.ts';
import { forgottenRefusal } from '../payouts/adopt.ts';
import { isRefusal } from '../refusal.ts';
import { feeCents, type Signing, signPayment } from '../signing.ts';
import { addressCapRefusal, judgeWithdrawal } from './judge.ts';

export async function signWithdrawal(signing: Signing, row: TransactionRow): Promise<Signed | SignerRefusal> {
	const { network, journal, day } = signing;
	const to = judgeWithdrawal(row, network, signing.withdrawalAddresses());
	if (isRefusal(to)) return to;
	const usd = await signing.prices.usd(row.asset, nativeAsset(network));
	if (isRefusal(usd)) return usd;
	const [assetUsd, nativeUsd] = usd;
	const cents = usdCents(usdValue(BigInt(row.amount), row.asset, assetUsd));
	const aboveCap = addressCapRefusal(network, to, cents);
	if (aboveCap) return aboveCap;
	return signPayment(signing, {
		row,
		asset: row.asset,
		purpose: 'withdrawal',
		cents: (fee) => cents + feeCents(network, fee, nativeUsd),
		also: () => journal.days.countWithdrawn({ network, address: to.address }, day, cents),
	});
}

/**
 * Records a withdrawal that an earlier journal has signed and this one, which was restored or lost, does not know: what the
 * signer's own node shows to have gone to one of the configured addresses, in that amount. It then counts as one that was
 * signed here. Atomic: the last check and the record are one synchronous turn.
 */
export async function adoptWithdrawal(
	signing: Signing,
	row: TransactionRow,
	txId: string,
): Promise<Signed | SignerRefusal> {
	const { network, chain, journal, restored, day, now } = signing;
	const { id: payoutId, kind, asset } = row;
	const to = judgeWithdrawal(row, network, signing.withdrawalAddresses());
	if (isRefusal(to)) return to;
	if (!restored.otherRefusal()) return { kind: 'order-not-restored', orderId: payoutId };
	const amount = BigInt(row.amount);
	const depth = await chain.transactionDepth(txId);
	const notForgotten = await forgottenRefusal(signing, txId, depth, { asset, to: to.address, amount });
	if (notForgotten) return notForgotten;
	const usd = await signing.prices.usd(asset);
	if (isRefusal(usd)) return usd;
	if (journal.isSigned(txId)) return { kind: 'signed-for-another', txId };
	const cents = usdCents(usdValue(amount, asset, usd[0]));
	const also = () => journal.days.countWithdrawn({ network, address: to.address }, day, cents);
	const transaction = withoutBytes(txId);
	const signed = { payoutId, kind, network, transaction, day, usdCents: cents, now, also };
	return journal.record(signed) ?? { raw: NO_BYTES, txId };
}
