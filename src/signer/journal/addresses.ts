/** The pay-in addresses that the signer has derived, and the counters that their derivation indexes come from. */
import type { NetworkName } from '../../catalog/networks.ts';
import { JournalPart } from './part.ts';

const PER_PAGE = 5_000;

export class Addresses extends JournalPart {
	/** Has this scope a counter? It has one from the first address on. */
	hasCounter(scope: string): boolean {
		return this.has('SELECT 1 FROM indexes WHERE scope = ?', scope);
	}

	/** Atomic, one statement: reserves the next `count` indexes of a scope, none below `atLeast`. Returns the first. */
	takeIndexes(scope: string, count: number, atLeast: number): number {
		const taking = `INSERT INTO indexes (scope, next) VALUES (?1, ?3 + ?2)
			ON CONFLICT (scope) DO UPDATE SET next = max(next, ?3) + ?2 RETURNING next`;
		return this.#next(taking, scope, count, atLeast) - count;
	}

	/**
	 * Atomic, one statement: no index below `next` is ever taken again in this scope, and none that was taken already.
	 * Returns where it goes on.
	 */
	raise(scope: string, next: number): number {
		const higher = 'ON CONFLICT (scope) DO UPDATE SET next = max(next, ?2) RETURNING next';
		return this.#next(`INSERT INTO indexes VALUES (?1, ?2) ${higher}`, scope, next);
	}

	/** One above the highest index that was taken in the scope; 0 before the first. */
	nextIndex(scope: string): number {
		return this.first<{ next: number }>('SELECT next FROM indexes WHERE scope = ?', scope)?.next ?? 0;
	}

	/** One above the highest index that was derived for these networks; 0 before the first. */
	nextDerivedIndex(networks: readonly NetworkName[]): number {
		const highest = `SELECT coalesce(max(derivation_index) + 1, 0) AS next FROM addresses
			WHERE network IN (SELECT value FROM json_each(?))`;
		return this.#next(highest, JSON.stringify(networks));
	}

	#next(query: string, ...values: readonly SqlStorageValue[]): number {
		return this.storage.sql.exec<{ next: number }>(query, ...values).one().next;
	}

	remember(network: NetworkName, addresses: readonly { readonly address: string; readonly index: number }[]): void {
		this.storage.transactionSync(() => {
			for (const { address, index } of addresses)
				this.rows('INSERT OR IGNORE INTO addresses VALUES (?, ?, ?, NULL)', network, address, index);
		});
	}

	/** The hot wallet's address when the first ones were made; null before. */
	hot(network: NetworkName): string | null {
		return this.storage.kv.get<string>(`hot ${network}`) ?? null;
	}

	rememberHot(network: NetworkName, address: string): void {
		if (this.hot(network) === null) this.storage.kv.put(`hot ${network}`, address);
	}

	/** Any one of the network; null before the first. */
	anyOf(network: NetworkName): { readonly address: string; readonly index: number } | null {
		const query = 'SELECT address, derivation_index AS "index" FROM addresses WHERE network = ? LIMIT 1';
		return this.first<{ address: string; index: number }>(query, network) ?? null;
	}

	/** By their texts, those behind this one: a page. */
	behind(network: NetworkName, address: string): string[] {
		const page = 'SELECT address FROM addresses WHERE network = ? AND address > ? ORDER BY address LIMIT ?';
		return this.rows<{ address: string }>(page, network, address, PER_PAGE).map((row) => row.address);
	}

	all(network: NetworkName): string[] {
		const query = 'SELECT address FROM addresses WHERE network = ?';
		return this.rows<{ address: string }>(query, network).map((row) => row.address);
	}

	/** Derivation index by address; an address that is not ours is absent. */
	indexesOf(network: NetworkName, addresses: readonly string[]): ReadonlyMap<string, number> {
		const query = `SELECT address, derivation_index AS "index" FROM addresses
			WHERE network = ? AND address IN (SELECT value FROM json_each(?))`;
		const rows = this.rows<{ address: string; index: number }>(query, network, JSON.stringify(addresses));
		return new Map(rows.map(({ address, index }) => [address, index]));
	}
}
