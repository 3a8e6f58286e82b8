/** What an update changes. Only columns that differ are written, and the audit log has both values. Pure. */
import type { PartnerColumns } from '../../partners/changes.ts';
import type { PartnerRow } from '../../partners/table.ts';

/** The columns that differ. A field that is undefined stays as it is. */
export function differences(before: PartnerRow, wanted: { readonly [name: string]: unknown }): PartnerColumns {
	const known: { readonly [name: string]: unknown } = before;
	return Object.fromEntries(
		Object.entries(wanted).filter(
			([name, value]) => value !== undefined && JSON.stringify(value) !== JSON.stringify(known[name]),
		),
	) as PartnerColumns;
}

/** `{ field: { from, to } }`, for the log; without what follows from the rest: the payout's seal, and the time of the next automatic payout. */
export function changesOf(
	before: PartnerRow,
	{ payoutSeal: _, autoPayoutAt: __, autoPayoutWaits: ___, ...columns }: PartnerColumns,
) {
	const known: { readonly [name: string]: unknown } = before;
	return Object.fromEntries(Object.entries(columns).map(([name, to]) => [name, { from: known[name], to }]));
}
