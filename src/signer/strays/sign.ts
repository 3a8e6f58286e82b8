/**
 * Judges and signs the return of a stray: a payment from the hot wallet, within the daily refund cap. Atomic: the journal has
 * the return before the signature leaves, and checks again what another call may have signed meanwhile.
 */
import { type AssetId, isAssetId, nativeAsset } from '../../catalog/assets.ts';
import { isFinal } from '../../chains/finality.ts';
import type { SentPayment } from '../../chains/sent-payment.ts';
import { usdCents } from '../../money/decimal.ts';
import type { AdoptedReturn } from '../../ports/copy.ts';
import type { Signed } from '../../ports/signer.ts';
import type { SignerRefusal } from '../../treasury/signer-refusal.ts';
import { usdValue } from '../../treasury/sweeps/rules.ts';
import { NO_BYTES, withoutBytes } from '../overtaken.ts';
import { isOwnAddress } from '../own-address.ts';
import { isRefusal } from '../refusal.ts';
import { feeCents, type Signing, signPayment } from '../signing.ts';
import type { StrayClaim } from './claim.ts';
import { amountRefusal, isEntered, type Place, returnRefusal, strayRefusal } from './judge.ts';

export async function signStray(signing: Signing, claim: StrayClaim): Promise<Signed | SignerRefusal> {
	const { network, signer, journal, sealKeys, now } = signing;
	const { row, order } = claim;
	const { payInIndex, sweepAsset: asset } = row;
	if (payInIndex === null || asset === null || !isAssetId(asset)) return { kind: 'pay-in-address-not-ours' };
	const place: Place = { network, address: signer.payInAddress(payInIndex), asset };
	const isOurs = (text: string) => isOwnAddress(journal, network, signer.hotAddress(), text);
	const refusal =
		(await strayRefusal(order, place, sealKeys, journal.addressOrders)) ??
		(await returnRefusal({ ...claim, place, sealKeys, isOurs })) ??
		signing.restored.otherRefusal() ??
		(await recipientRefusal(signing, claim, place)) ??
		(await wentBackBefore(signing, claim, place));
	if (refusal) return refusal;
	const amount = BigInt(row.amount);
	const usd = await signing.prices.usd(asset, nativeAsset(network));
	if (isRefusal(usd)) return usd;
	const [assetUsd, nativeUsd] = usd;
	const cents = usdCents(usdValue(amount, asset, assetUsd));
	const arrived = await arrivedAt(signing, place, cents);
	const overtaken = () => amountRefusal(amount, arrived, journal.sweeps.returnedAt(place));
	const above = overtaken();
	if (above) return above;
	const { address } = place;
	return signPayment(signing, {
		row,
		asset,
		purpose: 'refund',
		overtaken,
		cents: (fee) => cents + feeCents(network, fee, nativeUsd),
		also: ({ raw, txId }) =>
			journal.sweeps.note({ id: row.id, kind: 'stray', network, address, asset, amount, raw, txId, at: now }),
	});
}

/** The payer controls a contract on the network that they named it for, and perhaps on no other. */
async function recipientRefusal(
	{ network, chainOn, sealKeys }: Signing,
	claim: StrayClaim,
	place: Place,
): Promise<SignerRefusal | null> {
	const { row, order } = claim;
	const home = order.fromNetwork;
	if (home === network || (await isEntered({ ...claim, place, sealKeys }))) return null;
	const chain = chainOn(home);
	if (chain === null) return { kind: 'network-not-run', network: home };
	return (await chain.isContract?.(row.toAddress)) ? { kind: 'refund-address-contract', network: home } : null;
}

/** After a restore the journal may have forgotten a return of before: then the chain shows it. */
async function wentBackBefore(
	signing: Signing,
	claim: StrayClaim,
	{ network, asset }: Place,
): Promise<SignerRefusal | null> {
	const { chain, journal, restored } = signing;
	const { order } = claim;
	const state = restored.state();
	if (!state || !restored.isOlder(order)) return null;
	if (!chain.paymentsTo) return { kind: 'restored-order', orderId: order.id, backupAt: state.backupAt };
	const found = await paidSince(signing, claim, asset);
	const unknown = found.find(({ txId }) => !journal.isSigned(txId) && !restored.isOther(order.id, asset, txId));
	if (!unknown) return null;
	const { txId, amount } = unknown;
	return { kind: 'stray-paid-before', network, asset, amount: amount.toString(), txId, orderId: order.id };
}

/** The payments to the addresses that this return may go to, since the backup. */
export const paidSince = async (
	{ chain, restored }: Signing,
	{ row, order }: StrayClaim,
	asset: AssetId,
): Promise<readonly SentPayment[]> =>
	(await chain.paymentsTo?.(
		asset,
		[row.toAddress, order.refundAddress],
		restored.state()?.backupAt ?? order.createdAt,
	)) ?? [];

/** The sum of its sweeps that are final on the signer's own node; on the sandbox, which has none, the sum that came. */
export async function arrivedAt({ network, chain, journal, asked }: Signing, { address, asset }: Place, cents: number) {
	if (!chain.sweeping) {
		const [amount = 0n] = (await chain.lying?.([address]))?.get(asset) ?? [];
		return { amount, times: Number.POSITIVE_INFINITY };
	}
	let [amount, times] = [0n, 0];
	// Gas of ours that no sweep of a token has used may have been swept with it. Where the wallet pays, there is none.
	const hasGas = asset === nativeAsset(network) && chain.sweeping.feePayer === 'address';
	let ours = hasGas ? journal.sweeps.gasAt(network, address) : 0n;
	for (const sweep of journal.sweeps.sweepsAt(network, address).filter(({ kind }) => kind === 'sweep')) {
		const depth = await chain.transactionDepth(sweep.txId);
		if (sweep.asset !== asset) ours -= depth?.fee ?? 0n;
		else if (depth && !depth.reverted && isFinal(network, depth, cents, asked(network))) {
			amount += sweep.amount;
			times += 1;
		}
	}
	return { amount: hasGas && ours > 0n ? amount - ours : amount, times };
}

/**
 * Records the return of a stray that an earlier journal has signed and this one, which was restored, does not know: what the
 * signer's own node shows to have gone to the sealed refund address, or to the one that the operator sealed. It counts like a
 * return that was signed here, so what has gone back is never sent again.
 *
 * Atomic: the last checks and the record are one synchronous turn.
 */
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
