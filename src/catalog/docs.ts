/** What the reference says of `currencies` and `pairs` (spec, "Endpoints"). */
import * as z from 'zod';
import type { EndpointDocs } from '../docs/endpoint-docs.ts';
import { currencySchema, emptyBody, pairSchema } from './schema.ts';

const BODY = [
	'Send `{}` or no body at all; nothing else is accepted. Signed callers sign the bytes that they send: the two of `{}`,',
	'or none.',
	'',
	'Served from a 30-second server-side cache, which is the only freshness guarantee.',
];

const request = { schema: emptyBody, example: {}, optional: true };

export const currenciesDocs: EndpointDocs = {
	id: 'currencies',
	tag: 'Quotes',
	summary: 'List the assets',
	description: ['The live list of assets.', '', ...BODY],
	request,
	response: {
		data: z.array(currencySchema),
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
};

export const pairsDocs: EndpointDocs = {
	id: 'pairs',
	tag: 'Quotes',
	summary: 'List the pairs',
	description: ['Pairs with a deactivated asset are left out, so every listed pair is quotable.', '', ...BODY],
	request,
	response: {
		data: z.array(pairSchema),
		description: 'All active pairs.',
		example: [{ from: 'LTC', to: 'ETH', fromNetwork: 'Litecoin', toNetwork: 'Ethereum', rateTypes: ['FLOAT'] }],
	},
	errors: [11],
};
