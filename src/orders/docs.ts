/** What the reference says of `create`, `order`, `qr` and `emergency` (spec, "Endpoints"). */
import * as z from 'zod';
import type { EndpointDocs } from '../docs/endpoint-docs.ts';
import { createBody, emergencyBody, orderBody } from './body.ts';
import { createdOrderSchema, orderSchema, qrSchema } from './schema.ts';

const TOKEN = 'q0ZpV2n4Wc1mZ9sYtL8uXeR5bKfHj7dA3gNvPyQwT6M';

const ORDER = {
	id: '7f0c1ea9-6c0b-4a34-9f0e-0d6a4be9a1ce',
	type: 'float',
	status: 'NEW',
	time: { reg: 1795176000, expiration: 1795179600, left: 3600, update: 1795176000, finish: null },
	from: {
		code: 'LTC',
		network: 'Litecoin',
		amount: '2',
		address: 'ltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c2rkk4wh',
		tx: { id: null, amount: null },
	},
	to: {
		code: 'ETH',
		network: 'Ethereum',
		amount: '0.05612',
		address: '0x9858EfFD232B4033E47d90003D41EC34EcaEda94',
		tx: { id: null, amount: null },
	},
	back: { address: 'ltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c2rkk4wh', tx: { id: null } },
	emergency: { status: [], choice: 'NONE' },
	rate: '0.02822',
	networkFee: '0.00032',
	markupBps: 50,
};

/** The order of the examples, paid out; the webhook's example shows it too. */
export const DONE_ORDER = {
	...ORDER,
	status: 'DONE',
	time: { ...ORDER.time, left: 2710, update: 1795176890, finish: 1795176890 },
	from: {
		...ORDER.from,
		tx: { id: '9b1c4f0d6a3e58c7b2f4d1e09a8c7b6d5e4f3a2b1c0d9e8f7a6b5c4d3e2f1a0b', amount: '2' },
	},
	to: {
		...ORDER.to,
		tx: { id: '0x5d1f3e7a9c2b4d6f8e0a1c3b5d7f9e2a4c6b8d0f1e3a5c7b9d2f4e6a8c0b1d3f', amount: '0.05612' },
	},
};

export const createDocs: EndpointDocs = {
	id: 'create',
	tag: 'Orders',
	summary: 'Create an order with a pay-in address',
	description: [
		'Re-quotes at the live rate, reserves a pay-in address and answers the order with status `NEW`.',
		'',
		'- `token` is returned exactly once, on the first successful response for a given Idempotency-Key. The service does',
		'  not store it. A lost token makes the order unreachable through the API.',
		'- A replay with the same Idempotency-Key and the same body returns the existing order with `token` null and creates',
		'  no duplicate. "Same body" compares the parsed, normalised fields.',
		'- The same key with a different body returns code 1 with HTTP 409. A refused create does not spend its key.',
		'- Afftax resolution, highest first: the body, the reference code in `X-API-KEY`, the partner default.',
		'- Below the per-pair USD minimum, or where the payout would not be positive: code 7. Above the per-pair maximum,',
		'  the operator daily cap, or the share of it that your unpaid orders may hold together: code 8. Site in upgrade mode: code 10.',
		'- `fromCcy` and `toCcy` may be a coin symbol (`USDT`) with a network hint. A hint that contradicts an exact id',
		'  returns code 1.',
		'- After code 99, or when no answer came: repeat with the same Idempotency-Key and a fresh nonce.',
	],
	request: {
		schema: createBody,
		example: {
			type: 'float',
			fromCcy: 'LTC',
			toCcy: 'ETH',
			direction: 'from',
			amount: '2',
			toAddress: ORDER.to.address,
			refundAddress: ORDER.back.address,
			afftax: 50,
		},
	},
	response: {
		data: createdOrderSchema,
		description: 'The order. All `tx` fields are null.',
		example: { ...ORDER, token: TOKEN },
	},
	errors: [1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 99],
	takesIdempotencyKey: true,
};

export const orderDocs: EndpointDocs = {
	id: 'order',
	tag: 'Orders',
	summary: 'Read an order',
	description: [
		'An unknown id, another partner’s order, a wrong token and a soft-deleted order all return the same code 6.',
		'',
		'Poll every 30 to 60 seconds, or receive [webhooks](#webhooks).',
	],
	request: { schema: orderBody, example: { id: ORDER.id, token: TOKEN } },
	response: { data: orderSchema, description: 'The order, without `token`.', example: DONE_ORDER },
	errors: [1, 2, 3, 4, 5, 6, 99],
};

export const qrDocs: EndpointDocs = {
	id: 'qr',
	tag: 'Orders',
	summary: 'Get the pay-in address as a QR image',
	description: [
		'The address text itself is not in this response; read it from `from.address` of the order. Any mismatch of id and',
		'token returns code 6, a deleted order too.',
	],
	request: { schema: orderBody, example: { id: ORDER.id, token: TOKEN } },
	response: {
		data: qrSchema,
		description: 'The image.',
		example: { qrPng: 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUg==' },
	},
	errors: [1, 2, 3, 4, 5, 6, 99],
};

export const emergencyDocs: EndpointDocs = {
	id: 'emergency',
	tag: 'Orders',
	summary: 'Choose EXCHANGE for an EMERGENCY order',
	description: [
		'The order continues its normal lifecycle at the live rate. The choice is persisted and acted on afterwards.',
		'',
		'- The order must currently be EMERGENCY; otherwise code 1 with msg `order not in emergency state`.',
		'- A refund choice is not exposed; refunds are operator-mediated.',
		'- `to.amount`, `rate` and `networkFee` of an EMERGENCY order say what its deposits are worth at the live rate.',
		'- Where the payout would not be positive, or be more than the service pays out in a day, the choice is accepted, and',
		'  the order stays EMERGENCY until the operator refunds it.',
		'- A choice holds for the EMERGENCY that it was made in. An order that becomes EMERGENCY again needs a new one.',
	],
	request: { schema: emergencyBody, example: { id: ORDER.id, token: TOKEN, choice: 'EXCHANGE' } },
	response: {
		data: z.literal(true).meta({ description: 'Always `true`.' }),
		description: 'The choice is persisted.',
		example: true,
	},
	errors: [1, 2, 3, 4, 5, 6, 12, 99],
	messages: ['order not in emergency state'],
};
