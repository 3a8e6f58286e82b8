/**
 * Partners' earnings, and the payments of them. An order's earnings are written with the signature of its payout. They
 * are paid at most once: the key of the table enforces it. An order whose earnings the operator paid by hand counts as
 * paid. And where each partner was to be paid last, so that no address comes back that they have replaced. Each method
 * is one synchronous turn.
 */
import type { AssetId } from '../../catalog/assets.ts';
import type { PayoutTerms } from '../../orders/seal.ts';
import { countEntry } from './entries.ts';
import { type EntryName, mustBeHere } from './moved.ts';
import { JournalPart } from './part.ts';

export interface EarnedByOrder {
	readonly orderId: string;
	readonly partnerId: string;
	readonly asset: AssetId;
	readonly amount: bigint;
}

export const earnedName = (orderId: string): EntryName => `earned ${orderId}`;

const AMONG = 'IN (SELECT value FROM json_each(?))';

export class EarningsJournal extends JournalPart {
	/** Only inside the transaction that records the order's payout. */
	earned({ orderId, partnerId, asset, amount }: EarnedByOrder): void {
		this.rows('INSERT INTO earnings VALUES (?, ?, ?, ?)', orderId, partnerId, asset, amount.toString());
	}

	/** The earnings of each of these orders; an order that no payout was signed for is absent. */
	earnedWith(orderIds: readonly string[]): EarnedByOrder[] {
		type Row = { orderId: string; partnerId: string; asset: AssetId; amount: string };
		const query = `SELECT order_id AS orderId, partner_id AS partnerId, asset, amount FROM earnings WHERE order_id ${AMONG}`;
		return this.rows<Row>(query, JSON.stringify(orderIds)).map((row) => ({ ...row, amount: BigInt(row.amount) }));
	}

	/** The payouts that pay for any of these orders. */
	payersOf(orderIds: readonly string[]): string[] {
		const query = `SELECT DISTINCT payout_id AS payoutId FROM earnings_paid WHERE order_id ${AMONG}`;
		return this.rows<{ payoutId: string }>(query, JSON.stringify(orderIds)).map(({ payoutId }) => payoutId);
	}

	/** Only inside the journal's transaction. @throws where one of them is paid already; then nothing is written */
	pay(payoutId: string, orderIds: readonly string[]): void {
		mustBeHere(this.storage.sql, orderIds.map(earnedName));
		this.rows('INSERT INTO earnings_paid SELECT value, ?2 FROM json_each(?1)', JSON.stringify(orderIds), payoutId);
	}

	/** Orders that are paid already keep the payout that paid them. */
	paidByHand(payoutId: string, orderIds: readonly string[]): void {
		mustBeHere(this.storage.sql, orderIds.map(earnedName));
		countEntry(this.storage.sql);
		const paying = 'INSERT OR IGNORE INTO earnings_paid SELECT value, ?2 FROM json_each(?1)';
		this.rows(paying, JSON.stringify(orderIds), payoutId);
	}

	/** This payout of earnings is given up. */
	withdraw(payoutId: string): void {
		countEntry(this.storage.sql);
		this.rows('INSERT OR IGNORE INTO earnings_withdrawn VALUES (?)', payoutId);
	}

	/**
	 * From now on the partner is paid there, and at no address that was set before. False, and nothing changes, where another
	 * one was set later. Who calls has checked the seal.
	 */
	takeAddress({ partnerId, asset, address, changedAt }: PayoutTerms): boolean {
		const query = 'SELECT asset, address, changed_at AS changedAt FROM payout_addresses WHERE partner_id = ?';
		const known = this.first<{ asset: string; address: string; changedAt: number }>(query, partnerId);
		if (known && changedAt <= known.changedAt) return known.asset === asset && known.address === address;
		countEntry(this.storage.sql);
		this.rows('INSERT OR REPLACE INTO payout_addresses VALUES (?, ?, ?, ?)', partnerId, asset, address, changedAt);
		return true;
	}

	isWithdrawn(payoutId: string): boolean {
		return this.has('SELECT 1 FROM earnings_withdrawn WHERE payout_id = ?', payoutId);
	}
}
