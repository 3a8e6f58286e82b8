/** `POST /api/v1/order`: an order as it is now. */
import * as z from 'zod/mini';
import { isRefusal } from '../../http/refusal.ts';
import { answer, endpoint } from '../../ports/endpoint.ts';
import type { EndpointDocs } from '../../ports/endpoint-docs.ts';
import { EXAMPLE_DONE_ORDER, EXAMPLE_ORDER, EXAMPLE_TOKEN } from '../example.ts';
import { orderSchema } from '../schema.ts';
import { shownOrders, withPromiseSchema } from '../shown.ts';
import { findWithToken, orderId, orderToken } from './with-token.ts';

const readBody = z.lazy(() =>
	z.object({ id: orderId, token: orderToken, with: withPromiseSchema }).check(z.meta({ required: ['id', 'token'] })),
);

export const order = endpoint({
	method: 'POST',
	path: '/api/v1/order',
	auth: 'required',
	admits: ['app', 'read', 'server'],
	weight: 1,
	id: 'order',
	request: { schema: readBody },
	handle: async (call, input) => {
		const found = await findWithToken(call, input);
		if (isRefusal(found)) return found;
		const [shown] = await shownOrders(call, [found], input.with, String(input.token));
		return answer(shown);
	},
});

export const orderDocs: EndpointDocs = () => ({
	tag: 'Orders',
	summary: 'Read an order',
	description: [
		'An unknown id, another partner’s order, a wrong token and a soft-deleted order all return the same code 6.',
		'',
		'Poll every 30 to 60 seconds, or receive [webhooks](#webhooks). `"with": ["progress"]` adds how far it is,',
		'`"with": ["promise"]` the signed promise.',
	],
	example: { id: EXAMPLE_ORDER.id, token: EXAMPLE_TOKEN },
	response: { data: orderSchema, description: 'The order, without `token`.', example: EXAMPLE_DONE_ORDER },
	errors: [1, 2, 3, 4, 5, 6, 99],
});
