/** How full the two databases are that nothing may stop: D1, and the signer's journal. */
import { isoTime } from '../../platform/time.ts';
import type { VolumeReport } from '../../ports/copy.ts';
import { waitingJournal } from '../attention/incidents.ts';
import type { Context } from '../command.ts';
import { fine, type Part, wrong } from './row.ts';

/** The platform gives one D1 database so much, and the storage of one object too. */
const LIMIT_BYTES = 10e9;
/** From here on a person has months to do something. */
const TOLD_PERCENT = 70;

/** Rounded up. */
export const percentFull = (bytes: number): string => `${Math.ceil((bytes * 100) / LIMIT_BYTES)} %`;

const sizeText = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB, ${percentFull(bytes)} of what it may have`;

export const isNearlyFull = (bytes: number): boolean => bytes >= (LIMIT_BYTES * TOLD_PERCENT) / 100;

const D1_TODO =
	'finished orders move to R2 once a bucket is bound as ARCHIVE and `site update --archive-after-days 90` is set: the chapter Years says how';

/** D1 tells its size with each answer. */
export async function databaseBytes({ env }: Pick<Context, 'env'>): Promise<number> {
	return (await env.DB.prepare('select 1').all()).meta.size_after;
}

export const databaseSize: Part = async ({ context }) => {
	const bytes = await databaseBytes(context);
	const said = sizeText(bytes);
	return [isNearlyFull(bytes) ? wrong('database', 'size', said, D1_TODO) : fine('database', 'size', said)];
};

const JOURNAL_TODO =
	'its older orders should be in a volume, and are not: the log says why (`journal_not_moved`), and the chapter Years what stays; once it is full, nothing is signed any more';
const VOLUME_TODO =
	'what belongs to its orders is not signed: find out whether the object was deleted or set back; the chapter Years says how it comes back';

/** How old and how large it is, and whether it was lost, set back or restored. */
export const journal: Part = async ({ facts, signer }) => {
	const { begunAt, bytes, volumes } = (await signer()).state.journal;
	const said = `begun at ${isoTime(begunAt)}, ${sizeText(bytes)}`;
	const older = volumes.map(volumeRow);
	const waiting = await waitingJournal(await facts());
	if (waiting.length > 0)
		return [...waiting.map(({ cause, todo }) => wrong('journal', 'signer', `${cause}; ${said}`, todo)), ...older];
	return [
		isNearlyFull(bytes) ? wrong('journal', 'signer', said, JOURNAL_TODO) : fine('journal', 'signer', said),
		...older,
	];
};

function volumeRow({ number, orders, bytes, closedAt, problem }: VolumeReport) {
	const name = `journal-${number}`;
	const said = `${orders} orders, ${closedAt === null ? 'the newest' : `closed at ${isoTime(closedAt)}`}`;
	if (problem !== null) return wrong('journal', name, `${problem}; ${said}`, VOLUME_TODO);
	return fine('journal', name, `${said}, ${sizeText(bytes)}`);
}
