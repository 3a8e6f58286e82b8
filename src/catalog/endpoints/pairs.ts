/** `POST /api/v1/pairs`: the pairs that can be quoted and ordered. */
import * as z from 'zod/mini';
import { endpoint } from '../../ports/endpoint.ts';
import type { EndpointDocs } from '../../ports/endpoint-docs.ts';
import { pairSchema } from '../schema.ts';
import { pairsText } from '../view.ts';
import { answerList, EMPTY_BODY, EMPTY_BODY_NOTE } from './list.ts';

export const pairs = endpoint({
	method: 'POST',
	path: '/api/v1/pairs',
	auth: 'optional',
	admits: ['app', 'read', 'server'],
	weight: 1,
	id: 'pairs',
	request: EMPTY_BODY,
	handle: (call) => answerList(call, pairsText),
});

export const pairsDocs: EndpointDocs = () => ({
	tag: 'Quotes',
	summary: 'List the pairs',
	description: [
		'Pairs with a deactivated asset are left out, so every listed pair is quotable.',
		'',
		...EMPTY_BODY_NOTE,
	],
	example: {},
	response: {
		data: z.lazy(() => z.array(pairSchema)),
		description: 'All active pairs.',
		example: [{ from: 'LTC', to: 'ETH', fromNetwork: 'Litecoin', toNetwork: 'Ethereum', rateTypes: ['FLOAT'] }],
	},
	errors: [11],
});
