/**
 * Raising the fee of what was signed already. Judges for itself: this journal knows the payment, its own node sees no
 * version of it in a block, it was not raised too often, and the new version takes all that the old one took, so that
 * never more than one of them confirms. Whoever calls this as he likes costs fees below the network's ceiling, a bounded
 * number of times for each payout, within the day's cap.
 */
import { assetOf, nativeAsset } from '../../catalog/assets.ts';
import type { NetworkName } from '../../catalog/networks.ts';
import type { Chain } from '../../chains/port.ts';
import { encodeReservation } from '../../chains/reservations.ts';
import type { ChainSigner, SignedTransaction, SigningState } from '../../chains/signing-port.ts';
import { type Decimal, decimal, usdCents } from '../../money/decimal.ts';
import { fromBaseUnits } from '../../money/units.ts';
import type { BumpOutcome, StuckPayout } from '../../treasury/signer-port.ts';
import { MAX_RAISES } from '../../treasury/transactions/stuck.ts';
import type { Journal } from '../journal/journal.ts';

interface Bumping {
	readonly network: NetworkName;
	readonly journal: Journal;
	readonly signer: ChainSigner;
	/** The signer's own look at the network. */
	readonly chain: Chain;
	readonly state: SigningState;
	/** US dollars per coin of the network. @throws where there is no fresh price */
	readonly nativeUsd: () => Promise<Decimal>;
	/** UTC day that the fee counts for, and why that day does not bear it; null where it does. */
	readonly day: string;
	readonly capRefusal: (usdCents: number) => string | null;
	readonly now: number;
}

/** @throws PaymentImpossible, ChainUnavailable */
export async function bump(bumping: Bumping, { payoutId, txId }: StuckPayout): Promise<BumpOutcome> {
	const { network, journal, signer } = bumping;
	const refused = (reason: string): BumpOutcome => ({ payoutId, refused: reason });
	const signed = journal.versions.paymentOf(payoutId);
	const versions = journal.versions.of(payoutId);
	const newest = versions[0];
	if (!signed || signed.network !== network || !newest) return refused('no such payment was signed here');
	// Whoever asks has lost the last answer: the same one again.
	if (newest.txId !== txId) return { payoutId, replaced: { raw: newest.raw, txId: newest.txId } };
	if (!signer.replace) return refused('this network knows no replacing');
	if (versions.length > MAX_RAISES) return refused(`the fee was raised ${MAX_RAISES} times already`);
	if (await isInBlock(bumping.chain, versions)) return refused('a version of it is in a block');
	const next = await signer.replace(newest, signed.payment, bumping.state);
	const taken = new Set(next.spends.map(encodeReservation));
	if (!newest.spends.map(encodeReservation).every((spend) => taken.has(spend)))
		return refused('the new version would not take all that the old one takes');
	const cents = await feeCents(bumping, next.fee - newest.fee);
	const aboveCap = bumping.capRefusal(cents);
	if (aboveCap) return refused(aboveCap);
	journal.recordVersion({
		payoutId,
		network,
		version: versions.length,
		transaction: next,
		day: bumping.day,
		usdCents: cents,
		now: bumping.now,
	});
	return { payoutId, replaced: { raw: next.raw, txId: next.txId } };
}

async function isInBlock(chain: Chain, versions: readonly SignedTransaction[]): Promise<boolean> {
	for (const { txId } of versions) {
		if (((await chain.transactionDepth(txId))?.confirmations ?? 0) > 0) return true;
	}
	return false;
}

/** Only the fee counts towards the day's cap: the payment itself was counted when it was signed. */
async function feeCents({ network, nativeUsd }: Bumping, increase: bigint): Promise<number> {
	const coins = fromBaseUnits(increase > 0n ? increase : 0n, assetOf(nativeAsset(network)).decimals);
	return usdCents(decimal(coins).times(await nativeUsd()));
}
