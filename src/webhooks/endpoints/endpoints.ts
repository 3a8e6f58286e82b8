/** `/api/v1/webhooks`: where a partner's webhooks go. All endpoints share the partner's webhookSecret. */
import * as z from 'zod/mini';
import { keyRing } from '../../crypto/key-ring.ts';
import { optional } from '../../http/optional.ts';
import type { Refusal } from '../../http/refusals.ts';
import { webhookUrlProblem } from '../../http/webhook-url.ts';
import type { WebhookEndpointRow } from '../../partners/table.ts';
import {
	changeEndpoint,
	deleteEndpoint,
	endpointsOf,
	insertEndpoint,
	MAX_ENDPOINTS,
	newEndpoint,
	urlColumns,
	type Writer,
} from '../../partners/webhook-endpoints.ts';
import { databaseOf } from '../../platform/d1/database.ts';
import { answer, endpoint, type SignedCall } from '../../ports/endpoint.ts';
import type { EndpointDocs } from '../../ports/endpoint-docs.ts';
import { EVENT_TYPES } from '../events/events.ts';

const PATH = '/api/v1/webhooks';
const COMMON = { auth: 'required', admits: ['server'], isAddition: true } as const;
const TAG = 'Events';

const urlField = () =>
	z.string().check(z.maxLength(2048), z.describe('https, on a public host name; anything else returns code 1.'));
const typesField = () =>
	z
		.pipe(
			z.array(z.enum(EVENT_TYPES)).check(z.minLength(1), z.maxLength(20)),
			z.transform((types) => EVENT_TYPES.filter((type) => types.includes(type))),
		)
		.check(z.describe('The types that it gets; beside them come those that nobody chooses.'));
const idField = () => z.string().check(z.maxLength(64), z.describe('The id of the endpoint.'));

const newBody = z.lazy(() =>
	z.object({
		url: urlField(),
		events: optional(typesField()).check(z.describe('The types that it gets; absent: all.')),
		enabled: optional(z.boolean()).check(z.describe('Absent: true.')),
	}),
);

const changeBody = z.lazy(() =>
	z.object({
		id: idField(),
		url: optional(urlField()),
		events: optional(typesField()),
		enabled: optional(z.boolean()).check(z.describe('False: it gets nothing until it is true again.')),
	}),
);

const namedBody = z.lazy(() => z.object({ id: idField() }));

const view = ({ id, url, events, enabled, createdAt }: WebhookEndpointRow) => ({
	id,
	url,
	events,
	enabled,
	createdAt: Math.floor(createdAt / 1000),
});

const listEndpoints = endpoint({
	...COMMON,
	method: 'GET',
	path: PATH,
	weight: 1,
	id: 'listEndpoints',
	request: null,
	handle: async ({ env, partner }) => answer((await endpointsOf(databaseOf(env), partner.id)).map(view)),
});

const createEndpoint = endpoint({
	...COMMON,
	method: 'POST',
	path: PATH,
	weight: 50,
	id: 'createEndpoint',
	request: { schema: newBody },
	handle: async (call, { url, events = EVENT_TYPES, enabled = true }) => {
		const wrong = urlRefusal(call, url);
		if (wrong) return wrong;
		const chosen = { partnerId: call.partner.id, orderId: null, url, events, enabled };
		const row = await newEndpoint(keyRing(call.env, 'SEAL_KEY'), chosen, call.now);
		const made = await insertEndpoint(writerOf(call, 'webhooks'), row);
		return made ? answer(view(made)) : { kind: 'endpoint-limit' };
	},
});

const changeOneEndpoint = endpoint({
	...COMMON,
	method: 'POST',
	path: `${PATH}/change`,
	weight: 50,
	id: 'changeEndpoint',
	request: { schema: changeBody },
	handle: async (call, { id, url, events, enabled }) => {
		const wrong = url === undefined ? null : urlRefusal(call, url);
		if (wrong) return wrong;
		const row = { id, partnerId: call.partner.id, orderId: null };
		const changes = {
			...(url !== undefined && (await urlColumns(keyRing(call.env, 'SEAL_KEY'), row, url, call.now))),
			...(events && { events }),
			...(enabled !== undefined && { enabled }),
		};
		if (Object.keys(changes).length === 0)
			return { kind: 'body-invalid', issue: 'url, events, enabled: none is given' };
		const changed = await changeEndpoint(writerOf(call, 'webhooks/change'), row, changes);
		return changed ? answer(view(changed)) : { kind: 'endpoint-unknown' };
	},
});

