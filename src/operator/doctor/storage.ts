/** How full the two databases are that nothing may stop: D1, and the signer's journal. */

import { isoTime } from '../../platform/time.ts';
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
	'a new signer with a new SEED, to which all coins are moved, must take over before it is full: then nothing is signed any more';

/** How old and how large it is, and whether it was lost, set back or restored. */
export const journal: Part = async ({ facts, signer }) => {
	const { begunAt, bytes } = (await signer()).state.journal;
	const said = `begun at ${isoTime(begunAt)}, ${sizeText(bytes)}`;
	const waiting = await waitingJournal(await facts());
	if (waiting.length > 0)
		return waiting.map(({ cause, todo }) => wrong('journal', 'signer', `${cause}; ${said}`, todo));
	return [isNearlyFull(bytes) ? wrong('journal', 'signer', said, JOURNAL_TODO) : fine('journal', 'signer', said)];
};
