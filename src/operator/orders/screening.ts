/** Screening as the operator's commands show it. */
import { isoTime, isoTimeOrNull } from '../../platform/time.ts';
import type { ScreeningRow } from '../../treasury/screening/table.ts';

/** For `order show`. */
export const screeningRecord = (row: ScreeningRow) => ({
	subject: row.subject,
	txId: row.txId || null,
	address: row.address,
	verdict: row.verdict,
	decidedBy: row.decidedBy,
	note: row.note,
	attempts: row.attempts,
	at: isoTime(row.at),
	nextAskAt: isoTimeOrNull(row.nextAskAt),
});
