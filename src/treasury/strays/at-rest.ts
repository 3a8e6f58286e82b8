/** The holdings of pay-in addresses and the moves by which they are judged, of one moment. */
import type { AssetId } from '../../catalog/assets.ts';
import type { Chain } from '../../chains/port.ts';
import type { Connection } from '../connection.ts';
import { movesAt } from '../deposits/watch-store.ts';
import type { TransactionRow } from '../table.ts';

export interface AtRest {
	/** As `Chain.lying`, of all the addresses. */
	readonly held: Awaited<ReturnType<NonNullable<Chain['lying']>>>;
	/** By address, of those whose coins nothing moves: the others are judged at a later look. */
	readonly moves: ReadonlyMap<string, readonly TransactionRow[]>;
}

/**
 * The moves are read before the balances and after them. A sweep that became final in between would be counted twice: as
 * what lies there, and as what it took. One that is not signed afterwards has moved nothing, however long it waits for a
 * person. @throws ChainUnavailable
 */
export async function readAtRest(
	{ db, network }: Connection,
	lying: (addresses: readonly string[]) => Promise<ReadonlyMap<AssetId, readonly bigint[]>>,
	addresses: readonly string[],
): Promise<AtRest> {
	const before = await movesAt(db, network, addresses);
	const held = await lying(addresses);
	const after = Map.groupBy(await movesAt(db, network, addresses), ({ payInAddress }) => payInAddress);
	const settled = new Set(before.filter(({ state }) => state === 'final').map(({ id }) => id));
	const moves = addresses
		.map((address) => [address, (after.get(address) ?? []).filter(({ txId }) => txId !== null)] as const)
		.filter(([, own]) => own.every(({ id }) => settled.has(id)));
	return { held, moves: new Map(moves) };
}
