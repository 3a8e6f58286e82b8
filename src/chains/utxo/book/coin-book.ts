/**
 * The coins of one network as its blocks show them: outputs to our addresses, what spent them, and the last blocks, so that
 * a reorganisation can be undone. The network's agent keeps one, and the signer another from its own provider.
 *
 * Atomic: a block is taken, or undone, in one transaction of the storage. So after a crash the book is at some block, whole.
 */
import { hex } from '@scure/base';
import { sumOf } from '../../../money/units.ts';
import { DAY_SECONDS } from '../../../platform/time.ts';
import { ChainUnavailable } from '../../errors.ts';
import { inParts } from '../../rpc/each-of.ts';
import type { Tip } from '../source.ts';
import type { Block } from '../split.ts';
import type { Outpoint, Transaction } from '../transaction-bytes.ts';
import { BOOK_TABLES } from './tables.ts';

/** Reorganisations go no deeper; a chain that parts earlier is taken for another one. */
export const KEPT_BLOCKS = 500;
/** Coins that were spent, and our own payments, are kept so long: longer than a backup is useful. */
const KEPT_SECONDS = 30 * DAY_SECONDS;
/** Keys of one statement, which is far below the largest value that the storage takes. */
const KEYS_PER_STATEMENT = 5_000;
const COINBASE_MATURES = 100;
/** Litecoin's outputs from MWEB. */
const PEG_OUT_MATURES = 6;

/** Tells which output scripts, and which locks that inputs show, could be ours (`own-script.ts`). Pure. */
export interface OwnKind {
	/** The hash in a script of the kind that our addresses have; null for any other. */
	hashIn(script: Uint8Array): string | null;
	/** The hash of a key, or of a script of two keys. */
	hashOf(key: Uint8Array): string;
}

export interface BookOf extends OwnKind {
	readonly network: string;
	readonly blockSeconds: number;
	/** As `Keeping.isHeld`. */
	readonly isHeld: () => boolean;
}

export class CoinBook {
	readonly hashIn: OwnKind['hashIn'];
	readonly hashOf: OwnKind['hashOf'];
	readonly #storage: DurableObjectStorage;
	readonly #network: string;
	readonly #keptBlocks: number;
	readonly #isHeld: () => boolean;

	constructor(storage: DurableObjectStorage, { network, blockSeconds, isHeld, hashIn, hashOf }: BookOf) {
		this.#storage = storage;
		this.#network = network;
		this.#isHeld = isHeld;
		this.#keptBlocks = Math.max(KEPT_BLOCKS, Math.ceil(KEPT_SECONDS / blockSeconds));
		this.hashIn = hashIn;
		this.hashOf = hashOf;
		storage.sql.exec(BOOK_TABLES);
	}

	/** From which height on blocks are read, and whether another book was lost before; null where it has not begun. */
	start(): { readonly height: number; readonly isAgain: boolean } | null {
		const found = 'SELECT height, is_again FROM book_starts WHERE network = ?1';
		const [row] = this.rows<{ height: number; is_again: number }>(found);
		return row ? { height: row.height, isAgain: row.is_again === 1 } : null;
	}

	/** The last block that was read. */
	last(): Tip | null {
		const found = 'SELECT height, hash FROM book_blocks WHERE network = ?1 ORDER BY height DESC LIMIT 1';
		const [row] = this.rows<{ height: number; hash: string }>(found);
		return row ? { height: row.height, hash: row.hash } : null;
	}

	/** Null for a block that was not read, or is older than `KEPT_BLOCKS`. */
	hashAt(height: number): string | null {
		const found = 'SELECT hash FROM book_blocks WHERE network = ?1 AND height = ?2';
		return this.rows<{ hash: string }>(found, height)[0]?.hash ?? null;
	}

	/** This block is not read; those after it will be. */
	begin({ height, hash }: Tip, isAgain: boolean): void {
		this.write(() => {
			this.rows('INSERT INTO book_starts VALUES (?1, ?2, ?3)', height + 1, Number(isAgain));
			this.rows('INSERT INTO book_blocks VALUES (?1, ?2, ?3)', height, hash);
		});
	}

	/** Pays to these addresses count from the next block on. `lockHashes`: by address. */
	register(addresses: ReadonlyMap<string, string>): void {
		for (const part of inParts([...addresses], KEYS_PER_STATEMENT)) {
			const adding = `INSERT OR IGNORE INTO book_addresses
				SELECT ?1, value ->> 1, value ->> 0 FROM json_each(?2)`;
			this.write(() => this.rows(adding, JSON.stringify(part)));
		}
	}

	/** Our addresses among these hashes of keys. */
	ownAmong(lockHashes: Iterable<string>): Map<string, string> {
		const found = `SELECT lock_hash, address FROM json_each(?2)
			CROSS JOIN book_addresses ON network = ?1 AND lock_hash = value`;
		const own = new Map<string, string>();
		for (const part of inParts([...new Set(lockHashes)], KEYS_PER_STATEMENT))
			for (const row of this.rows<{ lock_hash: string; address: string }>(found, JSON.stringify(part)))
				own.set(row.lock_hash, row.address);
		return own;
	}

