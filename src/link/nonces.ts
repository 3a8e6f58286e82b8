/** Nonces: one Durable Object in each house, which remembers the calls that were taken. To take one is one insert. */
import { DurableObject } from 'cloudflare:workers';
import { WINDOW_MILLISECONDS } from './signature.ts';

/** A call is taken up to a window before and after its time. The rest is for a clock that was set. */
const KEPT_MILLISECONDS = 10 * WINDOW_MILLISECONDS;

export class Nonces extends DurableObject {
	readonly #sql = this.ctx.storage.sql;

	constructor(ctx: DurableObjectState, env: unknown) {
		super(ctx, env as Record<string, never>);
		this.#sql.exec(`
			CREATE TABLE IF NOT EXISTS nonces (nonce TEXT PRIMARY KEY, taken_at INTEGER NOT NULL) WITHOUT ROWID;
			CREATE INDEX IF NOT EXISTS nonces_taken ON nonces (taken_at);
		`);
	}

	/** False where it was taken before. True is answered after it is durable: the platform holds the answer until then. */
	take(nonce: string): boolean {
		const now = Date.now();
		this.#sql.exec('DELETE FROM nonces WHERE taken_at < ?', now - KEPT_MILLISECONDS);
		const taken = this.#sql.exec('INSERT OR IGNORE INTO nonces VALUES (?, ?) RETURNING 1', nonce, now);
		return taken.toArray().length > 0;
	}
}

export interface HasNonces {
	readonly NONCES: DurableObjectNamespace<Nonces>;
}
