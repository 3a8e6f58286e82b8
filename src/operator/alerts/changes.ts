/**
 * The changes of an evaluation: compares what waits now with the stored alerts. Pure.
 *
 * A thing that waits is told at once. It is told to be over only when it was gone for the quiet time; if it comes back
 * before that, nothing is told. So what flaps is told once.
 */
import { DAY_MILLISECONDS } from '../../platform/time.ts';
import { MOST_ROWS, type Waiting } from '../attention/waiting.ts';
import type { AlertRow } from './table.ts';

export interface Changes {
	readonly raised: readonly (readonly [key: string, row: Waiting])[];
	readonly gone: readonly AlertRow[];
	readonly back: readonly AlertRow[];
	readonly over: readonly AlertRow[];
	/** Nobody accepted them for so long that nobody need be told any more. */
	readonly dropped: readonly AlertRow[];
}

/** Most alerts that one evaluation raises; the rest follows in the next minutes. */
const MOST_RAISED = 100;
const KEPT_MILLISECONDS = 7 * DAY_MILLISECONDS;

export const alertKey = ({ area, subject, sort, shared }: Waiting): string =>
	shared ? `${area} ${shared.key}` : [area, ...(sort === undefined ? [] : [sort]), subject].join(' ');

/** `unread`: areas that could not be read: nothing of theirs is taken to be gone. */
export function changesOf(
	waiting: readonly Waiting[],
	stored: readonly AlertRow[],
	{ unread, quietMilliseconds, now }: { unread: ReadonlySet<string>; quietMilliseconds: number; now: number },
): Changes {
	const present = new Map(waiting.map((row) => [alertKey(row), row]));
	const known = new Set(stored.map(({ key }) => key));
	const ofArea = Map.groupBy(waiting, ({ area }) => area);
	// A list that was cut does not say what is gone, nor does a row that stands for several.
	const isWhole = (rows: readonly Waiting[]) => rows.length < MOST_ROWS && rows.every((row) => row.of === undefined);
	const isRead = (area: string) => !unread.has(area) && isWhole(ofArea.get(area as Waiting['area']) ?? []);
	// One that is told to be over is raised again once that was told.
	const settled = stored.filter(({ state }) => state !== 'over');
	const goneFor = ({ goneAt }: AlertRow) => (goneAt === null ? -1 : now - goneAt);
	const absent = settled.filter(({ key, area }) => !present.has(key) && isRead(area));
	return {
		raised: [...present].filter(([key]) => !known.has(key)).slice(0, MOST_RAISED),
		gone: absent.filter(({ goneAt }) => goneAt === null),
		back: settled.filter(({ key, goneAt }) => present.has(key) && goneAt !== null),
		over: absent.filter((row) => row.state === 'told' && goneFor(row) >= quietMilliseconds),
		dropped: stored.filter((row) => row.state !== 'told' && goneFor(row) > KEPT_MILLISECONDS),
	};
}
