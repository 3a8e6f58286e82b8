/** `morning`: ten lines, side by side. A line that cannot be read says so, and the others stand. */
import { logError } from '../../platform/log.ts';
import type { RunsOf } from '../command.ts';
import { examinationOf } from '../doctor/examine.ts';
import type { morning as topic } from '../topics/morning.ts';
import { type Said, SOURCES } from './lines.ts';

export const morningRuns: RunsOf<typeof topic> = {
	'': async (context) => {
		const examination = examinationOf(context);
		return Promise.all(
			SOURCES.map(async ({ what, more, say }) => {
				const { state, says } = await say(examination).catch((error: unknown) => unread(what, error));
				return { what, state, says, more };
			}),
		);
	},
};

function unread(what: string, error: unknown): Said {
	logError('doctor_part_failed', error, { area: 'morning', what });
	return { state: 'unknown', says: error instanceof Error ? error.message : String(error) };
}
