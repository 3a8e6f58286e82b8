/** `POST /api/v1/pairs`: the pairs that can be quoted and ordered. */
import * as z from 'zod/mini';
import { endpoint } from '../../ports/endpoint.ts';
import { pairSchema } from '../schema.ts';
import { pairsText } from '../view.ts';
import { answerList, EMPTY_BODY, EMPTY_BODY_NOTE } from './list.ts';

export const pairs = endpoint({
	method: 'POST',
	path: '/api/v1/pairs',
	auth: 'optional',
	weight: 1,
	id: 'pairs',
	tag: 'Quotes',
	summary: 'List the pairs',
	description: [
		'Pairs with a deactivated asset are left out, so every listed pair is quotable.',
		'',
		...EMPTY_BODY_NOTE,
	],
	request: EMPTY_BODY,
	response: {
		data: z.lazy(() => z.array(pairSchema)),
		description: 'All active pairs.',
		example: [{ from: 'LTC', to: 'ETH', fromNetwork: 'Litecoin', toNetwork: 'Ethereum', rateTypes: ['FLOAT'] }],
	},
	errors: [11],
	handle: (call) => answerList(call, pairsText),
});
