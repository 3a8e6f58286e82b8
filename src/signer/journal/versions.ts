/**
 * Every version of each payment that was signed, in the journal's own storage: the first one, and those with a higher
 * fee that may stand in its place. Keeps the payment itself as well, so that a replacement is of what was judged then,
 * whatever D1 says now. Writes only inside the journal's transactions, but for
 * which version has won.
 */
import type { AssetId } from '../../catalog/assets.ts';
import type { NetworkName } from '../../catalog/networks.ts';
import { decodeReservation, encodeReservation, type Reservation } from '../../chains/reservations.ts';
import type { Payment, SignedTransaction } from '../../chains/signing-port.ts';

export interface SignedPayment {
	readonly payment: Payment;
	readonly network: NetworkName;
}

export class Versions {
	readonly #storage: DurableObjectStorage;

	constructor(storage: DurableObjectStorage) {
		this.#storage = storage;
		storage.sql.exec(`
			CREATE TABLE IF NOT EXISTS payments (
				payout_id TEXT PRIMARY KEY, network TEXT NOT NULL, asset TEXT NOT NULL, to_address TEXT NOT NULL, amount TEXT NOT NULL
			) WITHOUT ROWID;
			CREATE TABLE IF NOT EXISTS versions (
				payout_id TEXT NOT NULL, version INTEGER NOT NULL, tx_id TEXT NOT NULL, raw TEXT NOT NULL, fee TEXT NOT NULL,
				at INTEGER NOT NULL, PRIMARY KEY (payout_id, version)
			) WITHOUT ROWID;
			CREATE INDEX IF NOT EXISTS versions_raised ON versions (payout_id) WHERE version > 0;
			CREATE TABLE IF NOT EXISTS decided (payout_id TEXT NOT NULL PRIMARY KEY, tx_id TEXT NOT NULL) WITHOUT ROWID;
		`);
	}

	/** Null for a payment that is never replaced, or that was not signed here. */
	paymentOf(payoutId: string): SignedPayment | null {
		const [row] = this.#storage.sql
			.exec<{ network: NetworkName; asset: AssetId; to_address: string; amount: string }>(
				'SELECT network, asset, to_address, amount FROM payments WHERE payout_id = ?',
				payoutId,
			)
			.toArray();
		if (!row) return null;
		const payment = { id: payoutId, asset: row.asset, to: row.to_address, amount: BigInt(row.amount) };
		return { payment, network: row.network };
	}

	/** The newest first. `spends`: all that any version of the payment takes. */
	of(payoutId: string): SignedTransaction[] {
		const spends = this.#storage.sql
			.exec<{ spend: string }>('SELECT spend FROM spends WHERE payout_id = ?', payoutId)
			.toArray()
			.map(({ spend }) => decodeReservation(spend));
		const rows = this.#storage.sql.exec<{ txId: string; raw: string; fee: string }>(
			'SELECT tx_id AS txId, raw, fee FROM versions WHERE payout_id = ? ORDER BY version DESC',
			payoutId,
		);
		return [...rows].map(({ txId, raw, fee }) => ({ txId, raw, fee: BigInt(fee), spends }));
	}

	/** Payments with several versions of which none is known to be final; in no order, so that each has its turn. */
	undecided(network: NetworkName, count: number): string[] {
		const rows = this.#storage.sql.exec<{ payoutId: string }>(
			`SELECT DISTINCT payout_id AS payoutId FROM versions JOIN payments USING (payout_id)
			 WHERE version > 0 AND network = ?1 AND NOT EXISTS (SELECT 1 FROM decided WHERE decided.payout_id = versions.payout_id)
			 ORDER BY random() LIMIT ?2`,
			...[network, count],
		);
		return [...rows].map(({ payoutId }) => payoutId);
	}

	/** Atomic: the version of this id is the one, and all that the payment takes is `taken`, which that version takes. */
	decide(payoutId: string, txId: string, taken: readonly Reservation[]): void {
		this.#storage.transactionSync(() => {
			this.#storage.sql.exec('INSERT INTO decided VALUES (?, ?)', payoutId, txId);
			this.#storage.sql.exec(
				'DELETE FROM spends WHERE payout_id = ?1 AND NOT EXISTS (SELECT 1 FROM json_each(?2) WHERE value = spend)',
				...[payoutId, JSON.stringify(taken.map(encodeReservation))],
			);
		});
	}

	/** The payment and its first version. */
	begin(network: NetworkName, payment: Payment, transaction: SignedTransaction, now: number): void {
		const { id, asset, to, amount } = payment;
		this.#storage.sql.exec('INSERT INTO payments VALUES (?, ?, ?, ?, ?)', id, network, asset, to, amount.toString());
		this.#insert(id, 0, transaction, now);
	}

	/** `version`: how many there are already; if somebody was faster, the key is taken and this throws. */
	add(payoutId: string, version: number, transaction: SignedTransaction, now: number): void {
		this.#insert(payoutId, version, transaction, now);
	}

	#insert(payoutId: string, version: number, { txId, raw, fee }: SignedTransaction, now: number): void {
		this.#storage.sql.exec(
			'INSERT INTO versions VALUES (?, ?, ?, ?, ?, ?)',
			...[payoutId, version, txId, raw, fee.toString(), now],
		);
	}
}
