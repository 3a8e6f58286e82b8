/**
 * Each address has one unfinished transaction of a kind at a time. While the last one is in no block, a request for
 * another one, under any id, is answered with the last one. So an attacker gets only one transaction, however often
 * they call. One that failed on chain moves nothing any more once its block is final: its nonce is used, and no chain
 * executes a transaction twice. Nor does one whose nonce another transaction took, once that one is final. Then another one
 * may be signed, a few times (`MAX_FAILURES`), since each burns a fee.
 */
import { BroadcastRejected } from '../../chains/errors.ts';
import { isFinal } from '../../chains/finality.ts';
import type { Look } from '../../chains/port.ts';
import type { Signed } from '../../ports/signer.ts';
import type { SignerRefusal } from '../../treasury/signer-refusal.ts';
import type { Journal } from '../journal/journal.ts';
import type { Movement } from '../journal/sweeps.ts';
import { type Asked, overtakerNotFinal } from '../overtaken.ts';
import type { Signing } from '../signing.ts';

/**
 * The last transaction if it may still confirm; null if another may be signed; a refusal if it failed on chain, and a
 * reorganisation may still bring it back. A node forgets old transactions, and a nonce that the chain counts is used.
 */
export async function unfinished(
	asked: Omit<Asked, 'network'> & Partial<Pick<Signing, 'isCosigner'>>,
	last: Movement | null,
): Promise<Signed | SignerRefusal | null> {
	// No node takes what a co-signer has, for it lacks a signature: the signer says whether another one is needed.
	if (!last || asked.isCosigner) return null;
	const { chain, journal } = asked;
	const versions = journal.versions.of(last.id);
	for (const { txId } of versions.length > 0 ? versions : [last]) {
		const depth = await chain.transactionDepth(txId);
		if (!depth || depth.height === null) continue;
		if (!depth.reverted) return null;
		if (!isFinal(last.network, depth, null)) return { kind: 'last-one-reverted', txId };
		journal.sweeps.noteFailed(last);
		return null;
	}
	const newest = newestOf(journal, last);
	if (!(await isDead(chain, newest.raw))) return newest;
	return overtakerNotFinal({ ...asked, network: last.network }, last);
}

/** Broadcasts it again, which does no harm: only the network knows whether it can still confirm. */
async function isDead(chain: Look, raw: string): Promise<boolean> {
	try {
		await chain.broadcast(raw);
		return false;
	} catch (error) {
		return error instanceof BroadcastRejected && (error.taken || error.expired);
	}
}

/** Its version with the highest fee. */
const newestOf = (journal: Journal, movement: Movement): Signed => {
	const { raw, txId } = journal.versions.of(movement.id)[0] ?? movement;
	return { raw, txId, amount: movement.amount };
};
