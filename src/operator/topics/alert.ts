/** `alert list`, `alert test` and `alert clear`: what is told to the alert endpoint. */
import { id } from '../input.ts';
import { declare, topicOf } from '../topic.ts';

export const alert = topicOf('what the alert endpoint is told', {
	list: declare({
		summary: 'every alert that is not over: whether it was told, and if not, why not',
		button: 'See the alerts',
		reads: true,
		details:
			'STATE is raised (to be told), told, or over (that it is over is to be told). Alerts are decided once a minute. `attention` lists what waits now.',
		columns: ['key', 'state', 'cause', 'raisedAt', 'goneAt', 'attempts', 'lastError'],
	}),
	test: declare({
		summary: 'posts a test event to the alert endpoint now',
		button: 'Send a test alert',
		details: 'Exit status 0 only when the endpoint accepted it.',
	}),
	clear: declare({
		summary: 'ends an incident that a person has looked at',
		button: 'It is looked after',
		details: '`attention` names the incidents. One that happens again is listed again.',
		arguments: {
			kind: { name: 'KIND', schema: id, help: 'the kind, as `attention` names it' },
			subject: { name: 'SUBJECT', schema: id, help: 'what it is about' },
		},
	}),
});
