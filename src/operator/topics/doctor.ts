/** `doctor`: everything that a deployment needs. */
import { declare, topicOf } from '../topic.ts';

export const doctor = topicOf('whether the deployment has everything that it needs', {
	'': declare({
		summary: 'everything that a deployment needs: each row is fine, or says what is wrong and what to do',
		button: 'Ask the doctor',
		reads: true,
		details:
			'Variables, keys, database, queue, cron, clocks, versions of all Workers, prices, nodes, pay-in addresses, reserve, caps, switches, webhooks. It changes nothing. Exit status 1 if anything is wrong, 3 if something could not be examined.',
		sections: { rows: ['area', 'what', 'state', 'detail', 'todo'] },
		exitRules: [
			{ field: 'wrong', message: 'something is wrong; the answer says what, and what to do' },
			{ field: 'unknown', status: 3, message: 'something could not be examined; the answer says what' },
		],
	}),
});
