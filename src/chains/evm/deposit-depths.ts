/** The depth of each recorded deposit in the best chain, by the kind of its evidence. */
import type { DepositRef, Depth } from '../port.ts';
import { txIdsOf } from '../transaction-ids.ts';
import { BALANCE, blockHeights, depthAt, INTERNAL, readablePlaces, tipsOf } from './depth.ts';
import type { InternalDeposits, InternalPlace } from './internal.ts';
import type { EvmRpc } from './node.ts';
import { isLogPosition, transferHeights } from './transfers.ts';

/**
 * In order. Null: neither the best chain nor the mempool still holds the deposit with these values. `unknown`: the node
 * cannot tell now. @throws ChainUnavailable
 */
export async function depositDepths(
	rpc: EvmRpc,
	internals: InternalDeposits,
	refs: readonly DepositRef[],
): Promise<(Depth | null | 'unknown')[]> {
	const blocks = await blockHeights(rpc, txIdsOf(refs.filter(({ position }) => position === BALANCE)));
	const inside = await internals.places(refs.filter(({ position }) => position === INTERNAL));
	const byTransaction = refs.filter(({ position }) => position !== BALANCE && position !== INTERNAL);
	const { places, unread } = await readablePlaces(rpc, txIdsOf(byTransaction));
	// Queried after the places, so that a transaction is found although a block included it meanwhile.
	const transfers = await transferHeights(rpc, refs);
	// Queried last, so that no place above can be higher than the head.
	const tips = await tipsOf(rpc);
	const standing = (ref: DepositRef): InternalPlace => {
		if (ref.position === BALANCE) return blocks.get(ref.txId) ?? null;
		if (ref.position === INTERNAL) return inside.get(ref) ?? null;
		const place = places.get(ref.txId);
		const isTransfer = isLogPosition(ref.position);
		if (unread.has(ref.txId) || (isTransfer && transfers.unread.has(ref.txId))) return 'unknown';
		if (isTransfer && transfers.heights.has(ref)) return transfers.heights.get(ref) ?? null;
		if (!place?.success) return null;
		if (place.height === null) return 'pending';
		// A block holds the transaction, but it no longer makes this transfer.
		return isTransfer ? null : place.height;
	};
	return refs.map((ref) => {
		const place = standing(ref);
		if (place === null || place === 'unknown') return place;
		if (place === 'pending') return { confirmations: 0, irreversible: false, height: null };
		// Two nodes answered, or there was a reorganisation just now.
		return place > tips.head ? 'unknown' : depthAt(place, tips);
	});
}
