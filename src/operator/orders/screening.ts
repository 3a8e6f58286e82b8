/** Screening as the operator's commands show it. */
import { isoTimesOf, pick } from '../../platform/pick.ts';
import type { ScreeningRow } from '../../treasury/screening/table.ts';

/** For `order show`. */
export const screeningRecord = (row: ScreeningRow) => ({
	subject: row.subject,
	txId: row.txId || null,
	...pick(row, 'address', 'verdict', 'decidedBy', 'note', 'attempts'),
	...isoTimesOf(row, 'at', 'nextAskAt'),
});
