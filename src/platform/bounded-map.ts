/** A map that forgets: of more than `most` entries the one that was set longest ago goes first. */
export class BoundedMap<Key, Value> {
	readonly #entries = new Map<Key, Value>();
	readonly #most: number;

	constructor(most: number) {
		this.#most = most;
	}

	get(key: Key): Value | undefined {
		return this.#entries.get(key);
	}

	/** Also an entry that it has becomes the newest one. */
	set(key: Key, value: Value): void {
		this.#entries.delete(key);
		this.#entries.set(key, value);
		const [oldest] = this.#entries.size > this.#most ? this.#entries.keys() : [];
		if (oldest !== undefined) this.#entries.delete(oldest);
	}

	delete(key: Key): void {
		this.#entries.delete(key);
	}
}
