/** What the reference says of `price` (spec, "POST /api/v1/price"). */
import type { EndpointDocs } from '../docs/endpoint-docs.ts';
import { priceBody } from './body.ts';
import { quoteSchema } from './schema.ts';

export const priceDocs: EndpointDocs = {
	id: 'price',
	tag: 'Quotes',
	summary: 'Quote a swap',
	description: [
		'Every call recomputes against the latest rate snapshot; there is no response cache.',
		'',
		'- Signed callers get partner pricing, and `markupBps` echoes the applied value. Unsigned callers get the base rate',
		'  and `markupBps` 0, whatever their body says.',
		'- Afftax resolution, highest first: the body, the reference code in `X-API-KEY`, the partner default.',
		'- Amounts outside the bounds are not rejected: read the deposit window in `from.min` and `from.max`.',
	],
	request: {
		schema: priceBody,
		example: { type: 'float', fromCcy: 'LTC', toCcy: 'ETH', direction: 'from', amount: '2' },
	},
	response: {
		data: quoteSchema,
		description: 'The quote.',
		example: {
			from: {
				code: 'LTC',
				coin: 'LTC',
				network: 'Litecoin',
				amount: '2',
				rate: '0.02822',
				precision: 8,
				usd: '170.00',
				min: '0.47058824',
				max: '588.23529411',
				btc: '0',
			},
			to: {
				code: 'ETH',
				coin: 'ETH',
				network: 'Ethereum',
				amount: '0.05612',
				rate: '0.02822',
				precision: 8,
				usd: '167.80',
				min: '0.01296',
				max: '16.59967999',
			},
			errors: [],
			markupBps: 50,
		},
	},
	errors: [1, 3, 5, 11, 99],
};
