/**
 * The amounts that signed transactions may still take from the hot wallet. Without this, two payouts that are signed at
 * the same time would both count on the same coins, and one would fail on the chain. A transaction is valid for about a
 * minute. After its last valid block height, or once the chain holds it, the balance already shows everything that it
 * takes. Pure.
 */
import type { AssetId } from '../../catalog/assets.ts';
import { sumOf } from '../../money/units.ts';
import type { BlockhashReservation, Reservation } from '../reservations.ts';

/** Those whose transactions can still be included above block height `height`. */
export const openReservations = (spent: Iterable<Reservation>, height: number): BlockhashReservation[] =>
	[...spent].filter((each) => each.kind === 'until height').filter(({ lastValidHeight }) => lastValidHeight > height);

/** Base units of the asset. */
export const reservedOf = (reservations: readonly BlockhashReservation[], asset: AssetId): bigint =>
	sumOf(reservations.filter((each) => each.asset === asset));
