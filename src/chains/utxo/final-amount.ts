/** The sum of the deposits that are deep enough now, by the signer's own coin book. */
import type { AssetId } from '../../catalog/assets.ts';
import type { DepositRef, Depth } from '../port.ts';
import { coinsAt } from './book/reads.ts';
import { depthAt, isThat, keyOf, outpointOf } from './depth.ts';
import type { Watching } from './watching.ts';

/** Base units. Each deposit counts once, however often it is named. @throws ChainUnavailable */
export async function finalAmount(
	{ keeper, book, locks }: Watching,
	asset: AssetId,
	refs: readonly DepositRef[],
	isFinal: (depth: Depth) => boolean,
): Promise<bigint> {
	const last = await keeper.current();
	const distinct = new Map(refs.map((ref) => [`${ref.txId}:${ref.position}`, ref]));
	const coins = coinsAt(
		book,
		[...distinct.values()].flatMap((ref) => outpointOf(ref) ?? []),
	);
	const locked = await locks.upTo(coins.map(({ height }) => height));
	return coins.reduce((sum, coin) => {
		const ref = distinct.get(keyOf(coin));
		const isCounted = ref?.asset === asset && isThat(coin, ref) && isFinal(depthAt(coin, last, locked));
		return isCounted ? sum + coin.amount : sum;
	}, 0n);
}
