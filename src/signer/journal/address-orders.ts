/**
 * Which order each pay-in address belongs to: the first order that a payout or refund was signed for. A deposit belongs
 * to the order of its address, so deposits at the address pay for no other order, whatever D1 says.
 */
import type { NetworkName } from '../../catalog/networks.ts';

export class AddressOrders {
	readonly #sql: SqlStorage;

	constructor({ sql }: DurableObjectStorage) {
		this.#sql = sql;
	}

	isOfAnother(orderId: string, network: NetworkName, address: string): boolean {
		const [row] = this.#sql
			.exec<{ orderId: string }>(
				'SELECT order_id AS orderId FROM address_orders WHERE network = ? AND address = ?',
				...[network, address],
			)
			.toArray();
		return row !== undefined && row.orderId !== orderId;
	}

	/**
	 * Only inside the journal's transaction. @throws where the address belongs to another order; then nothing is
	 * written
	 */
	bind(orderId: string, network: NetworkName, address: string): void {
		this.#sql.exec('INSERT OR IGNORE INTO address_orders VALUES (?, ?, ?)', network, address, orderId);
		if (this.isOfAnother(orderId, network, address)) throw new Error(`${address} belongs to another order`);
	}
}