const deleteOneEndpoint = endpoint({
	...COMMON,
	method: 'DELETE',
	path: PATH,
	weight: 50,
	id: 'deleteEndpoint',
	request: { schema: namedBody },
	handle: async (call, { id }) => {
		const isDeleted = await deleteEndpoint(writerOf(call, 'webhooks delete'), { id, partnerId: call.partner.id });
		return isDeleted ? answer(true) : { kind: 'endpoint-unknown' };
	},
});

export const endpointCalls = [createEndpoint, listEndpoints, deleteOneEndpoint, changeOneEndpoint];

const writerOf = ({ env, now }: SignedCall, command: string): Writer => ({
	db: databaseOf(env),
	now,
	actor: 'partner',
	command,
});

function urlRefusal({ env }: SignedCall, url: string): Refusal | null {
	const problem = webhookUrlProblem(url, { loopbackAllowed: env.WEBHOOK_LOOPBACK === 'allowed' });
	return problem === null ? null : { kind: 'body-invalid', issue: `the webhook URL ${problem}` };
}

const endpointSchema = /* @__PURE__ */ z.lazy(() =>
	z
		.object({
			id: z.string().check(z.regex(/^[0-9a-f]{16}$/), z.describe('Record id; each delivery names it.')),
			url: z.string().check(z.describe('Where events are posted.')),
			events: z.array(z.enum(EVENT_TYPES)).check(z.describe('The types that it gets.')),
			enabled: z.boolean().check(z.describe('False: it gets nothing.')),
			createdAt: z.int().check(z.describe('Unix seconds.')),
		})
		.register(z.globalRegistry, { id: 'WebhookEndpoint', description: 'An endpoint of yours for webhooks.' }),
);

const EXAMPLE = {
	id: '3f9c2a7be01d4c58',
	url: 'https://shop.example/hooks/swaps',
	events: ['order.status_changed', 'partner.paid_out'],
	enabled: true,
	createdAt: 1795176890,
} as const;

export const listEndpointsDocs: EndpointDocs = () => ({
	tag: TAG,
	summary: 'List your webhook endpoints',
	description: ['Oldest first. Callbacks of single orders are not listed.'],
	response: {
		data: z.lazy(() => z.array(endpointSchema).check(z.maxLength(MAX_ENDPOINTS))),
		description: 'Your endpoints.',
		example: [EXAMPLE],
	},
	errors: [],
});

export const createEndpointDocs: EndpointDocs = () => ({
	tag: TAG,
	summary: 'Add a webhook endpoint',
	description: [
		'It gets each event from now on that it wants, whatever becomes of that event at your other endpoints. All are signed',
		`with your webhookSecret. With ${MAX_ENDPOINTS} endpoints: code 13.`,
	],
	example: { url: EXAMPLE.url, events: EXAMPLE.events },
	response: { data: endpointSchema, description: 'The endpoint.', example: EXAMPLE },
	errors: [1, 2, 3, 4, 5, 13, 99],
});

export const changeEndpointDocs: EndpointDocs = () => ({
	tag: TAG,
	summary: 'Change a webhook endpoint',
	description: [
		'What you leave out stays. Events that wait for a next attempt go to the new URL. An endpoint that you do not have',
		'returns code 6, and a body that changes nothing code 1.',
	],
	example: { id: EXAMPLE.id, enabled: false },
	response: {
		data: endpointSchema,
		description: 'The endpoint as it is now.',
		example: { ...EXAMPLE, enabled: false },
	},
	errors: [1, 2, 3, 4, 5, 6, 99],
});

export const deleteEndpointDocs: EndpointDocs = () => ({
	tag: TAG,
	summary: 'Delete a webhook endpoint',
	description: [
		'Events that wait for a next attempt there are not sent. An endpoint that you do not have returns code 6.',
	],
	example: { id: EXAMPLE.id },
	response: { data: z.lazy(() => z.boolean()), description: 'True.', example: true },
	errors: [1, 6],
});
