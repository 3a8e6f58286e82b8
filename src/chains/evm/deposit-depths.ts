/** How deep the best chain holds each deposit on record, by the kind of its evidence. */
import type { JsonRpc } from '../json-rpc.ts';
import type { DepositRef, Depth } from '../port.ts';
import { BALANCE, blockHeights, depthAt, depthOfPlace, tipsOf, transactionPlaces } from './depth.ts';
import type { EvmParams } from './params.ts';
import { isLogPosition, transferHeights } from './transfers.ts';

/** In order; null where the best chain and the mempool no longer hold the deposit. @throws ChainUnavailable */
export async function depositDepths(
	rpc: JsonRpc,
	params: EvmParams,
	refs: readonly DepositRef[],
): Promise<(Depth | null)[]> {
	const blocks = await blockHeights(
		rpc,
		refs.filter(isBlockEvidence).map(({ txId }) => txId),
	);
	const places = await transactionPlaces(
		rpc,
		refs.filter((ref) => !isBlockEvidence(ref)).map(({ txId }) => txId),
	);
	// After the places, so that what a block has taken from the mempool meanwhile is found.
	const transfers = await transferHeights(rpc, params, refs);
	// Asked last, so that nothing of the above can be higher.
	const tips = await tipsOf(rpc);
	return refs.map((ref) => {
		const place = places.get(ref.txId);
		const height = isTransfer(ref) ? transfers.get(ref) : blocks.get(ref.txId);
		if (height !== undefined) return depthAt(height, tips);
		if (isBlockEvidence(ref) || !place?.success) return null;
		// A block holds the transaction, and it no longer pays what it did.
		if (isTransfer(ref) && place.height !== null) return null;
		return depthOfPlace(place, tips);
	});
}

const isBlockEvidence = ({ position }: DepositRef): boolean => position === BALANCE;

const isTransfer = ({ position }: DepositRef): boolean => isLogPosition(position);
