/** `POST /api/v1/webhooks/redeliver`: an event again, with the same id and the same bytes. */
import * as z from 'zod/mini';
import { databaseOf } from '../../platform/d1/database.ts';
import { answer, endpoint } from '../../ports/endpoint.ts';
import type { EndpointDocs } from '../../ports/endpoint-docs.ts';
import { wakeWebhooks } from '../../ports/wake.ts';
import { sendOwnAgain } from '../store.ts';
import { endpointField } from './fields.ts';

export const redeliverWebhook = endpoint({
	method: 'POST',
	path: '/api/v1/webhooks/redeliver',
	auth: 'required',
	admits: ['server'],
	weight: 50,
	isAddition: true,
	id: 'redeliverWebhook',
	request: {
		schema: z.lazy(() =>
			z.object({ id: z.string().check(z.maxLength(64), z.describe('The event’s id.')), endpoint: endpointField() }),
		),
	},
	handle: async ({ env, partner, now, background }, { id, endpoint: endpointId = null }) => {
		const [event] = await sendOwnAgain(databaseOf(env), { id, partnerId: partner.id, endpointId, now });
		if (!event) return { kind: 'event-unknown' };
		background(wakeWebhooks(env.WEBHOOKS, [event.id]));
		return answer(event);
	},
});

export const redeliverWebhookDocs: EndpointDocs = () => ({
	tag: 'Events',
	summary: 'Send an event again',
	description: [
		'Also one that was delivered: to each endpoint that it went to, or to the one that you name. An unknown event, another',
		'partner’s, one that is being delivered at this moment, one whose body the operator no longer keeps, and one whose',
		'endpoint is deleted or disabled: code 6.',
	],
	example: { id: '5e9f9bb7-1d1f-4c63-8a0e-4a1c7e0f2b95' },
	response: {
		data: z.lazy(() => z.object({ id: z.uuid().check(z.describe('The event’s id.')), type: z.string() })),
		description: 'It is due now.',
		example: { id: '5e9f9bb7-1d1f-4c63-8a0e-4a1c7e0f2b95', type: 'order.status_changed' },
	},
	errors: [1, 2, 3, 4, 5, 6, 99],
});
