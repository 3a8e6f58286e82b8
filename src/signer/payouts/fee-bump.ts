/**
 * Bumps the fee of a payment that was signed already. Judges by itself: the journal must know the payment, the signer's
 * own node must see no version of it in a block, and the number of bumps is limited. The new version takes all that the
 * old one took, so that never more than one of them confirms. An attacker who calls this can only cost us fees below the
 * network's ceiling, a limited number of times for each payout, within the day's cap.
 *
 * Atomic: the new version is recorded before it leaves. A repeated call gets the same version again.
 */
import { nativeAsset } from '../../catalog/assets.ts';
import type { Chain, SignedTransaction } from '../../chains/port.ts';
import type { Signed, StuckPayout } from '../../treasury/signer-port.ts';
import type { SignerRefusal } from '../../treasury/signer-refusal.ts';
import { MAX_RAISES } from '../../treasury/transactions/stuck.ts';
import { isRefusal } from '../refusal.ts';
import { feeCents, type Signing, stateOf } from '../signing.ts';

/** @throws PaymentImpossible, InsufficientReserve, ChainUnavailable */
export async function bumpFee(signing: Signing, { payoutId, txId }: StuckPayout): Promise<Signed | SignerRefusal> {
	const { network, chain, journal, signer } = signing;
	const signed = journal.versions.paymentOf(payoutId);
	const versions = journal.versions.of(payoutId);
	const [newest] = versions;
	if (!signed || signed.network !== network || !newest) return { kind: 'bump-of-unknown-payment' };
	// The caller has lost the last answer: the same one again.
	if (newest.txId !== txId) return { raw: newest.raw, txId: newest.txId };
	if (!signer.replace) return { kind: 'bumps-unsupported' };
	if (versions.length > MAX_RAISES) return { kind: 'bumped-too-often', times: MAX_RAISES };
	if (await isInBlock(chain, versions)) return { kind: 'bump-of-confirmed' };
	const next = await signer.replace(newest, signed.payment, stateOf(signing, null));
	if (!newest.spends.every((spend) => next.spends.includes(spend))) return { kind: 'bump-frees-coins' };
	return recordBump(signing, payoutId, versions, next);
}

/** Only the higher fee counts towards the day's cap: the payment itself was counted when it was signed. */
async function recordBump(
	{ network, journal, prices, capRefusal, day, now }: Signing,
	payoutId: string,
	versions: readonly SignedTransaction[],
	next: SignedTransaction,
): Promise<Signed | SignerRefusal> {
	const usd = await prices.usd(nativeAsset(network));
	if (isRefusal(usd)) return usd;
	const increase = next.fee - (versions[0]?.fee ?? 0n);
	const usdCents = feeCents(network, increase > 0n ? increase : 0n, usd[0]);
	const aboveCap = capRefusal(journal.purposeOf(payoutId), usdCents);
	if (aboveCap) return aboveCap;
	journal.recordVersion({ payoutId, network, version: versions.length, transaction: next, day, usdCents, now });
	return { raw: next.raw, txId: next.txId };
}

async function isInBlock(chain: Chain, versions: readonly SignedTransaction[]): Promise<boolean> {
	for (const { txId } of versions) {
		if (((await chain.transactionDepth(txId))?.confirmations ?? 0) > 0) return true;
	}
	return false;
}
