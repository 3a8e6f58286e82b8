/** The signer's journal: how old and how large it is, and whether it was lost, set back or restored. */
import { isoTime } from '../../platform/time.ts';
import { waitingJournal } from '../attention/incidents.ts';
import { fine, type Part, wrong } from './row.ts';

const MEBIBYTE = 1024 ** 2;
/** The storage of an object ends at 10 GiB, and then nothing is signed any more. */
const MOST_BYTES = 8 * 1024 * MEBIBYTE;
const FULL = 'a new signer with a new SEED, to which all coins are moved, must take over before it has 10 GiB';

export const journal: Part = async ({ facts, signer }) => {
	const { state } = await signer();
	const { begunAt, bytes } = state.journal;
	const size = `${(bytes / MEBIBYTE).toFixed(1)} MiB`;
	const said = `begun at ${isoTime(begunAt)}, ${size}`;
	const waiting = await waitingJournal(await facts());
	if (waiting.length > 0)
		return waiting.map(({ cause, todo }) => wrong('journal', 'signer', `${cause}; ${said}`, todo));
	return bytes > MOST_BYTES ? [wrong('journal', 'signer', said, FULL)] : [fine('journal', 'signer', said)];
};
