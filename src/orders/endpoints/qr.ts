/** `POST /api/v1/qr`: the pay-in address as an image. Who may see the order is checked before the cache is read. */
import { isRefusal } from '../../http/refusal.ts';
import { answer, endpoint } from '../../ports/endpoint.ts';
import type { EndpointDocs } from '../../ports/endpoint-docs.ts';
import { EXAMPLE_ORDER, EXAMPLE_TOKEN } from '../example.ts';
import { orderQr } from '../qr.ts';
import { qrSchema } from '../schema.ts';
import { findWithToken, orderBody } from './with-token.ts';

export const qr = endpoint({
	method: 'POST',
	path: '/api/v1/qr',
	auth: 'required',
	admits: ['app', 'read', 'server'],
	weight: 5,
	id: 'qr',
	request: { schema: orderBody },
	handle: async (call, input) => {
		const found = await findWithToken(call, input);
		return isRefusal(found) ? found : answer({ qrPng: await orderQr(call.env, found, call.background) });
	},
});

export const qrDocs: EndpointDocs = () => ({
	tag: 'Orders',
	summary: 'Get the pay-in address as a QR image',
	description: [
		'The address text itself is not in this response; read it from `from.address` of the order. Any mismatch of id and',
		'token returns code 6, a deleted order too.',
	],
	example: { id: EXAMPLE_ORDER.id, token: EXAMPLE_TOKEN },
	response: {
		data: qrSchema,
		description: 'The image.',
		example: { qrPng: 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUg==' },
	},
	errors: [1, 2, 3, 4, 5, 6, 99],
});
