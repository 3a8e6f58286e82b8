/**
 * What stored transactions take: coins, nonces, or what a family needs to tell two transactions apart, each as a text.
 * No other file reads or writes the table `spends`. The signer reads it as each family needs it, so that a signature
 * costs the same after years: a coin is found by its name, of nonces the highest is enough, and what expires counts for
 * as long as it lives.
 */
import { type Network, type NetworkName, networkNamed } from '../../catalog/networks.ts';
import type { Spent } from '../../chains/port.ts';

/** A coin that was taken longer ago than this is no longer among those that the node offers. */
const COIN_MILLISECONDS = 30 * 24 * 3_600_000;
/**
 * For how long a signature of the family may still take something. A blockhash of Solana lives for 150 blocks, about a
 * minute; ten leave room for a slow network. A transaction on Tron expires within 24 hours (`tron/transaction.ts`).
 */
const LIVES_MILLISECONDS: Readonly<Partial<Record<Network['family'], number>>> = {
	solana: 600_000,
	tron: 24 * 3_600_000,
};

/** The expressions of the index `spends_nonces`, word for word: SQLite uses the index only then. */
const OWNER = "lower(substr(spend, 1, max(instr(spend, 'nonce:') - 2, 0)))";
const NONCE = "CAST(substr(spend, instr(spend, 'nonce:') + 6) AS INTEGER)";
const IS_NONCE = "instr(spend, 'nonce:') > 0";

/** Only inside the transaction that records the signature. @throws where another transaction took one of them */
export function take(
	sql: SqlStorage,
	{ network, payoutId, now }: { readonly network: NetworkName; readonly payoutId: string; readonly now: number },
	spends: readonly string[],
): void {
	for (const spend of spends) sql.exec('INSERT INTO spends VALUES (?, ?, ?, ?)', network, spend, payoutId, now);
}

/** What the versions of one payment take, all together. */
export const takenBy = (sql: SqlStorage, payoutId: string): string[] =>
	sql
		.exec<{ spend: string }>('SELECT spend FROM spends WHERE payout_id = ?', payoutId)
		.toArray()
		.map(({ spend }) => spend);

/** What the payment took beyond `kept` is there to be spent again. */
export function freeAllBut(sql: SqlStorage, payoutId: string, kept: readonly string[]): void {
	sql.exec(
		'DELETE FROM spends WHERE payout_id = ?1 AND NOT EXISTS (SELECT 1 FROM json_each(?2) WHERE value = spend)',
		...[payoutId, JSON.stringify(kept)],
	);
}

export interface SpendsQuery {
	readonly network: NetworkName;
	/** The pay-in address that signs; null where only the hot wallet does. */
	readonly payIn: string | null;
	/** Unix milliseconds. */
	readonly now: number;
}

/**
 * `has` is true of what was taken in the last 30 days; of payments with several versions also of what is older: at most
 * one version has confirmed, and the chain offers for ever what only the others took.
 */
export class Spends implements Spent {
	readonly #sql: SqlStorage;
	readonly #query: SpendsQuery;
	/** Rows of the table and its indexes that were read through this. */
	rowsRead = 0;

	constructor(sql: SqlStorage, query: SpendsQuery) {
		this.#sql = sql;
		this.#query = query;
	}

	has(spend: string): boolean {
		const { network, now } = this.#query;
		const found = this.#read(
			`SELECT spend FROM spends WHERE network = ? AND spend = ?
			 AND (at > ? OR EXISTS (SELECT 1 FROM versions WHERE versions.payout_id = spends.payout_id AND version > 0))`,
			...[network, spend, now - COIN_MILLISECONDS],
		);
		return found.length > 0;
	}

	*[Symbol.iterator](): Generator<string, undefined> {
		const { network, payIn, now } = this.#query;
		const { family } = networkNamed(network);
		const lives = LIVES_MILLISECONDS[family];
		if (family === 'evm') yield* [...this.#highestNonce(''), ...(payIn === null ? [] : this.#highestNonce(payIn))];
		else if (lives !== undefined)
			yield* this.#read('SELECT spend FROM spends WHERE network = ? AND at > ?', network, now - lives);
	}

	#highestNonce(owner: string): string[] {
		return this.#read(
			`SELECT spend FROM spends WHERE network = ? AND ${OWNER} = ? AND ${IS_NONCE} ORDER BY ${NONCE} DESC LIMIT 1`,
			...[this.#query.network, owner.toLowerCase()],
		);
	}

	#read(query: string, ...values: (string | number)[]): string[] {
		const cursor = this.#sql.exec<{ spend: string }>(query, ...values);
		const found = [...cursor].map(({ spend }) => spend);
		this.rowsRead += cursor.rowsRead;
		return found;
	}
}
