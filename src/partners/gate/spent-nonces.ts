/**
 * The nonces that a partner's calls have spent, with their weights, in the gate's own storage. Reserving is one
 * synchronous turn in memory; what was reserved in the same turns is committed together as one row, and the calls
 * that wait for it go on when that row is durable. Rows are only ever appended and forgotten in their order, so that a commit
 * writes one page however many nonces are remembered. Should a commit fail, the object dies rather than answer from
 * memory that the disk does not share.
 */
import { MINUTE_MILLISECONDS } from '../../platform/time.ts';
import type { SignedCall } from '../../ports/gates.ts';

/**
 * The nonces of the last minutes: a set for each minute, so that forgetting is dropping a set. One takes some 100 bytes,
 * and a partner with the default budget spends 20 000 in eight minutes. Pure but for its own memory.
 */
export class NonceSet {
	readonly #keptMilliseconds: number;
	/** By minute. */
	readonly #sets = new Map<number, Set<string>>();

	constructor(keptMilliseconds: number) {
		this.#keptMilliseconds = keptMilliseconds;
	}

	add(nonce: string, at: number): void {
		const minute = Math.floor(at / MINUTE_MILLISECONDS);
		const nonces = this.#sets.get(minute);
		if (nonces) nonces.add(nonce);
		else this.#sets.set(minute, new Set([nonce]));
	}

	/** Remembered for at least what the set was made for, and at most a minute longer. */
	has(nonce: string, now: number): boolean {
		const oldest = Math.floor((now - this.#keptMilliseconds) / MINUTE_MILLISECONDS);
		for (const [minute, nonces] of this.#sets) {
			if (minute < oldest) this.#sets.delete(minute);
			else if (nonces.has(nonce)) return true;
		}
		return false;
	}
}

/** A timestamped call can be replayed from 60 s before its time to 300 s after: no nonce is forgotten sooner. */
const NONCE_MILLISECONDS = 7 * MINUTE_MILLISECONDS;
/** Each so many commits remove what is forgotten, up to four times as many rows as they have added. */
const PRUNE_COMMITS = 16;
const PRUNE_ROWS = 4 * PRUNE_COMMITS;

/** Each key has nonces of its own. A nonce has no blank. */
export const spentName = ({ key, nonce }: Pick<SignedCall, 'key' | 'nonce'>): string =>
	key === undefined ? nonce : `${key.id} ${nonce}`;

/** The id of the scoped key that spent it; null for the first key. */
export const keyIdIn = (name: string): string | null => (name.includes(' ') ? name.slice(0, name.indexOf(' ')) : null);

/** `nonce`: as `spentName` says it. */
type Spending = readonly [nonce: string, at: number, weight: number];

export class SpentNonces {
	readonly #ctx: DurableObjectState;
	readonly #nonces = new NonceSet(NONCE_MILLISECONDS);
	#uncommitted: Spending[] = [];
	#commits = 0;
	/** The commit of the nonces that are not committed yet; null while nothing is. */
	#commit: PromiseWithResolvers<void> | null = null;

	constructor(ctx: DurableObjectState) {
		this.#ctx = ctx;
	}

	/** Makes the table where there is none (only a partner that exists gets one), and remembers what it holds. */
	open(now: number): void {
		this.#ctx.storage.sql.exec(
			'CREATE TABLE IF NOT EXISTS spendings (id INTEGER PRIMARY KEY, at INTEGER NOT NULL, spendings TEXT NOT NULL)',
		);
		for (const [nonce, at] of this.#since(now - NONCE_MILLISECONDS)) this.#nonces.add(nonce, at);
	}

	/** Weight by time, oldest first. */
	*weightsSince(since: number): Iterable<{ readonly name: string; readonly at: number; readonly weight: number }> {
		for (const [name, at, weight] of this.#since(since)) if (at > since) yield { name, at, weight };
	}

	has(nonce: string, now: number): boolean {
		return this.#nonces.has(nonce, now);
	}

	/** Reserves it in memory; `stored` says when it is durable. */
	spend(nonce: string, at: number, weight: number): void {
		this.#nonces.add(nonce, at);
		this.#uncommitted.push([nonce, at, weight]);
		if (this.#commit) return;
		this.#commit = Promise.withResolvers();
		setTimeout(() => this.#drain(), 0);
	}

	/** Once all that was spent so far is durable. */
	async stored(): Promise<void> {
		await this.#commit?.promise;
	}

	*#since(since: number): Iterable<Spending> {
		const { sql } = this.#ctx.storage;
		for (const row of sql.exec<{ spendings: string }>(
			'SELECT spendings FROM spendings WHERE at > ? ORDER BY id',
			since,
		)) {
			yield* JSON.parse(row.spendings) as Spending[];
		}
	}

	/**
	 * `at` of a row is that of its latest spending, so that no row is forgotten before all of it may be. Atomic: what is written
	 * in one turn is committed together, and nothing is answered before.
	 */
	#drain(): void {
		const [drained, commit] = [this.#uncommitted, this.#commit];
		[this.#uncommitted, this.#commit] = [[], null];
		const latest = Math.max(...drained.map(([, at]) => at));
		try {
			const { sql } = this.#ctx.storage;
			sql.exec('INSERT INTO spendings (at, spendings) VALUES (?, ?)', latest, JSON.stringify(drained));
			if (this.#commits++ % PRUNE_COMMITS === 0) {
				sql.exec(
					'DELETE FROM spendings WHERE id IN (SELECT id FROM spendings ORDER BY id LIMIT ?) AND at <= ?',
					PRUNE_ROWS,
					latest - NONCE_MILLISECONDS,
				);
			}
		} catch (error) {
			this.#ctx.abort(`admission could not be stored: ${String(error)}`);
			throw error;
		}
		commit?.resolve();
	}
}
