/**
 * Finds where more lies than is on record, for families that find deposits by balances. The record must be complete:
 * `known` names everything that was ever credited to an address and is still on the chain. Pure.
 */
import { sumOf } from '../money/units.ts';
import type { Watched, WatchedAddress } from './port.ts';

/** The place on the chain that holds it; null where it cannot be read. */
export type PlaceOf = (watched: WatchedAddress) => string | null;

/** By place, one entry each, even if it is watched more than once. */
export function openPlaces(watched: readonly WatchedAddress[], placeOf: PlaceOf): Map<string, WatchedAddress> {
	const open = new Map<string, WatchedAddress>();
	for (const each of watched) {
		const place = placeOf(each);
		if (place === null) continue;
		const entry = open.get(place) ?? { ...each, known: [] };
		const known = [...entry.known, ...each.known.filter(({ asset }) => asset === each.asset)];
		open.set(place, { ...entry, known });
	}
	return open;
}

export interface Grown extends WatchedAddress {
	readonly place: string;
	readonly balance: bigint;
	/** Base units beyond the record; positive. */
	readonly unexplained: bigint;
}

/**
 * The places that hold more than their whole record. Asked for in turn, dust is only a sum; asked for by address, each
 * deposit has its own entry. `held`: balances by place; a place without one is left out.
 */
export async function grownPlaces(
	open: ReadonlyMap<string, WatchedAddress>,
	held: ReadonlyMap<string, bigint>,
	watched: Watched,
	placeOf: PlaceOf,
): Promise<Grown[]> {
	const suspects = grownAmong(open, held).map(({ address }) => address);
	return suspects.length === 0 ? [] : grownAmong(openPlaces(await watched(suspects), placeOf), held);
}

const grownAmong = (open: ReadonlyMap<string, WatchedAddress>, held: ReadonlyMap<string, bigint>): Grown[] =>
	[...open].flatMap(([place, each]) => {
		const balance = held.get(place);
		const unexplained = (balance ?? 0n) + each.swept - sumOf(each.known);
		return balance !== undefined && unexplained > 0n ? [{ ...each, place, balance, unexplained }] : [];
	});

/** The height or slot of a scan's cursor. @throws TypeError on a foreign cursor */
export function numberIn(cursor: string): number {
	if (!/^\d{1,13}$/.test(cursor)) throw new TypeError(`not a cursor of this family: ${cursor}`);
	return Number(cursor);
}
