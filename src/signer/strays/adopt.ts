/**
 * Records the return of a stray that an earlier journal has signed and this one, which was restored, does not know: what the
 * signer's own node shows to have gone to the sealed refund address, or to the one that the operator sealed. It counts like a
 * return that was signed here, so what has gone back is never sent again.
 *
 * Atomic: the last checks and the record are one synchronous turn.
 */
import { isAssetId, nativeAsset } from '../../catalog/assets.ts';
import { usdCents } from '../../money/decimal.ts';
import type { AdoptedReturn } from '../../ports/copy.ts';
import type { SignerRefusal } from '../../treasury/signer-refusal.ts';
import { usdValue } from '../../treasury/sweeps/rules.ts';
import { NO_BYTES, withoutBytes } from '../overtaken.ts';
import { isRefusal } from '../refusal.ts';
import type { Signing } from '../signing.ts';
import type { StrayClaim } from './claim.ts';
import { amountRefusal, isEntered, type Place, strayRefusal } from './judge.ts';
import { arrivedAt, paidSince } from './sign.ts';

export async function adoptReturn(
	signing: Signing,
	claim: StrayClaim | undefined,
	txId: string,
): Promise<AdoptedReturn | SignerRefusal> {
	const { payInIndex = null, sweepAsset = null } = claim?.row ?? {};
	if (!claim || sweepAsset === null || payInIndex === null || !isAssetId(sweepAsset))
		return { kind: 'no-such-transaction' };
	const { network, signer, journal, restored, sealKeys, day, now } = signing;
	const { row, order } = claim;
	if (row.network !== network) return { kind: 'other-network' };
	const before = journal.sweeps.movement(row.id);
	if (before?.txId === txId) return { amount: before.amount.toString(), to: row.toAddress };
	if (before) return { kind: 'signed-for-another', txId: before.txId };
	const place: Place = { network, address: signer.payInAddress(payInIndex), asset: sweepAsset };
	const refusal = await strayRefusal(order, place, sealKeys, journal.addressOrders);
	if (refusal) return refusal;
	if (!restored.isOlder(order)) return { kind: 'order-not-restored', orderId: order.id };
	const found = (await paidSince(signing, claim, place.asset)).find((payment) => payment.txId === txId);
	if (!found) return { kind: 'not-that-payment', txId };
	const isSealed = found.to === order.refundAddress || (await isEntered({ ...claim, place, sealKeys }));
	if (!isSealed) return { kind: 'other-recipient' };
	const depth = await signing.chain.transactionDepth(txId);
	if (!depth || depth.reverted || depth.confirmations < 1) return { kind: 'not-on-chain', txId };
	const usd = await signing.prices.usd(place.asset, nativeAsset(network));
	if (isRefusal(usd)) return usd;
	const cents = usdCents(usdValue(found.amount, place.asset, usd[0]));
	const arrived = await arrivedAt(signing, place, cents);
	const refused = amountRefusal(found.amount, arrived, journal.sweeps.returnedAt(place));
	if (refused) return refused;
	if (journal.isSigned(txId)) return { kind: 'signed-for-another', txId };
	const { id: payoutId, kind } = row;
	const transaction = withoutBytes(txId);
	const movement = {
		id: payoutId,
		kind: 'stray',
		...place,
		amount: found.amount,
		raw: NO_BYTES,
		txId,
		at: now,
	} as const;
	const also = () => journal.sweeps.note(movement);
	const recorded = journal.record({ payoutId, kind, network, transaction, day, usdCents: cents, now, also });
	return recorded ?? { amount: found.amount.toString(), to: found.to };
}
