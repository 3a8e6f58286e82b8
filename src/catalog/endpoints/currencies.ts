/** `POST /api/v1/currencies`: the assets that can be sent in. */
import * as z from 'zod/mini';
import { endpoint } from '../../ports/endpoint.ts';
import type { EndpointDocs } from '../../ports/endpoint-docs.ts';
import { currencySchema } from '../schema.ts';
import { currenciesText, currenciesWithChainText } from '../view.ts';
import { answerList, EMPTY_BODY, EMPTY_BODY_NOTE } from './list.ts';

const wishes = z.lazy(() =>
	z.strictObject({
		with: z.optional(z.array(z.enum(['chain']))).check(z.describe('`["chain"]` adds `chainId` and `contract`.')),
	}),
);

export const currencies = endpoint({
	method: 'POST',
	path: '/api/v1/currencies',
	auth: 'optional',
	admits: ['app', 'read', 'server'],
	weight: 1,
	id: 'currencies',
	request: { ...EMPTY_BODY, schema: wishes },
	handle: (call, input) => answerList(call, input.with?.includes('chain') ? currenciesWithChainText : currenciesText),
});

export const currenciesDocs: EndpointDocs = () => ({
	tag: 'Quotes',
	summary: 'List the assets',
	description: [
		'The live list of assets. A body may name additions in `with`, and nothing else.',
		'',
		...EMPTY_BODY_NOTE,
	],
	example: {},
	response: {
		data: z.lazy(() => z.array(currencySchema)),
		description: 'All assets that are accepted as deposit.',
		example: [
			{
				code: 'LTC',
				coin: 'LTC',
				network: 'Litecoin',
				name: 'Litecoin',
				recv: true,
				send: true,
				tag: null,
				logo: null,
				color: null,
				minAmount: null,
				maxAmount: null,
				precision: 8,
			},
		],
	},
	errors: [11],
});
