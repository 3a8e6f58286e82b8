/**
 * How many USD cents the signer has signed for on each UTC day: one counter for each of its daily caps, and one for each
 * address that withdrawals went to.
 */
import type { NetworkName } from '../../catalog/networks.ts';
import { plainForm } from '../../chains/addresses.ts';
import type { CapPurpose } from '../../treasury/over-cap.ts';

const TABLES: Readonly<Record<CapPurpose, string>> = {
	payout: 'days',
	refund: 'refund_days',
	withdrawal: 'withdrawal_days',
};

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
