/**
 * Why a transaction of our own does not go on, in one line for a person, and since when. Each refusal is stored with the
 * transaction when it happens; a switch of the operator is a condition, which is read where it is shown. Pure.
 */

import type { TransactionRow } from '../table.ts';
import { type Switches, stoppedBy } from './switches.ts';

export interface WaitReason {
	readonly because: string;
	/** Unix milliseconds; null of what nobody noted: a switch (the audit log has it), and what an older version stored. */
	readonly since: number | null;
}

type Row = Pick<TransactionRow, 'state' | 'network' | 'asset' | 'sweepAsset' | 'held' | 'waitsBecause' | 'waitsSince'>;

/** Null while it goes on. What a person must look at comes before what a later try may heal. */
export function waitReason(row: Row, switches: Switches): WaitReason | null {
	if (row.held !== null) return { because: row.held, since: row.waitsSince };
	const stopped = stoppedBy(row, switches);
	if (stopped !== null) return { because: stopped, since: null };
	return row.waitsBecause === null ? null : { because: row.waitsBecause, since: row.waitsSince };
}

type Waiting = Pick<TransactionRow, 'waitsBecause' | 'waitsSince'>;

/** The columns of what waits for this reason: its time stays while the reason is the same but for its figures. */
export function waitsFor({ waitsBecause, waitsSince }: Waiting, because: string, now: number): Waiting {
	const isSame = waitsBecause !== null && withoutFigures(waitsBecause) === withoutFigures(because);
	return { waitsBecause: because, waitsSince: isSame ? waitsSince : now };
}

/** The columns of what goes on. */
export const GOES_ON: Waiting = { waitsBecause: null, waitsSince: null };

/** Minutes, confirmations and balances change from try to try. */
const withoutFigures = (text: string): string => text.replace(/\d+/g, '#');
