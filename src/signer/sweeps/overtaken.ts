/**
 * Did another transaction take the nonce of a move between our own wallets? Only the signer's own node and its journal
 * say so. It signs nothing for it, and the failure counts like one on chain.
 */
import type { NetworkName } from '../../catalog/networks.ts';
import { isFinal } from '../../chains/finality.ts';
import type { Chain } from '../../chains/port.ts';
import type { OwnAddresses } from '../../chains/signing-port.ts';
import type { OvertakenAnswer, OvertakenMove } from '../../treasury/signer-port.ts';
import type { SignerRefusal } from '../../treasury/signer-refusal.ts';
import type { Journal } from '../journal/journal.ts';
import type { Movement } from '../journal/sweeps.ts';

export interface Asked {
	readonly network: NetworkName;
	/** The network, by the signer's own node. */
	readonly chain: Chain;
	readonly signer: OwnAddresses;
	readonly journal: Journal;
}

/** A move that an earlier journal signed is judged by the caller's words: nothing here rests on it. */
export async function judgeOvertaken(asked: Asked, { payoutId, ...said }: OvertakenMove): Promise<OvertakenAnswer> {
	const { network, chain, signer, journal } = asked;
	const move = journal.sweeps.movement(payoutId);
	if (move && move.network !== network) return { isOvertaken: false };
	const { raw, from } = move ? signedBy(signer, move) : said;
	const found = await chain.overtaker?.(raw, from, said.txId);
	if (!found || !isFinal(network, found, null) || found.txId === move?.txId) return { isOvertaken: false };
	const version = journal.versions.of(payoutId).find((each) => each.txId === found.txId);
	if (version) return { isOvertaken: false, version: { raw: version.raw, txId: version.txId } };
	if (move) journal.sweeps.noteFailed(move);
	return { isOvertaken: true };
}

const signedBy = (signer: OwnAddresses, { kind, raw, address }: Movement) => ({
	raw,
	from: kind === 'sweep' ? address : signer.hotAddress(),
});

/**
 * Of a move that the network refuses for good: why no other may be signed yet. Null where one may; also where the node
 * cannot tell which transaction took the nonce, since nodes forget old ones.
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
