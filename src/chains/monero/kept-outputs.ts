/**
 * An agent's memory of Monero, in its own object: which of our addresses has which spend key, the outputs that pay us, and
 * the ids of the blocks that were read. Every method is one synchronous turn.
 */
import { spendKeyOf } from './address.ts';
import type { Received } from './view.ts';

/** Ids of blocks that are kept: a reorganisation that is deeper stops the network. */
const KEPT_BLOCKS = 1_000;

export interface KeptOutput extends Omit<Received, 'spendKey'> {
	readonly txId: string;
	readonly address: string;
	readonly unlockTime: bigint;
	readonly height: number;
}

export interface KeptBlock {
	readonly height: number;
	readonly hash: string;
}

type Value = string | number;

export class KeptOutputs {
	readonly #storage: DurableObjectStorage;

	constructor(storage: DurableObjectStorage) {
		this.#storage = storage;
		storage.sql.exec(`
			CREATE TABLE IF NOT EXISTS monero_addresses (spend_key TEXT PRIMARY KEY, minor INTEGER NOT NULL) WITHOUT ROWID;
			CREATE TABLE IF NOT EXISTS monero_outputs (key TEXT PRIMARY KEY, height INTEGER NOT NULL, output TEXT NOT NULL);
			CREATE INDEX IF NOT EXISTS monero_outputs_height ON monero_outputs (height);
			CREATE TABLE IF NOT EXISTS monero_blocks (height INTEGER PRIMARY KEY, hash TEXT NOT NULL);
			CREATE TABLE IF NOT EXISTS monero_bounds (name TEXT PRIMARY KEY, at INTEGER NOT NULL);
		`);
	}

	/** Every address with a lower minor index is known. */
	derivedBelow(): number {
		return this.#bound('derived') ?? 0;
	}

	/** `spendKeys`: of consecutive minor indexes from `first` on, hexadecimal. */
	addKeys(first: number, spendKeys: readonly string[]): void {
		this.#storage.transactionSync(() => {
			for (const [i, key] of spendKeys.entries())
				this.#run('INSERT OR IGNORE INTO monero_addresses VALUES (?, ?)', key, first + i);
			const [below, end] = [this.derivedBelow(), first + spendKeys.length];
			if (first <= below && end > below) this.#setBound('derived', end);
		});
	}

	/** By their minor indexes. They are known before anybody is shown one. */
	addAddresses(addresses: ReadonlyMap<number, string>): void {
		for (const [minor, address] of [...addresses].toSorted(([one], [other]) => one - other))
			this.addKeys(minor, [spendKeyOf(address)]);
	}

	/** The minor index of our address with this spend key; null for a stranger's. */
	minorOf(spendKey: string): number | null {
		const [row] = this.#run<{ minor: number }>('SELECT minor FROM monero_addresses WHERE spend_key = ?', spendKey);
		return row?.minor ?? null;
	}

	/** The lowest block whose outputs are here, and the highest; null where none was read. */
	read(): { readonly first: number; readonly tip: KeptBlock } | null {
		const [tip] = this.#run<{ height: number; hash: string }>(
			'SELECT height, hash FROM monero_blocks ORDER BY height DESC LIMIT 1',
		);
		return tip ? { first: this.#bound('first') ?? tip.height, tip } : null;
	}

	/** So that blocks are read again, from a lower one on. */
	forgetBlocks(): void {
		this.#storage.transactionSync(() => {
			for (const table of ['monero_outputs', 'monero_blocks']) this.#run(`DELETE FROM ${table}`);
			this.#run("DELETE FROM monero_bounds WHERE name = 'first'");
		});
	}

	/** Null of a block that was not read, or long ago. */
	hashAt(height: number): string | null {
		const [row] = this.#run<{ hash: string }>('SELECT hash FROM monero_blocks WHERE height = ?', height);
		return row?.hash ?? null;
	}

	/**
	 * Atomic. What was read of this height and above was dropped by the chain. An output whose key an earlier one has cannot
	 * be spent beside it: the earlier one counts alone.
	 */
	add({ height, hash }: KeptBlock, outputs: readonly Omit<KeptOutput, 'height'>[]): void {
		this.#storage.transactionSync(() => {
			for (const table of ['monero_outputs', 'monero_blocks'])
				this.#run(`DELETE FROM ${table} WHERE height >= ?`, height);
			for (const { key, amount, unlockTime, ...output } of outputs) {
				const text = JSON.stringify({ ...output, amount: String(amount), unlockTime: String(unlockTime) });
				this.#run('INSERT OR IGNORE INTO monero_outputs VALUES (?, ?, ?)', key, height, text);
			}
			this.#run('INSERT INTO monero_blocks VALUES (?, ?)', height, hash);
			this.#run('DELETE FROM monero_blocks WHERE height < ?', height - KEPT_BLOCKS);
			if (this.#bound('first') === null) this.#setBound('first', height);
		});
	}

	/** Those in blocks above `height`, and those of the named blocks. */
	above(height: number, blocks: readonly number[]): KeptOutput[] {
		const rows = this.#run<{ key: string; height: number; output: string }>(
			'SELECT * FROM monero_outputs WHERE height > ? OR height IN (SELECT value FROM json_each(?))',
			height,
			JSON.stringify(blocks),
		);
		return rows.map(({ output, ...row }) => {
			const { amount, unlockTime, ...rest } = JSON.parse(output);
			return { ...rest, ...row, amount: BigInt(amount), unlockTime: BigInt(unlockTime) };
		});
	}

	/** Does a block have an output with this key? */
	has(key: string): boolean {
		return this.#run('SELECT 1 FROM monero_outputs WHERE key = ?', key).length > 0;
	}

	#bound(name: string): number | null {
		return this.#run<{ at: number }>('SELECT at FROM monero_bounds WHERE name = ?', name)[0]?.at ?? null;
	}

	#setBound(name: string, at: number): void {
		this.#run('INSERT OR REPLACE INTO monero_bounds VALUES (?, ?)', name, at);
	}

	#run<R extends Record<string, SqlStorageValue>>(query: string, ...values: Value[]): R[] {
		return this.#storage.sql.exec<R>(query, ...values).toArray();
	}
}
