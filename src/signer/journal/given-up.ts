/**
 * Payments that the signer never signs, because the operator gave them up. When an order's payout is given up, every
 * payout of that order under any id is given up too, so that its deposits can be sent back. An attacker who calls this
 * can only make the service pay less. Each method is one synchronous turn.
 */
export interface Planned {
	readonly payoutId: string;
	/** Empty for what belongs to no order. */
	readonly orderId: string;
	readonly kind: string;
}

export class GivenUp {
	readonly #storage: DurableObjectStorage;

	constructor(storage: DurableObjectStorage) {
		this.#storage = storage;
	}

	/** `orderId`: of an order's payout; null of everything else. `now`: Unix milliseconds. Safe to repeat. */
	note(payoutId: string, orderId: string | null, now: number): void {
		this.#storage.transactionSync(() => {
			this.#storage.sql.exec('INSERT OR IGNORE INTO given_up VALUES (?, ?)', payoutId, now);
			if (orderId !== null) this.#storage.sql.exec('INSERT OR IGNORE INTO given_up_orders VALUES (?, ?)', orderId, now);
		});
	}

	/** Refunds of an order whose payout was given up are still signed: the order waits for them. */
	has({ payoutId, orderId, kind }: Planned): boolean {
		if (this.#finds('SELECT 1 FROM given_up WHERE payout_id = ?', payoutId)) return true;
		return kind === 'payout' && this.#finds('SELECT 1 FROM given_up_orders WHERE order_id = ?', orderId);
	}

	#finds(query: string, id: string): boolean {
		return this.#storage.sql.exec(query, id).next().done !== true;
	}
}
