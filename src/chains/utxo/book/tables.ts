/** The tables of a coin book, beside the other ones of the object's storage. Each row names its network. */

/** The height from which on blocks are read. `is_again`: there was another book before. */
const STARTS = `CREATE TABLE IF NOT EXISTS book_starts (
	network TEXT PRIMARY KEY, height INTEGER NOT NULL, is_again INTEGER NOT NULL
) STRICT, WITHOUT ROWID;`;

/** Headers whose work is proven, in hex: where the chain must prove itself. */
const HEADERS = `CREATE TABLE IF NOT EXISTS book_headers (
	network TEXT NOT NULL, height INTEGER NOT NULL, header TEXT NOT NULL, PRIMARY KEY (network, height)
) STRICT, WITHOUT ROWID;`;

/** Our own addresses, by the hash of their lock. */
const ADDRESSES = `CREATE TABLE IF NOT EXISTS book_addresses (
	network TEXT NOT NULL, lock_hash TEXT NOT NULL, address TEXT NOT NULL, PRIMARY KEY (network, lock_hash)
) STRICT, WITHOUT ROWID;`;

/** The last blocks that were read, without a gap. */
const BLOCKS = `CREATE TABLE IF NOT EXISTS book_blocks (
	network TEXT NOT NULL, height INTEGER NOT NULL, hash TEXT NOT NULL, PRIMARY KEY (network, height)
) STRICT, WITHOUT ROWID;`;

/**
 * Outputs to our own addresses. Amounts in base units: no coin has 2^53 of them. `matures`: the first block that may spend
 * it. `is_change`: its transaction spends nothing but coins of this table.
 */
const COINS = `CREATE TABLE IF NOT EXISTS book_coins (
	network TEXT NOT NULL, tx_id TEXT NOT NULL, vout INTEGER NOT NULL, address TEXT NOT NULL, amount INTEGER NOT NULL,
	height INTEGER NOT NULL, matures INTEGER NOT NULL, is_change INTEGER NOT NULL, spent_by TEXT, spent_at INTEGER,
	PRIMARY KEY (network, tx_id, vout)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS book_coins_by_height ON book_coins (network, height);
CREATE INDEX IF NOT EXISTS book_coins_unspent ON book_coins (network, amount) WHERE spent_at IS NULL;
CREATE INDEX IF NOT EXISTS book_coins_oldest ON book_coins (network, height) WHERE spent_at IS NULL;
CREATE INDEX IF NOT EXISTS book_coins_spent ON book_coins (network, spent_at) WHERE spent_at IS NOT NULL;`;

/** Transactions in blocks that a key of ours has signed. `outputs`: JSON, scripts in hex and amounts. */
const SENDS = `CREATE TABLE IF NOT EXISTS book_sends (
	network TEXT NOT NULL, tx_id TEXT NOT NULL, height INTEGER NOT NULL, fee INTEGER NOT NULL, outputs TEXT NOT NULL,
	PRIMARY KEY (network, tx_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS book_sends_by_height ON book_sends (network, height);`;

/** Transactions that we made, until long after a block holds them. `height`: of the book at that time. */
const MADE = `CREATE TABLE IF NOT EXISTS book_made (
	network TEXT NOT NULL, tx_id TEXT NOT NULL, raw TEXT NOT NULL, height INTEGER NOT NULL, PRIMARY KEY (network, tx_id)
) STRICT, WITHOUT ROWID;`;

export const BOOK_TABLES = [STARTS, HEADERS, ADDRESSES, BLOCKS, COINS, SENDS, MADE].join('\n');
