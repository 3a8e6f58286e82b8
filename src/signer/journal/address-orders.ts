/**
 * Which order each pay-in address belongs to, in the journal's own storage: the first one that a payout or refund was
 * signed for. A deposit belongs to the order that its address was made for, so what lies at the address pays no other
 * order, whatever D1 says. Writes only inside the journal's transactions.
 */
import type { NetworkName } from '../../catalog/networks.ts';

export class AddressOrders {
	readonly #storage: DurableObjectStorage;

	/**
	 * After the journal's tables of signatures and claims: from these a journal of an older version is completed, once.
	 * Atomic: the table and what it begins with.
	 */
	constructor(storage: DurableObjectStorage) {
		this.#storage = storage;
		storage.transactionSync(() => {
			const made = storage.sql.exec("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'address_orders'");
			if (made.next().done !== true) return;
			storage.sql.exec(`
				CREATE TABLE IF NOT EXISTS address_orders (network TEXT NOT NULL, address TEXT NOT NULL, order_id TEXT NOT NULL, PRIMARY KEY (network, address)) WITHOUT ROWID;
				INSERT OR IGNORE INTO address_orders
				SELECT claims.network, claims.address, signatures.order_id FROM claims JOIN signatures USING (payout_id)
				WHERE signatures.kind IN ('payout', 'refund') AND signatures.order_id <> '' ORDER BY signatures.at, signatures.rowid;
			`);
		});
	}

	/** The order that was first signed for there; null where none was. */
	orderAt(network: NetworkName, address: string): string | null {
		const [row] = this.#storage.sql
			.exec<{ orderId: string }>(
				'SELECT order_id AS orderId FROM address_orders WHERE network = ? AND address = ?',
				...[network, address],
			)
			.toArray();
		return row?.orderId ?? null;
	}

	isOfAnother(orderId: string, network: NetworkName, address: string): boolean {
		const owner = this.orderAt(network, address);
		return owner !== null && owner !== orderId;
	}

	/** @throws where the address belongs to another order; the caller's transaction then writes nothing. */
	bind(orderId: string, network: NetworkName, address: string): void {
		this.#storage.sql.exec('INSERT OR IGNORE INTO address_orders VALUES (?, ?, ?)', network, address, orderId);
		if (this.isOfAnother(orderId, network, address)) throw new Error(`${address} belongs to another order`);
	}
}
