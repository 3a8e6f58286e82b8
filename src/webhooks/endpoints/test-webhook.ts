/** `POST /api/v1/webhooks/test`: a test event, by the ordinary outbox. */
import { sql } from 'drizzle-orm';
import * as z from 'zod/mini';
import { webhookEndpoints } from '../../partners/table.ts';
import { databaseOf } from '../../platform/d1/database.ts';
import { answer, endpoint } from '../../ports/endpoint.ts';
import type { EndpointDocs } from '../../ports/endpoint-docs.ts';
import { wakeWebhooks } from '../../ports/wake.ts';
import { WEBHOOK_TEST, webhookTestEvent } from '../events/webhook-test.ts';
import { webhookEvents } from '../table.ts';
import { endpointField } from './fields.ts';

export const testWebhook = endpoint({
	method: 'POST',
	path: '/api/v1/webhooks/test',
	auth: 'required',
	admits: ['server'],
	weight: 50,
	isAddition: true,
	id: 'testWebhook',
	request: { schema: z.lazy(() => z.object({ endpoint: endpointField() })) },
	handle: async ({ env, partner, now, background }, { endpoint: endpointId }) => {
		const id = crypto.randomUUID();
		const { type, body } = webhookTestEvent({ id, partnerId: partner.id, now });
		// One statement: the event is there exactly where an endpoint is.
		const stored = await databaseOf(env)
			.insert(webhookEvents)
			.select(
				sql`select ${`${id}.`} || id, partner_id, null, null, ${type}, ${body}, 'due', 0, ${now}, ${now}, ${id}, id
					from ${webhookEndpoints}
					where partner_id = ${partner.id} and order_id is null and enabled = 1
						and ${endpointId === undefined ? sql`true` : sql`id = ${endpointId}`}`,
			)
			.returning({ id: webhookEvents.id });
		if (stored.length === 0) return { kind: 'no-webhook-endpoint' };
		background(wakeWebhooks(env.WEBHOOKS, [id]));
		return answer({ id, type });
	},
});

export const testWebhookDocs: EndpointDocs = () => ({
	tag: 'Events',
	summary: 'Send a test event',
	description: [
		'Posts `webhook.test` to each of your endpoints, or to the one that you name, like any event. Without an enabled',
		'endpoint, or where you do not have the one that you name: code 6.',
	],
	example: {},
	response: {
		data: z.lazy(() => z.object({ id: z.uuid().check(z.describe('The event’s id.')), type: z.literal(WEBHOOK_TEST) })),
		description: 'The event is stored.',
		example: { id: '9a3c0a52-1f0e-4f6d-8e0b-2f5b1d7c6e44', type: 'webhook.test' },
	},
	errors: [1, 2, 3, 4, 5, 6, 99],
});
