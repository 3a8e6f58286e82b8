/** The events as OpenAPI 3.1 webhooks. */
import { EVENTS } from '../webhooks/events/events.ts';
import { MAX_ATTEMPTS } from '../webhooks/retry-schedule.ts';
import { type Components, capital, type JsonSchema, refer } from './json-schemas.ts';
import type { Operation } from './operation.ts';

/** The schema of each event's body, by its type. */
export const WEBHOOK_SCHEMAS = Object.fromEntries(EVENTS.map(({ type, schema }) => [type, schema]));

const header = (name: string, description: string, schema: JsonSchema, example: string) => ({
	name,
	in: 'header' as const,
	required: true,
	description,
	schema,
	example,
});

const EXAMPLE_ID = '5e9f9bb7-1d1f-4c63-8a0e-4a1c7e0f2b95';

const HEADERS = [
	header(
		'X-Partner-Webhook-Sign',
		'Hex HMAC-SHA256 keyed by webhookSecret over the exact raw body, computed again at each attempt.',
		{ type: 'string', pattern: '^[0-9a-f]{64}$' },
		'0d6a3c1f5b7e9d2a4c6f8b0e1d3a5c7f9b2e4d6a8c0f1b3e5d7a9c2f4b6e8d0a',
	),
	header(
		'X-Partner-Webhook-Timestamp',
		'Unix seconds of this attempt; reject more than 5 minutes old or more than 1 minute in the future.',
		{ type: 'string', pattern: '^\\d+$' },
		'1795176890',
	),
	header('X-Partner-Webhook-Id', 'The `id` of the body.', { type: 'string', format: 'uuid' }, EXAMPLE_ID),
	header(
		'Webhook-Id',
		'As Standard Webhooks has it: the `id` of the body.',
		{ type: 'string', format: 'uuid' },
		EXAMPLE_ID,
	),
	header('Webhook-Timestamp', 'The same timestamp.', { type: 'string', pattern: '^\\d+$' }, '1795176890'),
	header(
		'Webhook-Signature',
		'`v1,` and base64 HMAC-SHA256 keyed by webhookSecret over id, timestamp and raw body, joined by full stops.',
		{ type: 'string', pattern: '^v1,[A-Za-z0-9+/]{43}=$' },
		'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
	),
	header('X-Partner-Webhook-Attempt', `1 to ${MAX_ATTEMPTS}.`, { type: 'string', pattern: '^\\d+$' }, '1'),
];

const RESPONSES = {
	'2XX': { description: 'Acknowledged, within 10 seconds.' },
	410: { description: 'Ends this delivery: it is not tried again.' },
	default: { description: 'Tried again by the retry schedule; `Retry-After` is honoured up to the attempt after.' },
};

export function webhooksOf(
	named: Readonly<Record<string, JsonSchema>>,
	components: Components,
): Record<string, { readonly post: Operation }> {
	return Object.fromEntries(
		EVENTS.map(({ type, operationId, summary, description, example }) => {
			const schema = refer(components, `${capital(operationId)}Event`, named[type] ?? {});
			const content = { 'application/json': { schema, example } };
			const requestBody = { required: true, content };
			const words = { operationId, summary, description };
			const rest = { tags: ['Events'], security: [], parameters: HEADERS, requestBody, responses: RESPONSES };
			return [type, { post: { ...words, ...rest } }];
		}),
	);
}
