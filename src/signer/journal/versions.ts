/**
 * Every signed version of each payment: the first one, and one for each fee bump. The payment itself is kept too, so
 * that a fee bump pays what was judged then, whatever D1 says now. All writes but `decide` are inside the journal's
 * transactions.
 */
import type { AssetId } from '../../catalog/assets.ts';
import type { NetworkName } from '../../catalog/networks.ts';
import type { Reservation } from '../../chains/reservations.ts';
import type { Payment, SignedTransaction } from '../../chains/signing-port.ts';
import { mustBeHere } from './moved.ts';
import { JournalPart } from './part.ts';
import { freeAllBut, takenBy } from './spends.ts';

export interface SignedPayment {
	readonly payment: Payment;
	readonly network: NetworkName;
}

export class Versions extends JournalPart {
	/** Null for a payment whose fee is never bumped, or that was not signed here. */
	paymentOf(payoutId: string): SignedPayment | null {
		type Row = { network: NetworkName; asset: AssetId; to: string; amount: string };
		const query = 'SELECT network, asset, to_address AS "to", amount FROM payments WHERE payout_id = ?';
		const row = this.first<Row>(query, payoutId);
		if (!row) return null;
		const { network, asset, to, amount } = row;
		return { payment: { id: payoutId, asset, to, amount: BigInt(amount) }, network };
	}

	/** The newest first. `spends`: all that any version of the payment takes. */
	of(payoutId: string): SignedTransaction[] {
		const spends = takenBy(this.storage.sql, payoutId);
		const query = 'SELECT tx_id AS txId, raw, fee FROM versions WHERE payout_id = ? ORDER BY version DESC';
		const rows = this.rows<{ txId: string; raw: string; fee: string }>(query, payoutId);
		return rows.map(({ txId, raw, fee }) => ({ txId, raw, fee: BigInt(fee), spends }));
	}

	/** The one that is known to be final, else the newest; null where there is none. */
	standing(payoutId: string): SignedTransaction | null {
		const versions = this.of(payoutId);
		const decided = this.first<{ txId: string }>('SELECT tx_id AS txId FROM decided WHERE payout_id = ?', payoutId);
		return versions.find(({ txId }) => txId === decided?.txId) ?? versions[0] ?? null;
	}

	/** When the newest was signed; 0 where there is none. */
	newestAt(payoutId: string): number {
		const query = 'SELECT max(at) AS at FROM versions WHERE payout_id = ?';
		return this.first<{ at: number | null }>(query, payoutId)?.at ?? 0;
	}

	/**
	 * Payments with several versions, none of which is known to be final. In random order, so that each has its turn.
	 */
	undecided(network: NetworkName, count: number): string[] {
		const query = `SELECT DISTINCT payout_id AS payoutId FROM versions JOIN payments USING (payout_id)
			WHERE version > 0 AND network = ?1 AND NOT EXISTS (SELECT 1 FROM decided WHERE decided.payout_id = versions.payout_id)
			ORDER BY random() LIMIT ?2`;
		return this.rows<{ payoutId: string }>(query, network, count).map(({ payoutId }) => payoutId);
	}

	/**
	 * Atomic: records that this version is final, and that the payment spends only `taken`, which this version spends.
	 */
	decide(payoutId: string, txId: string, taken: readonly Reservation[]): void {
		this.storage.transactionSync(() => {
			mustBeHere(this.storage.sql, [`payout ${payoutId}`]);
			this.rows('INSERT INTO decided VALUES (?, ?)', payoutId, txId);
			freeAllBut(this.storage.sql, payoutId, taken);
		});
	}

	/** The payment and its first version. */
	begin(network: NetworkName, payment: Payment, transaction: SignedTransaction, now: number): void {
		const { id, asset, to, amount } = payment;
		this.rows('INSERT INTO payments VALUES (?, ?, ?, ?, ?)', id, network, asset, to, amount.toString());
		this.add(id, 0, transaction, now);
	}

	/** `version`: how many there are already. @throws where another call was first and the key is taken */
	add(payoutId: string, version: number, { txId, raw, fee }: SignedTransaction, now: number): void {
		const row = [payoutId, version, txId, raw, fee.toString(), now];
		this.rows('INSERT INTO versions VALUES (?, ?, ?, ?, ?, ?)', ...row);
	}
}
