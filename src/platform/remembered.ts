/** Remembers what this isolate read a moment ago: many reads of one thing within a second cost one read of D1. */
import { BoundedMap } from './bounded-map.ts';
import { JoinedCalls } from './joined.ts';

const FRESH_MILLISECONDS = 1_000;
const MAX_ENTRIES = 1_000;

interface Read<T> {
	/** When the read began. */
	readonly at: number;
	/** Null while it is under way. */
	readonly found: { readonly value: T } | null;
}

export class Remembered<T> {
	readonly #reads = new BoundedMap<string, Read<T>>(MAX_ENTRIES);
	readonly #shared = new JoinedCalls<null, T>();

	/** `background` keeps the read going when its caller is gone: others wait for it. @throws what `read` throws */
	async get(key: string, read: () => Promise<T>, background: (work: Promise<unknown>) => void): Promise<T> {
		const known = this.#fresh(key);
		if (known) return known.value;
		const send = async (calls: readonly null[]) => {
			const { value } = this.#fresh(key) ?? { value: await this.#read(key, read) };
			return calls.map(() => value);
		};
		return this.#shared.ask(key, null, { send, background });
	}

	/** This isolate has changed it, and must see it in its next read. */
	forget(key: string): void {
		this.#reads.delete(key);
	}

	#fresh(key: string): { readonly value: T } | null {
		const known = this.#reads.get(key);
		return known && Date.now() - known.at < FRESH_MILLISECONDS ? known.found : null;
	}

	/** A value that was forgotten, or read again, while it was on the way is not remembered. */
	async #read(key: string, read: () => Promise<T>): Promise<T> {
		const begun: Read<T> = { at: Date.now(), found: null };
		this.#reads.set(key, begun);
		const value = await read();
		if (this.#reads.get(key) === begun) this.#reads.set(key, { at: begun.at, found: { value } });
		return value;
	}
}
