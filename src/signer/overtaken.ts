/**
 * Did another transaction take the nonce or the coins of one of ours? Only the signer's own node and its journal say so. It
 * signs nothing for it.
 *
 * A move between our own wallets has failed then, as one that failed on chain. Of what is owed it may be a version that a
 * journal of before made and this one, which comes from a backup, has forgotten: only the signer's keys spend those coins or
 * that nonce, so what spends them and pays the same recipient the same amount is the same payment.
 */
import type { NetworkName } from '../catalog/networks.ts';
import { isFinal } from '../chains/finality.ts';
import type { Look } from '../chains/port.ts';
import type { ChainSigner, OwnAddresses, SignedTransaction } from '../chains/signing-port.ts';
import { utcDay } from '../platform/time.ts';
import type { OvertakenAnswer, OvertakenTransaction } from '../ports/signer.ts';
import type { SignerRefusal } from '../treasury/signer-refusal.ts';
import type { Journal } from './journal/journal.ts';
import type { Movement } from './journal/sweeps.ts';

export interface Asked {
	readonly network: NetworkName;
	/** The network, by the signer's own node. */
	readonly chain: Look;
	readonly signer: OwnAddresses;
	readonly journal: Journal;
}

/** A transaction of an earlier journal is judged by the caller's words: nothing here rests on it. */
export async function judgeOvertaken(
	asked: Asked & { readonly signer: Pick<ChainSigner, 'hasPaid'> },
	{ payoutId, terms, ...said }: OvertakenTransaction,
	now: number,
): Promise<OvertakenAnswer> {
	const { network, chain, signer, journal } = asked;
	const move = journal.sweeps.movement(payoutId);
	if (move && move.network !== network) return { isOvertaken: false };
	const { raw, from } = move ? signedBy(signer, move) : said;
	const found = await chain.overtaker?.(raw, from, said.txId);
	if (!found || !isFinal(network, found, null) || found.txId === move?.txId) return { isOvertaken: false };
	const version = journal.versions.of(payoutId).find((each) => each.txId === found.txId);
	if (version) return { isOvertaken: false, version: { raw: version.raw, txId: version.txId } };
	if (move) {
		journal.sweeps.noteFailed(move);
		return { isOvertaken: true };
	}
	const payment = journal.versions.paymentOf(payoutId)?.payment ?? { ...terms, amount: BigInt(terms.amount) };
	if (journal.isSigned(found.txId) || !(await signer.hasPaid(found.txId, payment))) return { isOvertaken: true };
	recordForgotten(asked, payoutId, found.txId, now);
	return { isOvertaken: false, version: { raw: NO_BYTES, txId: found.txId } };
}

/** Nothing of ours has these bytes; the chain has them. */
export const NO_BYTES = '';
export const withoutBytes = (txId: string): SignedTransaction => ({ raw: NO_BYTES, txId, spends: [], fee: 0n });

/**
 * A version that this journal has forgotten; one of which it has forgotten all is left to the caller. Its fee was counted
 * towards the cap of its day. Atomic: one synchronous turn. @throws where another call was first and the key is taken
 */
export function recordForgotten(
	{ network, journal }: Pick<Asked, 'network' | 'journal'>,
	payoutId: string,
	txId: string,
	now: number,
) {
	const known = journal.versions.of(payoutId);
	if (known.length === 0) return;
	const transaction = { ...withoutBytes(txId), fee: known[0]?.fee ?? 0n };
	journal.recordVersion({ payoutId, network, version: known.length, transaction, now, day: utcDay(now), usdCents: 0 });
}

const signedBy = (signer: OwnAddresses, { kind, raw, address }: Movement) => ({
	raw,
	from: kind === 'sweep' || kind === 'token' ? address : signer.hotAddress(),
});

/**
 * Why no other move may be signed yet in the place of one that the network refuses for good. Null where one may; also
 * where the node cannot tell which transaction took the nonce, since nodes forget old ones.
 */
export async function overtakerNotFinal(
	{ network, chain, signer, journal }: Asked,
	move: Movement,
): Promise<SignerRefusal | null> {
	const { raw, from } = signedBy(signer, move);
	const found = await chain.overtaker?.(raw, from, null);
	if (!found) return null;
	const { txId } = found;
	if (!isFinal(network, found, null)) return { kind: 'last-one-overtaken', txId };
	const isOwn = txId === move.txId || journal.versions.of(move.id).some((each) => each.txId === txId);
	if (!isOwn) journal.sweeps.noteFailed(move);
	return null;
}
