/**
 * The keys of entries that are in the journal's volumes (`volumes.ts`): one for each name that an order's entries are looked
 * up by, with the number of the volume. The entries of an order are here, or their keys are: never both, never neither. A key is
 * twelve bytes of a SHA-256, so no key is missed, and nobody finds a second name with the key of a first one.
 */
import { sha256 } from '@noble/hashes/sha2.js';
import { hex } from '@scure/base';
import type { NetworkName } from '../../catalog/networks.ts';

/** A name that entries are looked up by. `payout`: the id of any transaction; `earned`: an order whose earnings were paid. */
export type EntryName =
	| `${'payout' | 'order' | 'tx' | 'earned'} ${string}`
	| `${'address' | 'spend'} ${NetworkName} ${string}`;

const KEY_BYTES = 12;

const keyOf = (name: EntryName): string => hex.encode(sha256(new TextEncoder().encode(name)).subarray(0, KEY_BYTES));

const keysOf = (names: readonly EntryName[]): string => JSON.stringify(names.map(keyOf));

/** By number: the volumes that have entries of these names, and which. */
export function volumesOf(sql: SqlStorage, names: readonly EntryName[]): ReadonlyMap<number, EntryName[]> {
	const found = sql.exec<{ place: number; volume: number }>(
		'SELECT each.key AS place, volume FROM json_each(?) AS each JOIN moved ON moved.key = unhex(each.value)',
		keysOf(names),
	);
	const volumes = new Map<number, EntryName[]>();
	for (const { place, volume } of found) {
		const name = names[place];
		if (name) volumes.set(volume, [...(volumes.get(volume) ?? []), name]);
	}
	return volumes;
}

export const isMoved = (sql: SqlStorage, names: readonly EntryName[]): boolean => volumesOf(sql, names).size > 0;

/**
 * Before each write that the keys of the tables guard: a key that a volume has guards nothing here. @throws where entries
 * of these names were not brought back; then nothing is written
 */
export function mustBeHere(sql: SqlStorage, names: readonly EntryName[]): void {
	const [moved] = [...volumesOf(sql, names).values()].flat();
	if (moved) throw new Error(`${moved} is in an older volume of the journal: it must be brought back first`);
}

/** Only in the transaction that takes the entries away. @throws where a key is there already */
export function addMoved(sql: SqlStorage, names: readonly EntryName[], volume: number): void {
	sql.exec('INSERT INTO moved SELECT unhex(value), ?2 FROM json_each(?1)', keysOf(names), volume);
}

/** Only in the transaction that puts the entries back. */
export function removeMoved(sql: SqlStorage, names: readonly EntryName[]): void {
	sql.exec('DELETE FROM moved WHERE key IN (SELECT unhex(value) FROM json_each(?))', keysOf(names));
}
