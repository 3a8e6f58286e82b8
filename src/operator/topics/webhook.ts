/** `webhook …`: find webhooks, send one again. */
import * as z from 'zod/mini';
import { id, LIMIT, limit, lowerCaseId } from '../input.ts';
import { declare, type Topic } from '../topic.ts';

export const webhook = {
	about: 'webhooks: find what failed, send one again',
	commands: {
		list: declare({
			summary: 'webhooks, newest first, with what became of them',
			reads: true,
			input: z.strictObject({
				partner: z.optional(id),
				order: z.optional(lowerCaseId),
				failed: z._default(z.boolean(), false),
				limit,
			}),
			options: {
				partner: { kind: 'text', value: 'ID', names: 'partner', help: 'webhooks to this partner, by id or name' },
				order: { kind: 'text', value: 'ID', names: 'order', help: 'webhooks about this order' },
				failed: { kind: 'present', help: 'tried and not delivered' },
				limit: LIMIT,
			},
			columns: ['id', 'orderId', 'type', 'state', 'attempts', 'lastStatus', 'createdAt', 'lastError'],
			wide: ['partnerId', 'sequence', 'nextAttemptAt', 'lastAttemptAt'],
		}),
		redeliver: declare({
			summary: 'send a webhook again now, also one that was delivered',
			button: 'Send again',
			details: 'Its id and body stay the same; signature and timestamp are new.',
			input: z.strictObject({ id }),
			arguments: { id: { name: 'ID', names: 'webhook', help: 'the webhook, as `webhook list` shows it' } },
			options: {},
		}),
	},
} satisfies Topic;
