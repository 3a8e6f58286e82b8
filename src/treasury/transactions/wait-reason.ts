/**
 * Why a transaction does not go on, in one line for the operator, and since when. A refusal is stored with the
 * transaction when it happens. A switch of the operator is not stored with it: it is read when it is needed. Pure.
 */
import type { TransactionRow } from '../table.ts';
import { blockedReason, stopText, waitingReason } from './stop-reason.ts';
import { type Switches, stoppedBy } from './switches.ts';

export interface WaitReason {
	readonly because: string;
	/** Unix milliseconds. Null for a switch (the audit log has its time) and where it was blocked without a wait. */
	readonly since: number | null;
}

type Row = Parameters<typeof stoppedBy>[0] &
	Parameters<typeof blockedReason>[0] &
	Parameters<typeof waitingReason>[0] &
	Pick<TransactionRow, 'waitsSince'>;

/** Null while it goes on. Why it is blocked comes first, then a switch, then why it waits. */
export function waitReason(row: Row, switches: Switches): WaitReason | null {
	const blocked = blockedReason(row);
	if (blocked) return { because: stopText(blocked), since: row.waitsSince };
	const stopped = stoppedBy(row, switches);
	if (stopped !== null) return { because: stopped, since: null };
	const waits = waitingReason(row);
	return waits && { because: stopText(waits), since: row.waitsSince };
}

/** Why it is blocked; null while it is not. */
export function blockedText(row: Parameters<typeof blockedReason>[0]): string | null {
	const blocked = blockedReason(row);
	return blocked && stopText(blocked);
}
