/**
 * The free pay-in addresses of one network, in the storage of its agent and nowhere else. They are never in D1, because
 * its rows can be rewritten and the whole database can be set back in time. An address is in D1 only once an order has
 * it. Every method is one synchronous turn.
 */
import type { NetworkName } from '../../catalog/networks.ts';
import type { SealedAddress } from '../../orders/seal.ts';

export class AddressStock {
	readonly #storage: DurableObjectStorage;

	constructor(storage: DurableObjectStorage) {
		this.#storage = storage;
		storage.sql.exec(`
			CREATE TABLE IF NOT EXISTS free_addresses (derivation_index INTEGER PRIMARY KEY, address TEXT NOT NULL UNIQUE, seal TEXT NOT NULL);
			CREATE TABLE IF NOT EXISTS received_addresses (id INTEGER PRIMARY KEY CHECK (id = 0), next_index INTEGER NOT NULL);
		`);
	}

	free(): number {
		return this.#storage.sql.exec<{ free: number }>('SELECT count(*) AS free FROM free_addresses').one().free;
	}

	/** One above the highest derivation index that this stock ever received; 0 before the first. */
	nextIndex(): number {
		const [row] = this.#storage.sql
			.exec<{ next: number }>('SELECT next_index AS next FROM received_addresses')
			.toArray();
		return row?.next ?? 0;
	}

	/** Atomic: adds all of them and raises `nextIndex`. @throws where one was received before; then nothing is added */
	add(addresses: readonly SealedAddress[]): void {
		this.#storage.transactionSync(() => {
			const { sql } = this.#storage;
			const next = this.nextIndex();
			const repeated = addresses.find(({ derivationIndex }) => derivationIndex < next);
			if (repeated) throw new Error(`the signer gave the derivation index ${repeated.derivationIndex} again`);
			for (const { derivationIndex, address, seal } of addresses) {
				sql.exec('INSERT INTO free_addresses VALUES (?, ?, ?)', derivationIndex, address, seal);
			}
			const highest = Math.max(...addresses.map(({ derivationIndex }) => derivationIndex));
			sql.exec(
				'INSERT INTO received_addresses VALUES (0, ?1) ON CONFLICT (id) DO UPDATE SET next_index = ?1',
				highest + 1,
			);
		});
	}

	all(network: NetworkName): SealedAddress[] {
		const rows = this.#storage.sql.exec<{ derivationIndex: number; address: string; seal: string }>(
			'SELECT derivation_index AS derivationIndex, address, seal FROM free_addresses',
		);
		return [...rows].map((row) => ({ network, ...row }));
	}

	/** Compare-and-set: false where the address was drawn meanwhile. */
	replaceSeal({ derivationIndex, seal: before }: SealedAddress, seal: string): boolean {
		const replaced = this.#storage.sql.exec(
			'UPDATE free_addresses SET seal = ? WHERE derivation_index = ? AND seal = ? RETURNING 1',
			seal,
			derivationIndex,
			before,
		);
		return replaced.toArray().length === 1;
	}

	discard({ derivationIndex }: SealedAddress): void {
		this.#storage.sql.exec('DELETE FROM free_addresses WHERE derivation_index = ?', derivationIndex);
	}

	/** Throws away every free address, and expects no index below `next` from now on. */
	retire(next: number): void {
		this.#storage.transactionSync(() => {
			this.#storage.sql.exec('DELETE FROM free_addresses');
			this.#storage.sql.exec(
				'INSERT INTO received_addresses VALUES (0, ?1) ON CONFLICT (id) DO UPDATE SET next_index = max(next_index, ?1)',
				next,
			);
		});
	}

	/**
	 * Up to `count` addresses. They are deleted here before the answer leaves. If the answer is lost, the indexes have
	 * a gap, which does no harm.
	 */
	draw(network: NetworkName, count: number): SealedAddress[] {
		return this.#storage.transactionSync(() => {
			const rows = this.#storage.sql.exec<{ derivationIndex: number; address: string; seal: string }>(
				`DELETE FROM free_addresses
				 WHERE derivation_index IN (SELECT derivation_index FROM free_addresses ORDER BY derivation_index LIMIT ?)
				 RETURNING derivation_index AS derivationIndex, address, seal`,
				count,
			);
			return [...rows].map((row) => ({ network, ...row }));
		});
	}
}
