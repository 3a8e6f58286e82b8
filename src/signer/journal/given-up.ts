/**
 * What is never to be signed, in the signer's own storage. The operator gives a transaction up; of an order's payout every
 * other payout of that order is given up with it, under whatever id, so that its deposits can be sent back. Whoever asks
 * for this as often as he likes can only ever make less be paid. Every method is one synchronous turn.
 */
export class GivenUp {
	readonly #storage: DurableObjectStorage;

	constructor(storage: DurableObjectStorage) {
		this.#storage = storage;
		storage.sql.exec(`
			CREATE TABLE IF NOT EXISTS given_up (payout_id TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID;
			CREATE TABLE IF NOT EXISTS given_up_orders (order_id TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID;
		`);
	}

	/** `orderId`: of an order's payout; null of everything else. `now`: Unix milliseconds. Safe to repeat. */
	note(payoutId: string, orderId: string | null, now: number): void {
		this.#storage.transactionSync(() => {
			this.#storage.sql.exec('INSERT OR IGNORE INTO given_up VALUES (?, ?)', payoutId, now);
			if (orderId !== null) this.#storage.sql.exec('INSERT OR IGNORE INTO given_up_orders VALUES (?, ?)', orderId, now);
		});
	}

	/** Refunds of an order whose payout was given up are what it waits for. */
	has({
		payoutId,
		orderId,
		kind,
	}: {
		readonly payoutId: string;
		readonly orderId: string;
		readonly kind: string;
	}): boolean {
		if (this.#finds('SELECT 1 FROM given_up WHERE payout_id = ?', payoutId)) return true;
		return kind === 'payout' && this.#finds('SELECT 1 FROM given_up_orders WHERE order_id = ?', orderId);
	}

	#finds(query: string, id: string): boolean {
		return this.#storage.sql.exec(query, id).next().done !== true;
	}
}

/** What was given up is asked to be signed. */
export class WasGivenUp extends Error {
	constructor() {
		super('it was given up: it is never signed');
	}
}
