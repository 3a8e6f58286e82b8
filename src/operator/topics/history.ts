/** `history …`: is what happened still what the database says? */
import * as z from 'zod/mini';
import { why } from '../input.ts';
import { declare, topicOf } from '../topic.ts';

export const history = topicOf('what happened, as it was chained and signed', {
	verify: declare({
		summary: 'compare the rows of the books, the audit log and the orders’ moves with the chain that the signer signs',
		button: 'Check the history',
		details:
			'Exit status 1 where a row was changed, removed, inserted later or set back: first names the first one. Exit status 3 where not everything could be compared: uncompared rows have their lines in a bucket that is not bound, late says that new rows are not chained, or not signed. Archived orders are read in the archive. After the database was set back, `history accept` says that you know why.',
		reads: true,
		options: {
			from: {
				kind: 'integer',
				value: 'SEGMENT',
				schema: z.optional(z.int().check(z.minimum(1))),
				help: 'begin with this segment of the chain',
			},
		},
		exitRules: [
			{ field: 'wrong', message: 'the history is not as it was chained and signed; the answer says where' },
			{ field: 'uncompared', status: 3, message: 'not every row could be compared: the bucket has no lines for some' },
			{
				field: 'late',
				status: 3,
				message: 'new rows are not chained or not signed: the log lines watchdog_failed say why',
			},
			{ field: 'left', status: 3, message: 'not all of it was compared; the answer says how to go on' },
		],
		sections: { found: ['what', 'sentence'] },
	}),
	accept: declare({
		summary: 'say that you know why the history was changed or set back: from now on it counts as it is',
		button: 'Accept the history',
		details:
			'Your reason and what was found go to the audit log, and the signer signs a head that says that a person stands for it, which everybody sees who has the signed heads. A row that is changed afterwards is found as always.',
		options: { reason: why('R') },
	}),
});
