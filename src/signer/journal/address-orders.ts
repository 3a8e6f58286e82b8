/**
 * Which order each pay-in address belongs to: the first order that a payout or refund was signed for, or that was promised. A
 * deposit belongs to the order of its address, so deposits at the address pay for no other order, whatever D1 says.
 */
import type { NetworkName } from '../../catalog/networks.ts';
import type { JournalPayment, SignedOrder } from '../../ports/copy.ts';
import type { Contradiction, OrderClaim } from '../../treasury/order-claim.ts';
import { mustBeHere } from './moved.ts';
import { JournalPart } from './part.ts';

/** Signatures of one page. */
export const PER_PAGE = 500;

export class AddressOrders extends JournalPart {
	isOfAnother(orderId: string, network: NetworkName, address: string): boolean {
		const other = 'SELECT 1 FROM address_orders WHERE network = ? AND address = ? AND order_id <> ?';
		return this.has(other, network, address, orderId);
	}

	/**
	 * Atomic, one statement: the address belongs to these terms alone from now on. False, and nothing is written, where it was
	 * promised on others, or was not derived here. `digest`: `termsDigest`.
	 */
	promise(network: NetworkName, address: string, digest: string): boolean {
		const promising = `UPDATE addresses SET promised = ?3
			WHERE network = ?1 AND address = ?2 AND coalesce(promised, ?3) = ?3 RETURNING 1`;
		return this.has(promising, network, address, digest);
	}

	isPromisedOtherwise(network: NetworkName, address: string, digest: string): boolean {
		const other = 'SELECT 1 FROM addresses WHERE network = ? AND address = ? AND promised <> ?';
		return this.has(other, network, address, digest);
	}

	/** Compares an order's row with what was signed for it; null where nothing speaks against it. */
	contradictionOf({ id, network, address, toAddress }: OrderClaim): Contradiction | null {
		if (this.isOfAnother(id, network, address)) return 'address-of-other-order';
		const paidTo = this.#recipientOf(id);
		return paidTo !== null && paidTo !== toAddress ? 'paid-to-another' : null;
	}

	/**
	 * The orders' signed transactions, the newest first, with the order's pay-in address. `below`: the last number of the
	 * page before; null for the first page.
	 */
	signed(below: number | null): SignedOrder[] {
		const page = `SELECT number, order_id, kind, network AS paidOn, tx_id AS txId, at FROM signatures
			WHERE order_id <> '' AND number < ? ORDER BY number DESC LIMIT ${PER_PAGE}`;
		return this.rows<Pick<SignedOrder, keyof SignedOrder>>(
			`SELECT number, page.order_id AS orderId, kind, paidOn, txId, at, bound.network, bound.address
			 FROM (${page}) AS page JOIN address_orders AS bound ON bound.order_id = page.order_id ORDER BY number DESC`,
			below ?? Number.MAX_SAFE_INTEGER,
		);
	}

	/** Payouts and refunds of the deposits at a pay-in address. */
	paymentsFor(network: NetworkName, address: string): JournalPayment[] {
		type Row = Pick<JournalPayment, Exclude<keyof JournalPayment, 'deposits'>>;
		const claimed =
			'SELECT payout_id AS payoutId, tx_id AS txId, position FROM claims WHERE network = ? AND address = ?';
		const claims = this.rows<{ payoutId: string; txId: string; position: string }>(claimed, network, address);
		const rows = this.rows<Row>(
			`SELECT payout_id AS payoutId, kind, signatures.network, payments.asset, payments.amount, earnings.amount AS afftax, coalesce(
				(SELECT tx_id FROM decided WHERE decided.payout_id = signatures.payout_id),
				(SELECT tx_id FROM versions WHERE versions.payout_id = signatures.payout_id ORDER BY version DESC LIMIT 1),
				signatures.tx_id) AS txId
			 FROM signatures LEFT JOIN payments USING (payout_id)
			 LEFT JOIN earnings ON signatures.kind = 'payout' AND earnings.order_id = signatures.order_id
			 WHERE payout_id IN (SELECT value FROM json_each(?))`,
			JSON.stringify([...new Set(claims.map(({ payoutId }) => payoutId))]),
		);
		return rows.map((row) => ({
			...row,
			deposits: claims
				.filter(({ payoutId }) => payoutId === row.payoutId)
				.map(({ txId, position }) => ({ txId, position })),
		}));
	}

	/** Whom the order's payout was signed for; null where none was, or its payment is not kept. */
	#recipientOf(orderId: string): string | null {
		const where = "WHERE order_id = ? AND kind = 'payout'";
		const query = `SELECT to_address AS "to" FROM signatures JOIN payments USING (payout_id) ${where}`;
		return this.first<{ to: string }>(query, orderId)?.to ?? null;
	}

	/**
	 * Only inside the journal's transaction. @throws where the address belongs to another order; then nothing is
	 * written
	 */
	bind(orderId: string, network: NetworkName, address: string): void {
		mustBeHere(this.storage.sql, [`address ${network} ${address}`]);
		this.rows('INSERT OR IGNORE INTO address_orders VALUES (?, ?, ?)', network, address, orderId);
		if (this.isOfAnother(orderId, network, address)) throw new Error(`${address} belongs to another order`);
	}
}
