/** `morning`: how the service is, on one screen. */
import { declare, topicOf } from '../topic.ts';

export const morning = topicOf('how the service is, on one screen', {
	'': declare({
		summary: 'how the service is, in ten lines; the same as no word at all',
		reads: true,
		details:
			'What waits, reserves against a day’s need, the orders, earnings and costs of the last UTC day, prices, nodes, books, storage, caps and webhooks. Each line names the command that says more. Exit status 1 if anything is wrong, 3 if something could not be read.',
		columns: ['what', 'state', 'says', 'more'],
		exitRules: [
			{ field: 'wrong', message: 'something is wrong; the line names the command that says more' },
			{ field: 'unknown', status: 3, message: 'something could not be read; the answer says what' },
		],
	}),
});
