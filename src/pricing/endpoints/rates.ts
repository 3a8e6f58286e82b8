/** `GET /api/rates.xml` and its other name `GET /rates/float.xml`: the public feed of rates. */
import type { OpenCall, OpenEndpoint } from '../../endpoint.ts';
import { isNotModified } from '../../http/conditional.ts';
import { emptyFeed, type Feed, isServable } from '../feed.ts';
import { readFeed } from '../feed-reader.ts';

const FEED_EXAMPLE = `<?xml version="1.0" encoding="UTF-8"?>
<rates>
<item><from>LTC</from><to>ETH</to><in>1</in><out>0.028363</out><amount>12.5</amount><tofee>0.00032 ETH</tofee>\
<minamount>0.47058824 LTC</minamount><maxamount>588.23529411 LTC</maxamount>\
<frommin>0.47058824</frommin><frommax>588.23529411</frommax><tomin>0.01302729</tomin><tomax>16.68379764</tomax>\
<param>floating</param></item>
</rates>
`;

export const rates: OpenEndpoint = {
	method: 'GET',
	path: '/api/rates.xml',
	auth: 'none',
	weight: 0,
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
	respond: answerFeed,
};

/** The same document is an operation of its own name. */
export const floatRates: OpenEndpoint = {
	...rates,
	path: '/rates/float.xml',
	id: 'floatRates',
	summary: 'The XML rate feed, other path',
};

/** Sends what RateBook rendered, or else the empty feed, always with 200. Nothing is rendered here. */
async function answerFeed({ env, headers, now, background }: OpenCall): Promise<Response> {
	const read = await readFeed(env, now, background);
	const feed = read && isServable(read, now) ? read : await emptyFeed(now);
	const { etag } = feed;
	// Caches ask each time, which costs a 304: after maintenance began, no rate may be shown.
	const always = { etag, 'cache-control': 'public, no-cache' };
	if (isNotModified(headers.get('if-none-match'), etag)) return new Response(null, { status: 304, headers: always });
	return new Response(bytesOf(feed), { headers: { ...always, 'content-type': 'application/xml; charset=utf-8' } });
}

/** To encode some hundred kilobytes for each answer costs more than the rest of the call. */
const encoded = new WeakMap<Feed, Uint8Array>();

function bytesOf(feed: Feed): Uint8Array {
	const known = encoded.get(feed) ?? new TextEncoder().encode(feed.xml);
	encoded.set(feed, known);
	return known;
}
