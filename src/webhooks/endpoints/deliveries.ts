/** `POST /api/v1/webhooks/deliveries`: a partner's events, and each attempt to deliver them. */
import * as z from 'zod/mini';
import { optional } from '../../http/optional.ts';
import { pageEndOf, pageEndText } from '../../orders/page.ts';
import { databaseOf } from '../../platform/d1/database.ts';
import { answer, endpoint } from '../../ports/endpoint.ts';
import type { EndpointDocs } from '../../ports/endpoint-docs.ts';
import { deliveredEvents } from '../deliveries.ts';

const MAX_EVENTS = 100;
const USUAL_EVENTS = 50;

const listBody = z.lazy(() =>
	z.object({
		cursor: optional(z.string().check(z.maxLength(200))).check(z.describe('Of the page before.')),
		limit: z
			.pipe(
				optional(z.int().check(z.minimum(1), z.maximum(MAX_EVENTS))),
				z.transform((limit) => limit ?? USUAL_EVENTS),
			)
			.check(z.describe('Most events in the answer.')),
	}),
);

export const listDeliveries = endpoint({
	method: 'POST',
	path: '/api/v1/webhooks/deliveries',
	auth: 'required',
	admits: ['read', 'server'],
	weight: 5,
	isAddition: true,
	id: 'listDeliveries',
	request: { schema: listBody },
	handle: async ({ env, partner }, { cursor, limit }) => {
		const after = cursor === undefined ? null : pageEndOf(cursor);
		if (cursor !== undefined && after === null) return { kind: 'cursor-invalid' };
		const { events, end } = await deliveredEvents(databaseOf(env), { partnerId: partner.id, after, limit });
		return answer({ events, cursor: end && pageEndText(end) });
	},
});

const MOMENT = 'Unix milliseconds.';

export const listDeliveriesDocs: EndpointDocs = () => ({
	tag: 'Events',
	summary: 'List the deliveries of your webhooks',
	description: ['Your events of the last 30 days, newest first, with each attempt to deliver them.'],
	example: { limit: 50 },
	response: {
		data: z.lazy(() =>
			z.object({
				events: z.array(
					z.object({
						id: z.uuid().check(z.describe('The event’s id.')),
						endpoint: z
							.string()
							.check(z.describe('The endpoint that it goes to; one event is listed once for each of its endpoints.')),
						type: z.string(),
						orderId: z.nullable(z.uuid()),
						createdAt: z.int().check(z.describe(MOMENT)),
						state: z
							.enum(['due', 'delivered', 'ended'])
							.check(z.describe('`due`: a next attempt comes. `ended`: none comes, and none was answered with a 2xx.')),
						nextAttemptAt: z.nullable(z.int()).check(z.describe(`${MOMENT} Null unless it is due.`)),
						deliveries: z.array(
							z.object({
								attempt: z.int().check(z.minimum(1)),
								at: z.int().check(z.describe(MOMENT)),
								status: z.nullable(z.int()).check(z.describe('HTTP status; null where there was no answer.')),
								milliseconds: z.int(),
								error: z.nullable(z.string()).check(z.describe('Why there was none.')),
							}),
						),
					}),
				),
				cursor: z.nullable(z.string()).check(z.describe('For the next page; null where there is none.')),
			}),
		),
		description: 'One page.',
		example: {
			events: [
				{
					id: '5e9f9bb7-1d1f-4c63-8a0e-4a1c7e0f2b95',
					endpoint: '3f9c2a7be01d4c58',
					type: 'order.status_changed',
					orderId: '7f0c1ea9-6c0b-4a34-9f0e-0d6a4be9a1ce',
					createdAt: 1795176890000,
					state: 'delivered',
					nextAttemptAt: null,
					deliveries: [{ attempt: 1, at: 1795176890100, status: 204, milliseconds: 85, error: null }],
				},
			],
			cursor: null,
		},
	},
	errors: [1, 2, 3, 4, 5, 99],
});
