/**
 * The spends of stored transactions, each as a text: coins, nonces, or what else a family needs so that no two
 * transactions are the same. No other file reads or writes the table `spends`. It is read in the way each family needs,
 * so that a signature costs the same after years: a coin is looked up by its name, of nonces only the highest is read,
 * and what expires is read for as long as it is valid.
 */
import { NETWORK_NAMES, type Network, type NetworkName, networkNamed } from '../../catalog/networks.ts';
import { decodeReservation, encodeReservation, type Reservation } from '../../chains/reservations.ts';
import type { Spent } from '../../chains/signing-port.ts';
import { DAY_MILLISECONDS } from '../../platform/time.ts';
import { mustBeHere } from './moved.ts';
import { spendName } from './order-entries.ts';

/** A node no longer offers a coin that was spent longer ago than this. */
const COIN_MILLISECONDS = 30 * DAY_MILLISECONDS;
/**
 * How long a signature of the family stays valid at most. A blockhash of Solana is valid for 150 blocks, about a
 * minute; ten minutes leave room for a slow network. A transaction on Tron expires within 24 hours
 * (`tron/transaction.ts`).
 */
const LIVES_MILLISECONDS: Readonly<Partial<Record<Network['family'], number>>> = {
	solana: 600_000,
	tron: DAY_MILLISECONDS,
};

/**
 * Open payouts of an EVM hot wallet that a signature sees, fee bumps and all, the last signed first. More are never open
 * in practice: geth keeps 64 waiting transactions of an account. Any beyond that are old, so the node's pending balance
 * shows them.
 */
const MAX_OPEN = 200;

/** The expressions of the index `spends_nonces`, word for word: SQLite uses the index only then. */
const OWNER = "lower(substr(spend, 1, max(instr(spend, 'nonce:') - 2, 0)))";
const NONCE = "CAST(substr(spend, instr(spend, 'nonce:') + 6) AS INTEGER)";
const IS_NONCE = "instr(spend, 'nonce:') > 0";

/** Only inside the transaction that records the signature. @throws where another transaction took one of them */
export function take(
	sql: SqlStorage,
	{ network, payoutId, now }: { readonly network: NetworkName; readonly payoutId: string; readonly now: number },
	spends: readonly Reservation[],
): void {
	const texts = spends.map(encodeReservation);
	const names = texts.flatMap((spend) => spendName(network, spend) ?? []);
	mustBeHere(sql, names);
	for (const spend of texts) sql.exec('INSERT INTO spends VALUES (?, ?, ?, ?)', network, spend, payoutId, now);
}

/** Stores spends that the chain shows; those of the journal's own transactions stay with them. */
export function takeIfFree(sql: SqlStorage, network: NetworkName, spent: readonly Reservation[], now: number): void {
	for (const spend of spent.map(encodeReservation))
		sql.exec("INSERT OR IGNORE INTO spends VALUES (?, ?, 'seen on the chain', ?)", network, spend, now);
}

/** The same for a later version of a payment, which may spend what its earlier versions spent. */
export function takeMore(sql: SqlStorage, taking: Parameters<typeof take>[1], spends: readonly Reservation[]): void {
	const own = new Set(takenBy(sql, taking.payoutId).map(encodeReservation));
	const others = spends.filter((spend) => !own.has(encodeReservation(spend)));
	take(sql, taking, others);
}

/** Does `next` spend all that `previous` spent, so that at most one of the two can confirm? */
export function takesAll(next: readonly Reservation[], previous: readonly Reservation[]): boolean {
	const taken = new Set(next.map(encodeReservation));
	return previous.every((spend) => taken.has(encodeReservation(spend)));
}

/** All that the versions of one payment spend. */
export const takenBy = (sql: SqlStorage, payoutId: string): Reservation[] =>
	sql
		.exec<{ spend: string }>('SELECT spend FROM spends WHERE payout_id = ?', payoutId)
		.toArray()
		.map(({ spend }) => decodeReservation(spend));