	/** Our addresses that these transactions pay or sign for. */
	ownIn(transactions: readonly Pick<Transaction, 'spends' | 'outputs'>[]): Map<string, string> {
		const hashes = transactions.flatMap(({ spends, outputs }) => [
			...outputs.flatMap(({ script }) => this.hashIn(script) ?? []),
			...spends.flatMap(({ lock }) => (lock ? this.hashOf(lock) : [])),
		]);
		return this.ownAmong(hashes);
	}

	/** The next block. @throws where it does not follow the last one */
	take(height: number, block: Block): void {
		this.write(() => {
			const last = this.last();
			if (last?.hash !== block.previousHash || height !== last.height + 1)
				throw new Error(`block ${block.hash} does not follow ${last?.hash}`);
			const own = this.ownIn(block.transactions);
			for (const transaction of block.transactions) this.#takeTransaction(height, transaction, own);
			this.rows('INSERT INTO book_blocks VALUES (?1, ?2, ?3)', height, block.hash);
			this.#forget(height);
		});
	}

	/** Blocks above this height are of a branch that lost. */
	undo(height: number): void {
		this.write(() => {
			this.rows('DELETE FROM book_coins WHERE network = ?1 AND height > ?2', height);
			this.rows('UPDATE book_coins SET spent_by = NULL, spent_at = NULL WHERE network = ?1 AND spent_at > ?2', height);
			this.rows('DELETE FROM book_sends WHERE network = ?1 AND height > ?2', height);
			this.rows('DELETE FROM book_blocks WHERE network = ?1 AND height > ?2', height);
		});
	}

	/** A transaction that we made: its change is ours, and what it spends is spent, while a mempool holds it. */
	noteMade(txId: string, raw: string): void {
		const height = this.last()?.height ?? 0;
		this.write(() => this.rows('INSERT OR IGNORE INTO book_made VALUES (?1, ?2, ?3, ?4)', txId, raw, height));
	}

	/** One transaction. @throws ChainUnavailable while the storage is being copied: not a row may change then */
	write(run: () => void): void {
		if (this.#isHeld()) throw new ChainUnavailable('nothing is written to the coin book now: it is being copied');
		this.#storage.transactionSync(run);
	}

	/** One query of this network, which is its first value. */
	rows<Row extends Record<string, SqlStorageValue>>(query: string, ...values: (string | number)[]): Row[] {
		return this.#storage.sql.exec<Row>(query, this.#network, ...values).toArray();
	}

	#takeTransaction(height: number, transaction: Transaction, own: ReadonlyMap<string, string>): void {
		const { id, spends, outputs, isCoinbase, isHogEx } = transaction;
		const signed = spends.filter(({ lock }) => lock && own.has(this.hashOf(lock)));
		const spent = signed.flatMap((outpoint) => this.#spend(outpoint, id, height));
		// Money trap: a stranger's input may show a lock of ours where its script does not check it. Only known coins are proof.
		const isChange = spends.length > 0 && spent.length === spends.length;
		for (const [vout, { script, amount }] of outputs.entries()) {
			const address = own.get(this.hashIn(script) ?? '');
			if (address === undefined) continue;
			const wait = isCoinbase ? COINBASE_MATURES : isHogEx ? PEG_OUT_MATURES : 0;
			const row = [id, vout, address, Number(amount), height, height + wait, Number(isChange)];
			this.rows('INSERT OR REPLACE INTO book_coins VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, NULL, NULL)', ...row);
		}
		if (signed.length === 0) return;
		const fee = isChange ? spent.reduce((sum, amount) => sum + amount, 0) - Number(sumOf(outputs)) : 0;
		const paid = JSON.stringify(outputs.map(({ script, amount }) => [hex.encode(script), amount.toString()]));
		this.rows('INSERT OR REPLACE INTO book_sends VALUES (?1, ?2, ?3, ?4, ?5)', id, height, fee, paid);
	}

	/** The amount of the coin, if it is one of ours. */
	#spend({ txId, vout }: Outpoint, by: string, height: number): number[] {
		const spending = `UPDATE book_coins SET spent_by = ?4, spent_at = ?5
			WHERE network = ?1 AND tx_id = ?2 AND vout = ?3 AND spent_at IS NULL RETURNING amount`;
		return this.rows<{ amount: number }>(spending, txId, vout, by, height).map(({ amount }) => amount);
	}

	#forget(height: number): void {
		this.rows('DELETE FROM book_blocks WHERE network = ?1 AND height <= ?2', height - KEPT_BLOCKS);
		const kept = this.#keptBlocks;
		this.rows('DELETE FROM book_coins WHERE network = ?1 AND spent_at <= ?2', height - kept);
		this.rows('DELETE FROM book_sends WHERE network = ?1 AND height <= ?2', height - kept);
		this.rows('DELETE FROM book_made WHERE network = ?1 AND height <= ?2', height - kept);
	}
}
