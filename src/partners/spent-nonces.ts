/**
 * The nonces that a partner's calls have spent, with their weights, in the gate's own storage. Reserving is one
 * synchronous turn in memory; what was reserved in the same turns is committed together in one transaction, and each
 * caller's promise resolves when his row is durable. Should that commit fail, the object dies rather than answer from
 * memory that the disk does not share.
 */

/** A timestamped call can be replayed from 60 s before its time to 300 s after: no nonce is forgotten sooner. */
const NONCE_MILLISECONDS = 7 * 60_000;
/** Forgotten nonces that one commit removes beside what it adds. */
const PRUNE_ROWS = 200;

interface Spending {
	readonly nonce: string;
	readonly at: number;
	readonly weight: number;
	readonly committed: () => void;
}

export class SpentNonces {
	readonly #ctx: DurableObjectState;
	readonly #uncommitted = new Map<string, Spending>();
	#draining = false;

	constructor(ctx: DurableObjectState) {
		this.#ctx = ctx;
	}

	/** Makes the table where there is none; only a partner that exists gets one. */
	open(): void {
		this.#ctx.storage.sql.exec(`
			CREATE TABLE IF NOT EXISTS spent (nonce TEXT PRIMARY KEY, at INTEGER NOT NULL, weight INTEGER NOT NULL) WITHOUT ROWID;
			CREATE INDEX IF NOT EXISTS spent_at ON spent (at);
		`);
	}

	/** Weight by time, oldest first. */
	weightsSince(since: number): Iterable<{ readonly at: number; readonly weight: number }> {
		return this.#ctx.storage.sql.exec<{ at: number; weight: number }>(
			'SELECT at, sum(weight) AS weight FROM spent WHERE at > ? GROUP BY at ORDER BY at',
			since,
		);
	}

	has(nonce: string, now: number): boolean {
		if (this.#uncommitted.has(nonce)) return true;
		const { sql } = this.#ctx.storage;
		return (
			sql.exec('SELECT 1 FROM spent WHERE nonce = ? AND at > ?', nonce, now - NONCE_MILLISECONDS).next().done !== true
		);
	}

	spend(nonce: string, at: number, weight: number): Promise<void> {
		return new Promise((committed) => {
			this.#uncommitted.set(nonce, { nonce, at, weight, committed });
			if (this.#draining) return;
			this.#draining = true;
			setTimeout(() => this.#drain(), 0);
		});
	}

	#drain(): void {
		const spendings = [...this.#uncommitted.values()];
		try {
			this.#ctx.storage.transactionSync(() => {
				const { sql } = this.#ctx.storage;
				for (const { nonce, at, weight } of spendings) {
					sql.exec('INSERT OR REPLACE INTO spent (nonce, at, weight) VALUES (?, ?, ?)', nonce, at, weight);
				}
				sql.exec(
					'DELETE FROM spent WHERE nonce IN (SELECT nonce FROM spent WHERE at <= ? ORDER BY at LIMIT ?)',
					Date.now() - NONCE_MILLISECONDS,
					spendings.length + PRUNE_ROWS,
				);
			});
		} catch (error) {
			this.#ctx.abort(`admission could not be stored: ${String(error)}`);
			throw error;
		}
		this.#draining = false;
		for (const { nonce, committed } of spendings) {
			this.#uncommitted.delete(nonce);
			committed();
		}
	}
}
