/** `attention`: everything that waits for a person or a condition. */
import { isoTimeOrNull } from '../../platform/time.ts';
import type { RunsOf } from '../command.ts';
import type { attention as topic } from '../topics/attention.ts';
import { currentFacts, everythingThatWaits } from './collect.ts';

export const attentionRuns: RunsOf<typeof topic> = {
	'': async (context) =>
		(await everythingThatWaits(await currentFacts(context))).map(({ sort: _, ...row }) => ({
			...row,
			since: isoTimeOrNull(row.since),
		})),
};
