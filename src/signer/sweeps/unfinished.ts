/**
 * Each address has one unfinished transaction of a kind at a time. While the last one is in no block, a request for
 * another one, under any id, is answered with the last one. So an attacker gets only one transaction, however often
 * they call.
 */
import { BroadcastRejected } from '../../chains/errors.ts';
import type { Chain } from '../../chains/port.ts';
import type { Signed } from '../../treasury/signer-port.ts';
import type { SignerRefusal } from '../../treasury/signer-refusal.ts';
import type { Journal } from '../journal/journal.ts';
import type { Movement } from '../journal/sweeps.ts';

type Rejection = 'taken' | 'expired';

/**
 * The last transaction if it may still confirm; null if another may be signed; a refusal if it was reverted, because
 * another one would be too. `unless`: the rejection that means that it can never confirm.
 */
export async function unfinished(
	{ chain, journal }: { readonly chain: Chain; readonly journal: Journal },
	last: Movement | null,
	unless: Rejection,
): Promise<Signed | SignerRefusal | null> {
	if (!last) return null;
	const versions = journal.versions.of(last.id);
	for (const { txId } of versions.length > 0 ? versions : [last]) {
		const depth = await chain.transactionDepth(txId);
		if (depth?.reverted) return { kind: 'last-one-reverted', txId };
		if (depth && depth.height !== null) return null;
	}
	const newest = newestOf(journal, last);
	return (await isRejected(chain, newest.raw, unless)) ? null : newest;
}

/** Broadcasts it again, which does no harm: only the network knows whether it can still confirm. */
async function isRejected(chain: Chain, raw: string, rejection: Rejection): Promise<boolean> {
	try {
		await chain.broadcast(raw);
		return false;
	} catch (error) {
		return error instanceof BroadcastRejected && error[rejection];
	}
}

/** Its version with the highest fee. */
const newestOf = (journal: Journal, movement: Movement): Signed => {
	const { raw, txId } = journal.versions.of(movement.id)[0] ?? movement;
	return { raw, txId, amount: movement.amount };
};
