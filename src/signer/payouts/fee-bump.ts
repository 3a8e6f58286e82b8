/**
 * Makes another version of a payment that was signed already, and that no block takes. The signer decides by itself: its
 * journal must have the payment, its own node must see no version of it in a block, and the number of versions is limited:
 * beyond it there is one only where its own node takes the last one no more. The new version spends all that the old one
 * spent, or its own node has proven that the old one can no longer be in any block, so at most one of them confirms. An
 * attacker who calls this can only cost us fees: below the network's ceiling, and within the day's cap.
 *
 * A journal that was restored may not know the newest version. Where versions need not take the same, that one may have
 * paid, or may still pay: a person looks first, as with what is signed for the first time.
 *
 * Atomic: the new version is recorded before it leaves. A repeated call gets the same version again.
 */
import { nativeAsset } from '../../catalog/assets.ts';
import type { Look } from '../../chains/port.ts';
import type { SignedTransaction } from '../../chains/signing-port.ts';
import type { Signed, StuckTransaction } from '../../ports/signer.ts';
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
	if (await isInBlock(chain, versions)) return { kind: 'bump-of-confirmed' };
	const doubted = mayLackOne(newest) ? forgottenVersion(signing, payoutId) : null;
	if (doubted) return doubted;
	const next = await signer.replace(newest, signed.payment, stateOf(signing, null), versions.length > MAX_FEE_BUMPS);
	if (!next) return { kind: 'bumped-too-often', times: MAX_FEE_BUMPS };
	if (!takesAll(next.spends, newest.spends)) return { kind: 'bump-frees-coins' };
	return recordBump(signing, payoutId, versions, next);
}

/** Could there be another version that takes nothing of what this one takes? */
const mayLackOne = ({ spends }: SignedTransaction): boolean =>
	spends.some(({ kind }) => kind === 'until height' || kind === 'until time' || kind === 'key image');

/** Why there may be a version that this journal does not know; null where there is none, or a person has looked. */
function forgottenVersion({ journal, restored }: Signing, payoutId: string): SignerRefusal | null {
	const signedAt = journal.versions.newestAt(payoutId);
	return restored.versionRefusal(journal.signatureOf(payoutId)?.orderId ?? '', signedAt);
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

async function isInBlock(chain: Look, versions: readonly SignedTransaction[]): Promise<boolean> {
	for (const { txId } of versions) {
		if (((await chain.transactionDepth(txId))?.confirmations ?? 0) > 0) return true;
	}
	return false;
}
