/**
 * Payments that the signer never signs, because the operator gave them up. When an order's payout is given up, every
 * payout of that order under any id is given up too, so that its deposits can be sent back. An attacker who calls this
 * can only make the service pay less. Each method is one synchronous turn.
 */
import { JournalPart } from './part.ts';

export interface Planned {
	readonly payoutId: string;
	/** Empty for what belongs to no order. */
	readonly orderId: string;
	readonly kind: string;
}

export class GivenUp extends JournalPart {
	/** `orderId`: of an order's payout; null of everything else. Safe to repeat. */
	note(payoutId: string, orderId: string | null, now: number): void {
		this.storage.transactionSync(() => {
			this.rows('INSERT OR IGNORE INTO given_up VALUES (?, ?)', payoutId, now);
			if (orderId !== null) this.rows('INSERT OR IGNORE INTO given_up_orders VALUES (?, ?)', orderId, now);
		});
	}

	/** Refunds of an order whose payout was given up are still signed: the order waits for them. */
	isNoted({ payoutId, orderId, kind }: Planned): boolean {
		if (this.has('SELECT 1 FROM given_up WHERE payout_id = ?', payoutId)) return true;
		return kind === 'payout' && this.has('SELECT 1 FROM given_up_orders WHERE order_id = ?', orderId);
	}
}
