/**
 * What partners have earned and what of it was paid, in the signer's own storage. An order's earnings are written with
 * the signature of its payout, and paid once: the key says so. An order that the operator paid for himself counts as
 * paid, and a payout that was given up is never signed. Every method is one synchronous turn.
 */
import type { AssetId } from '../../catalog/assets.ts';

export interface EarnedByOrder {
	readonly orderId: string;
	readonly partnerId: string;
	readonly asset: AssetId;
	/** Base units. */
	readonly amount: bigint;
}

export class EarningsJournal {
	readonly #storage: DurableObjectStorage;

	constructor(storage: DurableObjectStorage) {
		this.#storage = storage;
		storage.sql.exec(`
			CREATE TABLE IF NOT EXISTS earnings (order_id TEXT PRIMARY KEY, partner_id TEXT NOT NULL, asset TEXT NOT NULL, amount TEXT NOT NULL) WITHOUT ROWID;
			CREATE TABLE IF NOT EXISTS earnings_paid (order_id TEXT PRIMARY KEY, payout_id TEXT NOT NULL) WITHOUT ROWID;
			CREATE TABLE IF NOT EXISTS earnings_withdrawn (payout_id TEXT PRIMARY KEY) WITHOUT ROWID;
		`);
	}

	earned({ orderId, partnerId, asset, amount }: EarnedByOrder): void {
		this.#storage.sql.exec(
			'INSERT INTO earnings VALUES (?, ?, ?, ?)',
			...[orderId, partnerId, asset, amount.toString()],
		);
	}

	/** What was earned with each of these orders; an order that no payout was signed for is absent. */
	earnedWith(orderIds: readonly string[]): EarnedByOrder[] {
		const rows = this.#storage.sql.exec<{ orderId: string; partnerId: string; asset: AssetId; amount: string }>(
			`SELECT order_id AS orderId, partner_id AS partnerId, asset, amount FROM earnings
			 WHERE order_id IN (SELECT value FROM json_each(?))`,
			JSON.stringify(orderIds),
		);
		return [...rows].map((row) => ({ ...row, amount: BigInt(row.amount) }));
	}

	/** The payouts that pay for any of these orders. */
	payersOf(orderIds: readonly string[]): string[] {
		const rows = this.#storage.sql.exec<{ payoutId: string }>(
			`SELECT DISTINCT payout_id AS payoutId FROM earnings_paid WHERE order_id IN (SELECT value FROM json_each(?))`,
			JSON.stringify(orderIds),
		);
		return [...rows].map(({ payoutId }) => payoutId);
	}

	/** @throws where one of them is paid already; the caller's transaction then writes nothing. */
	pay(payoutId: string, orderIds: readonly string[]): void {
		this.#storage.sql.exec(
			'INSERT INTO earnings_paid SELECT value, ?2 FROM json_each(?1)',
			...[JSON.stringify(orderIds), payoutId],
		);
	}

	/** Orders that are paid already stay with what paid them. */
	paidByHand(payoutId: string, orderIds: readonly string[]): void {
		this.#storage.sql.exec(
			'INSERT OR IGNORE INTO earnings_paid SELECT value, ?2 FROM json_each(?1)',
			...[JSON.stringify(orderIds), payoutId],
		);
	}

	withdraw(payoutId: string): void {
		this.#storage.sql.exec('INSERT OR IGNORE INTO earnings_withdrawn VALUES (?)', payoutId);
	}

	isWithdrawn(payoutId: string): boolean {
		const rows = this.#storage.sql.exec('SELECT 1 FROM earnings_withdrawn WHERE payout_id = ?', payoutId);
		return rows.next().done !== true;
	}
}
