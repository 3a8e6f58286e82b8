/** How many USD cents the signer has signed for on each UTC day: one counter for each of its daily caps. */
import type { CapPurpose } from '../../treasury/signer-refusal.ts';

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
