/**
 * What stored transactions of a network take already, read as each family needs it, so that one signature costs the same
 * after years: a coin is looked up by its name; of nonces the highest is enough; what expires counts for as long as it
 * lives. In the signer's own storage, in the table that the journal writes.
 */
import { type Network, type NetworkName, networkNamed } from '../../catalog/networks.ts';
import { decodeReservation, encodeReservation, type Reservation } from '../../chains/reservations.ts';
import type { Spent } from '../../chains/signing-port.ts';

/** A coin that was taken longer ago than this is long gone from what the node offers. */
const COIN_MILLISECONDS = 30 * 24 * 3_600_000;
/**
 * For how long a signature of the family may still take something. A blockhash of Solana lives for 150 blocks, about a
 * minute; ten leave room for a network that is slow. A transaction on Tron expires within 24 hours (`tron/transaction.ts`).
 */
const LIVES_MILLISECONDS: Readonly<Partial<Record<Network['family'], number>>> = {
	solana: 600_000,
	tron: 24 * 3_600_000,
};

/** Whose nonce it is: empty for the hot wallet, else the pay-in address. In the words of the index `spends_nonces`. */
const OWNER = "lower(substr(spend, 1, max(instr(spend, 'nonce:') - 2, 0)))";
const NONCE = "CAST(substr(spend, instr(spend, 'nonce:') + 6) AS INTEGER)";
const IS_NONCE = "instr(spend, 'nonce:') > 0";

/** Beside the journal's table of spends. */
export const SPENDS_NONCES = `CREATE INDEX IF NOT EXISTS spends_nonces ON spends (network, ${OWNER}, ${NONCE}) WHERE ${IS_NONCE}`;

export interface Signing {
	readonly network: NetworkName;
	/** The pay-in address that signs; null where only the hot wallet does. */
	readonly payIn: string | null;
	/** Unix milliseconds. */
	readonly now: number;
}

/**
 * `has` is true of what was taken in the last 30 days; of payments with several versions also of what is older: one of
 * them has confirmed at most, and what only the others took the chain offers for ever.
 */
export class Spends implements Spent {
	readonly #sql: SqlStorage;
	readonly #signing: Signing;
	/** Rows of the table and its indexes that were read through this. */
	rowsRead = 0;

	constructor(sql: SqlStorage, signing: Signing) {
		this.#sql = sql;
		this.#signing = signing;
	}

	has(reservation: Reservation): boolean {
		const { network, now } = this.#signing;
		const found = this.#read(
			`SELECT spend FROM spends WHERE network = ? AND spend = ?
			 AND (at > ? OR EXISTS (SELECT 1 FROM versions WHERE versions.payout_id = spends.payout_id AND version > 0))`,
			...[network, encodeReservation(reservation), now - COIN_MILLISECONDS],
		);
		return found.length > 0;
	}

	*[Symbol.iterator](): Generator<Reservation, undefined> {
		const { network, payIn, now } = this.#signing;
		const { family } = networkNamed(network);
		const lives = LIVES_MILLISECONDS[family];
		if (family === 'evm') yield* [...this.#highestNonce(''), ...(payIn === null ? [] : this.#highestNonce(payIn))];
		else if (lives !== undefined)
			yield* this.#read('SELECT spend FROM spends WHERE network = ? AND at > ?', network, now - lives);
	}

	#highestNonce(owner: string): Reservation[] {
		return this.#read(
			`SELECT spend FROM spends WHERE network = ? AND ${OWNER} = ? AND ${IS_NONCE} ORDER BY ${NONCE} DESC LIMIT 1`,
			...[this.#signing.network, owner.toLowerCase()],
		);
	}

	#read(query: string, ...values: (string | number)[]): Reservation[] {
		const cursor = this.#sql.exec<{ spend: string }>(query, ...values);
		const found = [...cursor].map(({ spend }) => decodeReservation(spend));
		this.rowsRead += cursor.rowsRead;
		return found;
	}
}
