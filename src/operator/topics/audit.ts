/** `audit …`: who changed what, and whether the log has all of it. */
import * as z from 'zod/mini';
import { LIMIT, text, time, why } from '../input.ts';
import { declare, topicOf } from '../topic.ts';
import { MOMENT_HELP } from './moment.ts';

const subject = z.string().check(z.maxLength(200));

export const audit = topicOf('who changed what', {
	list: declare({
		summary: 'what operators and partners changed, newest first',
		button: 'See the audit log',
		reads: true,
		options: {
			since: time(`changes since then: ${MOMENT_HELP}`),
			until: time('changes before then, in the same forms'),
			subject: text('S', subject, 'changes of this alone: an id, a pair as LTC>ETH, a network', { names: 'subject' }),
			limit: LIMIT,
		},
		columns: ['at', 'by', 'command', 'subject', 'changes'],
	}),
	verify: declare({
		summary: 'compare each line with the chain that the signer keeps, and the triggers that refuse changes',
		button: 'Check the audit log',
		details:
			'Exit status 1 where a line is missing or was rewritten, where lines never came to the signer, or where a trigger is missing. After the database was set back, lines are missing: `audit accept` says that you know why.',
		reads: true,
		exitRules: [{ field: 'wrong', message: 'the audit log is not as it was written; the answer says where' }],
		sections: { broken: ['what', 'number', 'at'] },
	}),
	accept: declare({
		summary: 'say that you know why lines are missing or rewritten: they are wrong no longer',
		button: 'Accept the gaps',
		options: { reason: why('R') },
	}),
});
