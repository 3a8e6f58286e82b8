/**
 * How many USD cents the signer has signed for on each UTC day: one counter for each of its daily caps, and one for each
 * address that withdrawals went to. And the sum of the last months for the deposits of each network. What counts is only called
 * inside the transaction that records the signature.
 */
import type { NetworkName } from '../../catalog/networks.ts';
import { plainForm } from '../../chains/addresses.ts';
import { DAY_MILLISECONDS } from '../../platform/time.ts';
import type { CapPurpose } from '../../treasury/over-cap.ts';
import { JournalPart } from './part.ts';

const TABLES: Readonly<Record<CapPurpose, string>> = {
	payout: 'days',
	refund: 'refund_days',
	withdrawal: 'withdrawal_days',
};

/** No deposit needs longer until it is as deep as the largest value must be. */
const LATELY_MILLISECONDS = 90 * DAY_MILLISECONDS;

/** Which counter a transaction of this kind counts towards. */
export function purposeOf(kind: string): CapPurpose {
	if (kind === 'refund' || kind === 'stray') return 'refund';
	return kind === 'withdrawal' ? kind : 'payout';
}

export class Days extends JournalPart {
	/** USD cents signed for on a UTC day. */
	signedOn(purpose: CapPurpose, day: string): number {
		return this.#cents(`SELECT usd_cents AS cents FROM ${TABLES[purpose]} WHERE day = ?`, day);
	}

	count(purpose: CapPurpose, day: string, usdCents: number): void {
		const more = 'VALUES (?1, ?2) ON CONFLICT (day) DO UPDATE SET usd_cents = usd_cents + ?2';
		this.rows(`INSERT INTO ${TABLES[purpose]} ${more}`, day, usdCents);
	}

	/** Without fees, which the address does not get. However the address is written, it is the same one. */
	withdrawnTo(network: NetworkName, address: string, day: string): number {
		const where = 'day = ? AND network = ? AND address = ?';
		const query = `SELECT usd_cents AS cents FROM withdrawal_address_days WHERE ${where}`;
		return this.#cents(query, day, network, plainForm(network, address));
	}

	countWithdrawn(to: { readonly network: NetworkName; readonly address: string }, day: string, usdCents: number): void {
		const counting = `INSERT INTO withdrawal_address_days VALUES (?1, ?2, ?3, ?4)
			ON CONFLICT (day, network, address) DO UPDATE SET usd_cents = usd_cents + ?4`;
		this.rows(counting, day, to.network, plainForm(to.network, to.address), usdCents);
	}

	/** `number`: of the entry. */
	countLately(fromNetwork: NetworkName, usdCents: number, now: number, number: number): void {
		this.rows('DELETE FROM lately WHERE network = ? AND at < ?', fromNetwork, now - LATELY_MILLISECONDS);
		this.rows('INSERT INTO lately VALUES (?, ?, ?, ?)', fromNetwork, now, number, usdCents);
	}

	/** Signed after `since`, for deposits on this network. */
	signedForDepositsOn(network: NetworkName, since: number): number {
		return this.#cents('SELECT sum(usd_cents) AS cents FROM lately WHERE network = ? AND at > ?', network, since);
	}

	#cents(query: string, ...values: readonly SqlStorageValue[]): number {
		return this.first<{ cents: number | null }>(query, ...values)?.cents ?? 0;
	}
}
