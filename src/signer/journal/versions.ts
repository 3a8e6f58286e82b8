/**
 * Every version of each payment that was signed: the first one, and those with a higher fee that may take its place. Also
 * keeps the payment itself, so that a fee bump is for what was judged then, whatever D1 says now. All writes but `decide`
 * happen inside the journal's transactions.
 */
import type { AssetId } from '../../catalog/assets.ts';
import type { NetworkName } from '../../catalog/networks.ts';
import type { Payment, SignedTransaction } from '../../chains/port.ts';
import { freeAllBut, takenBy } from './spends.ts';

export interface SignedPayment {
	readonly payment: Payment;
	readonly network: NetworkName;
}

export class Versions {
	readonly #storage: DurableObjectStorage;

	constructor(storage: DurableObjectStorage) {
		this.#storage = storage;
	}

	/** Null for a payment whose fee is never bumped, or that was not signed here. */
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
		const spends = takenBy(this.#storage.sql, payoutId);
		const rows = this.#storage.sql.exec<{ txId: string; raw: string; fee: string }>(
			'SELECT tx_id AS txId, raw, fee FROM versions WHERE payout_id = ? ORDER BY version DESC',
			payoutId,
		);
		return [...rows].map(({ txId, raw, fee }) => ({ txId, raw, fee: BigInt(fee), spends }));
	}

	/** Payments with several versions of which none is known to be final; in random order, so that none is left out. */
	undecided(network: NetworkName, count: number): string[] {
		const rows = this.#storage.sql.exec<{ payoutId: string }>(
			`SELECT DISTINCT payout_id AS payoutId FROM versions JOIN payments USING (payout_id)
			 WHERE version > 0 AND network = ?1 AND NOT EXISTS (SELECT 1 FROM decided WHERE decided.payout_id = versions.payout_id)
			 ORDER BY random() LIMIT ?2`,
			...[network, count],
		);
		return [...rows].map(({ payoutId }) => payoutId);
	}

	/** Atomic: the version of this id has won, and the payment takes only `taken`, which that version takes. */
	decide(payoutId: string, txId: string, taken: readonly string[]): void {
		this.#storage.transactionSync(() => {
			this.#storage.sql.exec('INSERT INTO decided VALUES (?, ?)', payoutId, txId);
			freeAllBut(this.#storage.sql, payoutId, taken);
		});
	}

	/** The payment and its first version. */
	begin(network: NetworkName, payment: Payment, transaction: SignedTransaction, now: number): void {
		const { id, asset, to, amount } = payment;
		this.#storage.sql.exec('INSERT INTO payments VALUES (?, ?, ?, ?, ?)', id, network, asset, to, amount.toString());
		this.#insert(id, 0, transaction, now);
	}

	/** `version`: how many there are already. @throws where another call was faster and the key is taken */
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
