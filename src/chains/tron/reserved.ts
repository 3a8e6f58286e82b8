/**
 * The amounts that signed payouts may still take from the hot wallet. An account on Tron has neither nonces nor
 * separate coins. A token payout that finds too little does not wait: it fails in a block and burns its fee. So each
 * signature reserves what it takes until a block holds the transaction or it has expired.
 */
import type { ReservationOf } from '../reservations.ts';
import { eachOf } from '../rpc/each-of.ts';
import type { SigningState } from '../signing-port.ts';
import { infoOf } from './depth.ts';
import type { TronNode } from './node.ts';

/** Transactions that one signing looks up on the chain. Any beyond that count as not yet in a block. */
const MAX_ASKED = 200;

/**
 * `inBlocks`: the transactions that this signer has already seen in a block, so that none is looked up again. If a
 * reorganisation drops one, its reservation is missing until a block holds it again. That only risks a failed payout.
 * `now`: the chain's time, Unix milliseconds.
 * @throws ChainUnavailable
 */
export async function openReservations(
	node: TronNode,
	{ spent }: SigningState,
	inBlocks: Set<string>,
	now: number,
): Promise<ReservationOf<'until time'>[]> {
	const alive = [...spent].filter((each) => each.kind === 'until time').filter(({ expiration }) => expiration > now);
	for (const txId of inBlocks) if (!alive.some((each) => each.txId === txId)) inBlocks.delete(txId);
	const unsure = alive.filter(({ txId }) => !inBlocks.has(txId));
	await eachOf(unsure.slice(0, MAX_ASKED), async ({ txId }) => {
		if (await infoOf(node, txId)) inBlocks.add(txId);
	});
	return unsure.filter(({ txId }) => !inBlocks.has(txId));
}
