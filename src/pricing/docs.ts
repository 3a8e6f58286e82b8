/** What the reference says of `price` and of the feeds (spec, "Endpoints"; decisions.md "Feeds"). */
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
		'- `fromCcy` and `toCcy` may be a coin symbol (`USDT`) with a network hint, as on create. A hint that contradicts an',
		'  exact id returns code 1.',
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

const FEED_EXAMPLE = `<?xml version="1.0" encoding="UTF-8"?>
<rates>
<item><from>LTC</from><to>ETH</to><in>1</in><out>0.028363</out><amount>12.5</amount><tofee>0.00032 ETH</tofee>\
<minamount>0.47058824 LTC</minamount><maxamount>588.23529411 LTC</maxamount>\
<frommin>0.47058824</frommin><frommax>588.23529411</frommax><tomin>0.01302729</tomin><tomax>16.68379764</tomax>\
<param>floating</param></item>
</rates>
`;

export const ratesDocs: EndpointDocs = {
	id: 'rates',
	tag: 'Feeds',
	summary: 'The XML rate feed',
	description: [
		'Rates of all active pairs in the monitors’ export format, EREF 1.1, with the older pair of limits beside the newer.',
		'`/api/rates.xml` and `/rates/float.xml` are byte-identical. In maintenance, and where prices are too old, `<rates>` is',
		'empty.',
	],
	request: null,
	response: {
		contentType: 'application/xml',
		description: 'The feed.',
		example: FEED_EXAMPLE,
	},
	errors: [],
};
/** An alias is an operation of its own name. */
export const floatRatesDocs: EndpointDocs = {
	...ratesDocs,
	id: 'floatRates',
	summary: 'The XML rate feed, other path',
};
