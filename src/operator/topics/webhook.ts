/** `webhook …`: find webhooks, send one again. */
import * as z from 'zod';
import { id, limit, lowerCaseId } from '../input.ts';
import { declare, type Topic } from '../topic.ts';

export const webhook = {
	about: 'webhooks: find what failed, send one again',
	commands: {
		list: declare({
			summary: 'webhooks, newest first, with what became of them',
			input: z.strictObject({
				partner: id.optional(),
				order: lowerCaseId.optional(),
				failed: z.boolean().default(false),
				limit,
			}),
			options: {
				partner: { kind: 'text', value: 'ID', help: 'webhooks to this partner' },
				order: { kind: 'text', value: 'ID', help: 'webhooks about this order' },
				failed: { kind: 'present', help: 'tried and not delivered' },
				limit: { kind: 'integer', help: 'at most this many, up to 500 (50 if not named)' },
			},
			columns: ['id', 'orderId', 'type', 'sequence', 'state', 'attempts', 'lastStatus', 'lastError', 'createdAt'],
		}),
		redeliver: declare({
			summary: 'send a webhook again now, also one that was delivered',
			details: 'Its id and body stay the same; signature and timestamp are new.',
			input: z.strictObject({ id }),
			arguments: { id: { name: 'ID', help: 'the webhook, as `webhook list` shows it' } },
			options: {},
		}),
	},
} satisfies Topic;
