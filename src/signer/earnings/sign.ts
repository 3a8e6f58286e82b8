/**
 * Judges and signs payouts of partners' earnings. What proves them is not a deposit, but the journal of the payouts
 * that were signed for the partner's orders.
 *
 * Atomic: the signature and the list of orders that it pays for are one transaction of the journal, so that each
 * order's earnings are paid once.
 */
import { nativeAsset } from '../../catalog/assets.ts';
import type { NetworkName } from '../../catalog/networks.ts';
import { type PayoutTerms, payoutTerms } from '../../orders/seal.ts';
import type { Signed } from '../../ports/signer.ts';
import type { SignerRefusal } from '../../treasury/signer-refusal.ts';
import type { Journal } from '../journal/journal.ts';
import { isOwnAddress } from '../own-address.ts';
import { isRefusal } from '../refusal.ts';
import { feeCents, type Signing, signPayment } from '../signing.ts';
import type { EarningsClaim } from './claim.ts';
import { ordersRefusal, recipientRefusal, valued } from './judge.ts';

export async function signEarnings(signing: Signing, claim: EarningsClaim): Promise<Signed | SignerRefusal> {
	const { network, signer, journal, prices, now } = signing;
	const { payout, orderIds } = claim;
	const olderRefusal = (): SignerRefusal | null => {
		const terms = payoutTerms(claim.paidTo.partnerId, claim.paidTo);
		const isTaken = terms && takesAddress(journal, terms, network, signer.hotAddress());
		return isTaken ? null : { kind: 'payout-address-older' };
	};
	const usd = await prices.usd(nativeAsset(network));
	if (isRefusal(usd)) return usd;
	const earned = journal.earnings.earnedWith(orderIds);
	const refusal =
		(await recipientRefusal(claim, signing.sealKeys, now)) ??
		ordersRefusal(claim, earned) ??
		settledRefusal(journal, claim) ??
		olderRefusal();
	if (refusal) return refusal;
	const worth = valued(claim, earned, await prices.current(), { toleranceBps: signing.toleranceBps, now });
	if (isRefusal(worth)) return worth;
	return signPayment(signing, {
		row: payout,
		asset: payout.asset,
		purpose: 'payout',
		cents: (fee) => worth.usdCents + feeCents(network, fee, usd[0]),
		// The operator may have paid by hand meanwhile, or the partner have replaced the address.
		overtaken: () => settledRefusal(journal, claim) ?? olderRefusal(),
		also: () => journal.earnings.pay(payout.id, orderIds),
	});
}

/** Nothing remains to be paid: the earnings were paid, by the service or by hand, or the payout was given up. */
function settledRefusal({ earnings }: Journal, { payout, orderIds }: EarningsClaim): SignerRefusal | null {
	if (earnings.isWithdrawn(payout.id)) return { kind: 'given-up' };
	return earnings.payersOf(orderIds).length > 0 ? { kind: 'earnings-paid' } : null;
}

/** As `Journal.earnings.takeAddress`. False for an address of ours too: what goes there is paid to nobody. Who calls has checked the seal. */
export const takesAddress = (journal: Journal, terms: PayoutTerms, network: NetworkName, hotAddress: string): boolean =>
	!isOwnAddress(journal, network, hotAddress, terms.address) && journal.earnings.takeAddress(terms);

/** From now on this payout is never signed; false where it is signed already. One synchronous turn. */
export function withdrawEarnings(journal: Journal, payoutId: string): boolean {
	if (journal.signatureOf(payoutId)) return false;
	journal.earnings.withdraw(payoutId);
	return true;
}

/**
 * From now on neither this payout nor any other for these orders is signed; false where one is signed already. One
 * synchronous turn.
 */
export function paidByHand(journal: Journal, payoutId: string, orderIds: readonly string[]): boolean {
	const payers = [payoutId, ...journal.earnings.payersOf(orderIds)];
	if (payers.some((payer) => journal.signatureOf(payer))) return false;
	journal.earnings.paidByHand(payoutId, orderIds);
	journal.earnings.withdraw(payoutId);
	return true;
}