/** Makes what the payment spent beyond `kept` available again. */
export function freeAllBut(sql: SqlStorage, payoutId: string, kept: readonly Reservation[]): void {
	const freeing =
		'DELETE FROM spends WHERE payout_id = ?1 AND NOT EXISTS (SELECT 1 FROM json_each(?2) WHERE value = spend)';
	sql.exec(freeing, payoutId, JSON.stringify(kept.map(encodeReservation)));
}

/** A condition in SQL for what a signature may still read (`Spends`), whatever else goes to a volume. */
export function stillRead(sql: SqlStorage, now: number): string {
	const open = NETWORK_NAMES.flatMap((network) => {
		const [newest] = new Spends(sql, { network, payIn: null, now }).highestNonce('');
		if (newest?.kind !== 'nonce') return [];
		return `network = '${network}' AND ${OWNER} IN ('', 'until') AND ${IS_NONCE} AND ${NONCE} > ${newest.nonce - MAX_OPEN}`;
	});
	return [`at > ${now - COIN_MILLISECONDS}`, ...open].join(' OR ');
}

export interface SpendsQuery {
	readonly network: NetworkName;
	/** The pay-in address that signs; null where only the hot wallet does. */
	readonly payIn: string | null;
	readonly now: number;
}

/**
 * `has` is true of what was spent in the last 30 days, and for payments with several versions also of what is older: at
 * most one version confirms, and the chain offers the coins of the others for ever.
 */
export class Spends implements Spent {
	readonly #sql: SqlStorage;
	readonly #query: SpendsQuery;
	/** How many rows of the table and its indexes this object has read. */
	rowsRead = 0;

	constructor(sql: SqlStorage, query: SpendsQuery) {
		this.#sql = sql;
		this.#query = query;
	}

	has(reservation: Reservation): boolean {
		const { network, now } = this.#query;
		const query = `SELECT spend FROM spends WHERE network = ? AND spend = ?
			AND (at > ? OR EXISTS (SELECT 1 FROM versions WHERE versions.payout_id = spends.payout_id AND version > 0))`;
		return this.#read(query, network, encodeReservation(reservation), now - COIN_MILLISECONDS).length > 0;
	}

	*[Symbol.iterator](): Generator<Reservation, undefined> {
		const { network, payIn, now } = this.#query;
		const { family } = networkNamed(network);
		const lives = LIVES_MILLISECONDS[family];
		if (family === 'evm') {
			yield* this.highestNonce('');
			// The spend of an open payout has `until` in the place of the address.
			yield* payIn === null ? this.#openPayouts() : this.highestNonce(payIn);
		} else if (lives !== undefined)
			yield* this.#read('SELECT spend FROM spends WHERE network = ? AND at > ?', network, now - lives);
	}

	/** Or none. `owner`: an address in lower case; empty for the hot wallet, `until` for its open payouts. */
	highestNonce(owner: string): Reservation[] {
		const query = `SELECT spend FROM spends WHERE network = ? AND ${OWNER} = ? AND ${IS_NONCE} ORDER BY ${NONCE} DESC LIMIT 1`;
		return this.#read(query, this.#query.network, owner.toLowerCase());
	}

	/** By nonce, not by row: each fee bump has a row of its own. */
	#openPayouts(): Reservation[] {
		const [newest] = this.highestNonce('until');
		if (newest?.kind !== 'until nonce') return [];
		const query = `SELECT spend FROM spends WHERE network = ? AND ${OWNER} = 'until' AND ${IS_NONCE} AND ${NONCE} > ? ORDER BY ${NONCE} DESC`;
		return this.#read(query, this.#query.network, newest.nonce - MAX_OPEN);
	}

	#read(query: string, ...values: (string | number)[]): Reservation[] {
		const cursor = this.#sql.exec<{ spend: string }>(query, ...values);
		const found = [...cursor].map(({ spend }) => decodeReservation(spend));
		this.rowsRead += cursor.rowsRead;
		return found;
	}
}
