/** `webhook …`: find webhooks, send one again. */
import { flag, id, LIMIT, lowerCaseId, text } from '../input.ts';
import { declare, topicOf } from '../topic.ts';

export const webhook = topicOf('webhooks: find what failed, send one again', {
	list: declare({
		summary: 'webhooks, newest first, with what became of them',
		button: 'See the webhooks',
		reads: true,
		options: {
			partner: text('ID', id, 'webhooks to this partner, by id or name', { names: 'partner' }),
			order: text('ID', lowerCaseId, 'webhooks about this order', { names: 'order' }),
			failed: flag('tried and not delivered'),
			limit: LIMIT,
		},
		columns: ['id', 'orderId', 'type', 'state', 'attempts', 'lastStatus', 'createdAt', 'lastError'],
		wide: ['partnerId', 'endpointId', 'sequence', 'nextAttemptAt', 'lastAttemptAt'],
	}),
	redeliver: declare({
		summary: 'send a webhook again now, also one that was delivered',
		button: 'Send again',
		details: 'Its id and body stay the same; signature and timestamp are new.',
		arguments: {
			id: {
				name: 'ID',
				names: 'webhook',
				schema: id,
				help: 'the webhook, as `webhook list` shows it; ID.ENDPOINT sends it to that endpoint alone',
			},
		},
	}),
});
