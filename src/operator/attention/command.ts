/** `attention`: everything that waits for a person or a condition. */
import { pick } from '../../platform/pick.ts';
import { isoTimeOrNull } from '../../platform/time.ts';
import type { RunsOf } from '../command.ts';
import type { attention as topic } from '../topics/attention.ts';
import { currentFacts, everythingThatWaits } from './collect.ts';

export const attentionRuns: RunsOf<typeof topic> = {
	'': async (context) =>
		(await everythingThatWaits(await currentFacts(context))).map((row) => ({
			...pick(row, 'area', 'subject', 'cause'),
			since: isoTimeOrNull(row.since ?? null),
			amount: row.amount ?? null,
			usd: row.usd ?? null,
			todo: row.todo,
			...pick(row, 'of'),
		})),
};
