/** The events as OpenAPI 3.1 webhooks (spec, "Events"; decisions.md "Webhooks"). */
import * as z from 'zod';
import { decimalText } from '../money/schema.ts';
import { EXAMPLE_DONE_ORDER } from '../orders/example.ts';
import { orderSchema } from '../orders/schema.ts';
import { ORDER_STATUSES } from '../orders/status.ts';
import type { EventType } from '../partners/partner.ts';
import { MAX_ATTEMPTS } from '../webhooks/retry-schedule.ts';
import type { JsonSchema } from './json-schemas.ts';
import type { Operation } from './operation.ts';

const event = (type: EventType, data: z.ZodType) =>
	z.object({
		id: z.uuid().meta({ description: 'The event’s own id, the same on every attempt: tell repetitions by it.' }),
		type: z.literal(type),
		createdAt: z.iso.datetime().meta({ description: 'When the event came about, ISO 8601.' }),
		apiVersion: z.literal('v1'),
		data,
	});

const text = (description: string) => z.string().meta({ description });

export const WEBHOOK_SCHEMAS = {
	'order.status_changed': event(
		'order.status_changed',
		z.object({
			order: orderSchema,
			previousStatus: z.enum(ORDER_STATUSES).meta({ description: 'The status before.' }),
			sequence: z.int().min(1).meta({ description: 'Counts from 1 per order; the highest is the newest.' }),
		}),
	),
	'partner.paid_out': event(
		'partner.paid_out',
		z.object({
			payoutId: text('Id of the payout.'),
			asset: text('Asset id that was paid.'),
			network: text('Its network.'),
			amount: decimalText('What was sent.'),
			usd: decimalText('Its USD value, two decimal places.'),
			address: text('Where it went.'),
			txId: text('Transaction id.'),
			orderCount: z.int().min(1).meta({ description: 'Orders whose earnings it pays.' }),
		}),
	),
} as const satisfies Record<EventType, z.ZodType>;

const envelope = { createdAt: '2026-11-20T12:14:50.000Z', apiVersion: 'v1' };

const EVENTS: Readonly<
	Record<EventType, Pick<Operation, 'operationId' | 'summary' | 'description'> & { example: unknown }>
> = {
	'order.status_changed': {
		operationId: 'orderStatusChanged',
		summary: 'An order’s status changed',
		description:
			'One webhook per status change, the operator-finalised EXPIRED of an EMERGENCY order included; none for ' +
			'deleted orders. Attempts of different events can overtake each other: `sequence` says which is newest.',
		example: {
			id: '5e9f9bb7-1d1f-4c63-8a0e-4a1c7e0f2b95',
			type: 'order.status_changed',
			...envelope,
			data: { order: EXAMPLE_DONE_ORDER, previousStatus: 'EXCHANGE', sequence: 3 },
		},
	},
	'partner.paid_out': {
		operationId: 'partnerPaidOut',
		summary: 'Your earnings were paid out',
		description: 'Sent when a payout of your earnings is broadcast.',
		example: {
			id: '0f6c2d0a-9f35-4f0e-b1d4-6a2f3b7f9c11',
			type: 'partner.paid_out',
			...envelope,
			data: {
				payoutId: '4b3de8a5-93a7-4b5b-9f2f-fd9f0f7c6f21',
				asset: 'LTC',
				network: 'Litecoin',
				amount: '1.25',
				usd: '106.25',
				address: 'ltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c2rkk4wh',
				txId: '2c7a9e4f1b6d8c3a5e7f9b2d4c6a8e0f1d3b5a7c9e2f4d6b8a0c1e3f5d7b9a2c',
				orderCount: 7,
			},
		},
	},
};

const header = (name: string, description: string, schema: JsonSchema, example: string) => ({
	...{ name, in: 'header' as const, required: true },
	...{ description, schema, example },
});

const HEADERS = [
	header(
		'X-Partner-Webhook-Sign',
		'Hex HMAC-SHA256 keyed by webhookSecret over the exact raw body, made anew at each attempt.',
		{ type: 'string', pattern: '^[0-9a-f]{64}$' },
		'0d6a3c1f5b7e9d2a4c6f8b0e1d3a5c7f9b2e4d6a8c0f1b3e5d7a9c2f4b6e8d0a',
	),
	header(
		'X-Partner-Webhook-Timestamp',
		'Unix seconds of this attempt; reject more than 5 minutes old or more than 1 minute in the future.',
		{ type: 'string', pattern: '^\\d+$' },
		'1795176890',
	),
	header(
		'X-Partner-Webhook-Id',
		'The `id` of the body.',
		{ type: 'string', format: 'uuid' },
		'5e9f9bb7-1d1f-4c63-8a0e-4a1c7e0f2b95',
	),
	header('X-Partner-Webhook-Attempt', `1 to ${MAX_ATTEMPTS}.`, { type: 'string', pattern: '^\\d+$' }, '1'),
];

const RESPONSES = {
	'2XX': { description: 'Acknowledged, within 10 seconds.' },
	410: { description: 'Ends this delivery: it is not tried again.' },
	default: { description: 'Tried again on the ladder; `Retry-After` is honoured up to the next step.' },
};

export function webhooksOf(named: Readonly<Record<string, JsonSchema>>): Record<string, { readonly post: Operation }> {
	return Object.fromEntries(
		Object.entries(EVENTS).map(([name, { example, ...words }]) => {
			const content = { 'application/json': { schema: named[name] ?? {}, example } };
			const requestBody = { required: true, content };
			const rest = { tags: ['Events'], security: [], parameters: HEADERS, requestBody, responses: RESPONSES };
			return [name, { post: { ...words, ...rest } }];
		}),
	);
}
