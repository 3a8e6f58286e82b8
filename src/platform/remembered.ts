/**
 * What was read of orders a moment ago, in this isolate: many reads of one order within a second cost one read of D1. Of
 * calls at the same time the first one reads, and the others wait for its result in memory: another request's promise
 * might never settle.
 */

const FRESH_MILLISECONDS = 1_000;
const CHECK_MILLISECONDS = 20;
/** A read that takes longer is given up by those who wait: each then reads by itself. */
const WAIT_MILLISECONDS = 2_000;
/** The one that was not read for longest goes first. */
const MAX_ENTRIES = 1_000;

interface Entry<T> {
	/** Unix milliseconds when the read began that brought `value`; 0 before the first. */
	readAt: number;
	value: T | null;
	/** Unix milliseconds; 0 while nobody reads. */
	readingSince: number;
}

export class Remembered<T> {
	readonly #entries = new Map<string, Entry<T>>();

	async get(key: string, read: () => Promise<T>): Promise<T> {
		const startedAt = Date.now();
		const entry = this.#entry(key);
		while (startedAt - entry.readAt >= FRESH_MILLISECONDS) {
			const now = Date.now();
			if (entry.readingSince === 0 || now - entry.readingSince > WAIT_MILLISECONDS) return this.#read(entry, read, now);
			await new Promise((checked) => setTimeout(checked, CHECK_MILLISECONDS));
		}
		return entry.value as T;
	}

	/** This isolate has changed it, and must see it in its next read. */
	forget(key: string): void {
		this.#entries.delete(key);
	}

	async #read(entry: Entry<T>, read: () => Promise<T>, now: number): Promise<T> {
		entry.readingSince = now;
		try {
			const value = await read();
			Object.assign(entry, { value, readAt: now });
			return value;
		} finally {
			entry.readingSince = 0;
		}
	}

	/** Moved to the end of the map. */
	#entry(key: string): Entry<T> {
		const entry = this.#entries.get(key) ?? { readAt: 0, value: null, readingSince: 0 };
		this.#entries.delete(key);
		this.#entries.set(key, entry);
		const [oldest] = this.#entries.size > MAX_ENTRIES ? this.#entries.keys() : [];
		if (oldest !== undefined) this.#entries.delete(oldest);
		return entry;
	}
}
