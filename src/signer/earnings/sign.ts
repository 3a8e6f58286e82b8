/**
 * Judges and signs payouts of what partners have earned. No deposit proves them: the journal of what was signed for the
 * partner's orders does. Asked by the vault in the turn of the network. Atomic: the signature and the orders that it
 * pays for are one transaction of the journal, so that each is paid once.
 */
import type { ChainSigner, SigningState } from '../../chains/signing-port.ts';
import type { KeyRing } from '../../crypto/key-ring.ts';
import type { Prices } from '../../pricing/prices.ts';
import type { EarningsJournal } from '../journal/earnings.ts';
import type { Journal } from '../journal/journal.ts';
import type { EarningsClaim } from './claim.ts';
import { type EarningsRefusal, ordersRefusal, recipientRefusal, valued } from './judge.ts';

export interface EarningsSigning {
	readonly signer: ChainSigner;
	readonly journal: Journal;
	readonly earnings: EarningsJournal;
	readonly state: SigningState;
	readonly sealKeys: KeyRing;
	/** The signer's own. */
	readonly prices: () => Promise<Prices>;
	readonly toleranceBps: number;
	/** @throws where the day's cap does not bear it */
	readonly requireWithinCap: (day: string, usdCents: number) => void;
	/** What a network fee is worth. */
	readonly feeCents: (fee: bigint) => number;
	readonly now: number;
}

/** @throws InsufficientReserve, PaymentImpossible, and what the cap throws */
export async function signEarnings(
	signing: EarningsSigning,
	claim: EarningsClaim,
): Promise<{ readonly raw: string; readonly txId: string } | EarningsRefusal> {
	const { signer, journal, earnings, requireWithinCap, now } = signing;
	const { payout, orderIds } = claim;
	const earned = earnings.earnedWith(orderIds);
	const refusal =
		(await recipientRefusal(claim, signing.sealKeys, now)) ??
		ordersRefusal(claim, earned) ??
		settledRefusal(earnings, claim);
	if (refusal) return refusal;
	const worth = valued(claim, earned, await signing.prices(), signing.toleranceBps, now);
	if ('refused' in worth) return worth;
	const { id: payoutId, kind, network, asset, toAddress: to } = payout;
	const { usdCents } = worth;
	const day = new Date(now).toISOString().slice(0, 10);
	requireWithinCap(day, usdCents);
	const payment = { id: payoutId, asset, to, amount: BigInt(payout.amount) };
	const transaction = await signer.sign(payment, signing.state);
	// Again, and in one turn with the record: other networks may have signed, and the operator paid by hand, meanwhile.
	const spentCents = usdCents + signing.feeCents(transaction.fee);
	requireWithinCap(day, spentCents);
	const overtaken = settledRefusal(earnings, claim);
	if (overtaken) return overtaken;
	journal.record({
		...{ payoutId, orderId: '', kind, network, transaction, payment },
		...{ fromNetwork: network, deposits: [], day, usdCents: spentCents, now },
		also: () => earnings.pay(payoutId, orderIds),
	});
	return { raw: transaction.raw, txId: transaction.txId };
}

/** Nothing is left to be paid: it was, by the service or by hand, or the payout was given up. */
function settledRefusal(earnings: EarningsJournal, { payout, orderIds }: EarningsClaim): EarningsRefusal | null {
	if (earnings.isWithdrawn(payout.id)) return { refused: 'this payout was given up', again: false };
	if (earnings.payersOf(orderIds).length > 0) return { refused: 'these earnings were paid already', again: false };
	return null;
}

/** Never to be signed from now on; false where it is signed already. */
export function withdrawEarnings(journal: Journal, earnings: EarningsJournal, payoutId: string): boolean {
	if (journal.signatureOf(payoutId)) return false;
	earnings.withdraw(payoutId);
	return true;
}

/** Neither the payout nor any other for these orders is ever signed; false where one is signed already. */
export function paidByHand(
	journal: Journal,
	earnings: EarningsJournal,
	payoutId: string,
	orderIds: readonly string[],
): boolean {
	const payers = [payoutId, ...earnings.payersOf(orderIds)];
	if (payers.some((payer) => journal.signatureOf(payer))) return false;
	earnings.paidByHand(payoutId, orderIds);
	earnings.withdraw(payoutId);
	return true;
}
