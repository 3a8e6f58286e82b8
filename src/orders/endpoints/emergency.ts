/** `POST /api/v1/emergency`: stores the partner's choice; the network's agent acts on it. */
import * as z from 'zod/mini';
import { isRefusal } from '../../http/refusal.ts';
import { databaseOf } from '../../platform/d1/database.ts';
import { answer, endpoint } from '../../ports/endpoint.ts';
import type { EndpointDocs } from '../../ports/endpoint-docs.ts';
import { EXAMPLE_ORDER, EXAMPLE_TOKEN } from '../example.ts';
import { chooseExchange } from '../store.ts';
import { findWithToken, orderId, orderToken } from './with-token.ts';

/** Anything but the one choice is code 12, not 1. */
const emergencyBody = z.lazy(() =>
	z
		.object({
			id: orderId,
			token: orderToken,
			choice: z
				.optional(z.unknown())
				.check(
					z.meta({
						type: 'string',
						const: 'EXCHANGE',
						description: 'Exactly `EXCHANGE` (case-sensitive); anything else returns code 12.',
					}),
				),
		})
		.check(z.meta({ required: ['id', 'token', 'choice'] })),
);

export const emergency = endpoint({
	method: 'POST',
	path: '/api/v1/emergency',
	auth: 'required',
	admits: ['server'],
	weight: 1,
	id: 'emergency',
	request: { schema: emergencyBody },
	handle: async (call, input) => {
		if (input.choice !== 'EXCHANGE') return { kind: 'choice-invalid' };
		const found = await findWithToken(call, input);
		if (isRefusal(found)) return found;
		const isChosen = await chooseExchange(databaseOf(call.env), found.id, call.now);
		if (!isChosen) return { kind: 'order-not-in-emergency', status: found.status };
		call.wakeAgent(found.fromNetwork);
		return answer(true);
	},
});

export const emergencyDocs: EndpointDocs = () => ({
	tag: 'Orders',
	summary: 'Choose EXCHANGE for an EMERGENCY order',
	description: [
		'The order continues its normal lifecycle at the live rate. The choice is persisted and acted on afterwards, by prices',
		'that were asked for after it.',
		'',
		'- The order must currently be EMERGENCY; otherwise code 1 with msg `order not in emergency state`.',
		'- A refund choice is not exposed; refunds are operator-mediated.',
		'- `to.amount`, `rate` and `networkFee` of an EMERGENCY order say what its deposits are worth at the live rate.',
		'- Where the payout would not be positive, or be more than the service pays out in a day, the choice is accepted, and',
		'  the order stays EMERGENCY until it is refunded, which happens by itself after a time (72 hours by default).',
		'- A choice holds for the EMERGENCY that it was made in. An order that becomes EMERGENCY again needs a new one.',
	],
	example: { id: EXAMPLE_ORDER.id, token: EXAMPLE_TOKEN, choice: 'EXCHANGE' },
	response: {
		data: z.lazy(() => z.literal(true).check(z.describe('Always `true`.'))),
		description: 'The choice is persisted.',
		example: true,
	},
	errors: [1, 2, 3, 4, 5, 6, 12, 99],
	messages: ['order not in emergency state'],
});
