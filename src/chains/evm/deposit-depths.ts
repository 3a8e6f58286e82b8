/** How deep the best chain holds each deposit on record, by the kind of its evidence. */

import type { DepositRef, Depth } from '../port.ts';
import type { JsonRpc } from '../rpc/json-rpc.ts';
import { BALANCE, blockHeights, depthAt, INTERNAL, readablePlaces, tipsOf } from './depth.ts';
import type { InternalDeposits, InternalPlace } from './internal.ts';
import type { EvmParams } from './params.ts';
import { isLogPosition, transferHeights } from './transfers.ts';

/**
 * In order; null where the best chain and the mempool no longer hold the deposit as it is told, `unknown` where the node
 * cannot tell of it now. @throws ChainUnavailable
 */
export async function depositDepths(
	rpc: JsonRpc,
	params: EvmParams,
	internals: InternalDeposits,
	refs: readonly DepositRef[],
): Promise<(Depth | null | 'unknown')[]> {
	const blocks = await blockHeights(
		rpc,
		refs.filter(({ position }) => position === BALANCE).map(({ txId }) => txId),
	);
	const inside = await internals.places(refs.filter(({ position }) => position === INTERNAL));
	const byTransaction = refs.filter(({ position }) => position !== BALANCE && position !== INTERNAL);
	const { places, unread } = await readablePlaces(
		rpc,
		byTransaction.map(({ txId }) => txId),
	);
	// After the places, so that what a block has taken from the mempool meanwhile is found.
	const transfers = await transferHeights(rpc, params, refs);
	// Asked last, so that nothing of the above can be higher.
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
		// A block holds the transaction, and it no longer pays what it did.
		return isTransfer ? null : place.height;
	};
	return refs.map((ref) => {
		const place = standing(ref);
		if (place === null || place === 'unknown') return place;
		if (place === 'pending') return { confirmations: 0, irreversible: false, height: null };
		// Two answers of two nodes, or a reorganisation just now.
		return place > tips.head ? 'unknown' : depthAt(place, tips);
	});
}
