/**
 * Bumps the fee of a payment that was signed already. The signer decides by itself: its journal must have the payment,
 * its own node must see no version of it in a block, and the number of fee bumps is limited. The new version spends all
 * that the old one spent, so at most one of them confirms. An attacker who calls this can only cost us fees: below the
 * network's ceiling, a limited number of times for each payment, and within the day's cap.
 *
 * Atomic: the new version is recorded before it leaves. A repeated call gets the same version again.
 */
import { nativeAsset } from '../../catalog/assets.ts';
import type { Chain } from '../../chains/port.ts';
import type { SignedTransaction } from '../../chains/signing-port.ts';
import type { Signed, StuckTransaction } from '../../treasury/signer-port.ts';
import type { SignerRefusal } from '../../treasury/signer-refusal.ts';
import { MAX_FEE_BUMPS } from '../../treasury/transactions/stuck.ts';
import { takesAll } from '../journal/spends.ts';
import { isRefusal } from '../refusal.ts';
import { feeCents, type Signing, stateOf } from '../signing.ts';

/** @throws PaymentImpossible, InsufficientReserve, ChainUnavailable */
export async function bumpFee(signing: Signing, { payoutId, txId }: StuckTransaction): Promise<Signed | SignerRefusal> {
	const { network, chain, journal, signer } = signing;
	const signed = journal.versions.paymentOf(payoutId);
	const versions = journal.versions.of(payoutId);
	const [newest] = versions;
	if (!signed || signed.network !== network || !newest) return { kind: 'bump-of-unknown-payment' };
	// The caller has lost the last answer: the same one again.
	if (newest.txId !== txId) return { raw: newest.raw, txId: newest.txId };
	if (!signer.replace) return { kind: 'bumps-unsupported' };
	if (versions.length > MAX_FEE_BUMPS) return { kind: 'bumped-too-often', times: MAX_FEE_BUMPS };
	if (await isInBlock(chain, versions)) return { kind: 'bump-of-confirmed' };
	const next = await signer.replace(newest, signed.payment, stateOf(signing, null));
	if (!takesAll(next.spends, newest.spends)) return { kind: 'bump-frees-coins' };
	return recordBump(signing, payoutId, versions, next);
}

/** Only the increase of the fee counts towards the day's cap: the payment itself was counted when it was signed. */
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
