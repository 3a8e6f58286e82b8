/**
 * How many USD cents the signer has signed for on each UTC day: one counter for each of its daily caps, and one for each
 * address that withdrawals went to. And the sum of the last months for the deposits of each network.
 */
import type { NetworkName } from '../../catalog/networks.ts';
import { plainForm } from '../../chains/addresses.ts';
import { DAY_MILLISECONDS } from '../../platform/time.ts';
import type { CapPurpose } from '../../treasury/over-cap.ts';

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

export function signedOn(sql: SqlStorage, purpose: CapPurpose, day: string): number {
	const [row] = sql
		.exec<{ usd_cents: number }>(`SELECT usd_cents FROM ${TABLES[purpose]} WHERE day = ?`, day)
		.toArray();
	return row?.usd_cents ?? 0;
}

/** Only inside the transaction that records the signature. */
export function count(sql: SqlStorage, purpose: CapPurpose, day: string, usdCents: number): void {
	sql.exec(
		`INSERT INTO ${TABLES[purpose]} VALUES (?1, ?2) ON CONFLICT (day) DO UPDATE SET usd_cents = usd_cents + ?2`,
		day,
		usdCents,
	);
}

/** Without fees, which the address does not get. However the address is written, it is the same one. */
export function withdrawnTo(sql: SqlStorage, network: NetworkName, address: string, day: string): number {
	const [row] = sql
		.exec<{ usd_cents: number }>(
			'SELECT usd_cents FROM withdrawal_address_days WHERE day = ? AND network = ? AND address = ?',
			day,
			network,
			plainForm(network, address),
		)
		.toArray();
	return row?.usd_cents ?? 0;
}

/** Only inside the transaction that records the signature. */
export function countWithdrawn(
	sql: SqlStorage,
	{ network, address }: { readonly network: NetworkName; readonly address: string },
	day: string,
	usdCents: number,
): void {
	sql.exec(
		`INSERT INTO withdrawal_address_days VALUES (?1, ?2, ?3, ?4)
		 ON CONFLICT (day, network, address) DO UPDATE SET usd_cents = usd_cents + ?4`,
		day,
		network,
		plainForm(network, address),
		usdCents,
	);
}

/** Only inside the transaction that records the signature, under its number. */
export function countLately(
	sql: SqlStorage,
	signed: { readonly fromNetwork: NetworkName; readonly usdCents: number; readonly now: number },
	number: number,
): void {
	const { fromNetwork, usdCents, now } = signed;
	sql.exec('DELETE FROM lately WHERE network = ? AND at < ?', fromNetwork, now - LATELY_MILLISECONDS);
	sql.exec('INSERT INTO lately VALUES (?, ?, ?, ?)', fromNetwork, now, number, usdCents);
}

/** For deposits on this network, after `since`, Unix milliseconds. */
export function signedLately(sql: SqlStorage, network: NetworkName, since: number): number {
	const sum = 'SELECT coalesce(sum(usd_cents), 0) AS cents FROM lately WHERE network = ? AND at > ?';
	return sql.exec<{ cents: number }>(sum, network, since).one().cents;
}
