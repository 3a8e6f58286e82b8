/** Queries of a coin book. No answer grows with the number of outputs that strangers send: sums are SQL's, lists are bounded. */
import type { Outpoint } from '../transaction-bytes.ts';
import type { CoinBook } from './coin-book.ts';

export interface BookCoin extends Outpoint {
	readonly address: string;
	/** Base units. */
	readonly amount: bigint;
	readonly height: number;
	/** The first block that may spend it. */
	readonly matures: number;
	/** Its transaction spends nothing but coins of ours. */
	readonly isChange: boolean;
	/** The transaction in a block that spent it. */
	readonly spentBy: string | null;
}

/** A transaction in a block that we signed. */
export interface Send {
	readonly txId: string;
	readonly height: number;
	/** Base units; 0 where its inputs are older than the book. */
	readonly fee: bigint;
	readonly outputs: readonly { readonly script: string; readonly amount: bigint }[];
}

type Row = Omit<BookCoin, 'amount' | 'isChange'> & { readonly amount: number; readonly isChange: number };

const coins = (book: CoinBook, query: string, ...values: (string | number)[]): BookCoin[] =>
	book
		.rows<Row & Record<string, SqlStorageValue>>(
			`SELECT tx_id AS txId, vout, address, amount, height, matures, is_change AS isChange, spent_by AS spentBy ${query}`,
			...values,
		)
		.map((row) => ({ ...row, amount: BigInt(row.amount), isChange: row.isChange === 1 }));

/** Spent ones too, of blocks above this height. */
export const coinsAbove = (book: CoinBook, height: number): BookCoin[] =>
	coins(book, 'FROM book_coins WHERE network = ?1 AND height > ?2 ORDER BY height', height);

/** The highest block above this height with more coins than that; 0 where there is none. */
export const lastFlood = (book: CoinBook, height: number, most: number): number =>
	book.rows<{ height: number }>(
		`SELECT height FROM book_coins WHERE network = ?1 AND height > ?2
			GROUP BY height HAVING count(*) > ?3 ORDER BY height DESC LIMIT 1`,
		height,
		most,
	)[0]?.height ?? 0;

/** Spent ones too; those that the book does not have are absent. */
export const coinsAt = (book: CoinBook, outpoints: readonly Outpoint[]): BookCoin[] =>
	coins(
		book,
		`FROM json_each(?2) CROSS JOIN book_coins ON network = ?1 AND tx_id = value ->> 0 AND vout = value ->> 1`,
		JSON.stringify(outpoints.map(({ txId, vout }) => [txId, vout])),
	);

export interface Amounts {
	/** The highest block whose coins count. */
	readonly upTo: number;
	/** Base units. */
	readonly least?: bigint;
	readonly count: number;
}

const UNSPENT = 'FROM book_coins INDEXED BY book_coins_unspent WHERE network = ?1 AND spent_at IS NULL';
const SPENDABLE = `${UNSPENT} AND height <= ?2 AND matures <= ?3`;
const YOUNG = 'FROM book_coins INDEXED BY book_coins_by_height WHERE network = ?1 AND height > ?2 AND spent_at IS NULL';

/** Unspent ones that the next block may spend, the largest first. */
export const largestCoins = (book: CoinBook, amounts: Amounts): BookCoin[] =>
	inOrder(book, amounts, 'amount DESC, tx_id DESC, vout DESC');

/** As `largestCoins`, the smallest first. */
export const smallestCoins = (book: CoinBook, amounts: Amounts): BookCoin[] =>
	inOrder(book, amounts, 'amount, tx_id, vout');

function inOrder(book: CoinBook, { upTo, least = 0n, count }: Amounts, order: string): BookCoin[] {
	const query = `${SPENDABLE} AND amount >= ?4 ORDER BY ${order} LIMIT ?5`;
	return coins(book, query, upTo, nextHeight(book), Number(least), count);
}

/** Sums up the unspent coins that the next block may spend, base units. */
export const spendableSum = (book: CoinBook, upTo: number): bigint => sum(book, SPENDABLE, upTo, nextHeight(book));

/** Sums up all unspent coins, base units. */
export const unspentSum = (from: CoinBook): bigint => sum(from, UNSPENT);

/** Addresses with unspent coins, those that hold most, and how many there are. Base units. */
export function heldByAddress(book: CoinBook, most: number) {
	const held = book.rows<{ address: string; total: number }>(
		`SELECT address, sum(amount) AS total ${UNSPENT} GROUP BY address ORDER BY total DESC, address LIMIT ?2`,
		most,
	);
	const [found] = book.rows<{ count: number }>(`SELECT count(DISTINCT address) AS count ${UNSPENT}`);
	return { held, count: found?.count ?? 0 };
}

/** Sums up the unspent coins at this address above this height that are no change of ours, base units. */
export const strangersSum = (book: CoinBook, address: string, height: number): bigint =>
	sum(book, `${YOUNG} AND address = ?3 AND is_change = 0`, height, address);

/** Sums up our own change above this height, base units. */
export const changeSum = (book: CoinBook, height: number): bigint => sum(book, `${YOUNG} AND is_change = 1`, height);

/** Our own change above this height that nobody has spent, the largest first. */
export const youngChange = (book: CoinBook, height: number, count: number): BookCoin[] =>
	coins(book, `${YOUNG} AND is_change = 1 ORDER BY amount DESC LIMIT ?3`, height, count);

/** The height of the oldest unspent coin; null where there is none. */
export const oldestUnspent = (from: CoinBook): number | null =>
	from.rows<{ height: number | null }>(
		'SELECT min(height) AS height FROM book_coins WHERE network = ?1 AND spent_at IS NULL',
	)[0]?.height ?? null;

function sends(book: CoinBook, where: string, value: string | number): Send[] {
	const query = `SELECT tx_id AS txId, height, fee, outputs FROM book_sends WHERE network = ?1 AND ${where}`;
	const rows = book.rows<{ txId: string; height: number; fee: number; outputs: string }>(query, value);
	return rows.map(({ fee, outputs, ...row }) => {
		const paid: [string, string][] = JSON.parse(outputs);
		return { ...row, fee: BigInt(fee), outputs: paid.map(([script, amount]) => ({ script, amount: BigInt(amount) })) };
	});
}

export const sendAt = (book: CoinBook, txId: string): Send | null => sends(book, 'tx_id = ?2', txId)[0] ?? null;

/** Those in blocks from this height on. */
export const sendsFrom = (book: CoinBook, height: number): Send[] => sends(book, 'height >= ?2', height);

/** Transactions that we made and that no block holds, nor one that took their coins as far as the book knows. */
export const unconfirmedMade = (book: CoinBook, count: number): { readonly txId: string; readonly raw: string }[] =>
	book.rows(
		`SELECT tx_id AS txId, raw FROM book_made AS made WHERE network = ?1 AND NOT EXISTS (
			SELECT 1 FROM book_sends AS sent WHERE sent.network = made.network AND sent.tx_id = made.tx_id
		) ORDER BY height DESC, tx_id LIMIT ?2`,
		count,
	);

const nextHeight = (from: CoinBook): number => (from.last()?.height ?? 0) + 1;

function sum(book: CoinBook, from: string, ...values: (string | number)[]): bigint {
	const [row] = book.rows<{ total: number | null }>(`SELECT sum(amount) AS total ${from}`, ...values);
	return BigInt(row?.total ?? 0);
}
