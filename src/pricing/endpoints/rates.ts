/** `GET /api/rates.xml` and its other name `GET /rates/float.xml`: the public feed of rates. */
import type { OpenCall, OpenEndpoint, SentDocument } from '../../ports/endpoint.ts';
import type { EndpointDocs } from '../../ports/endpoint-docs.ts';
import { emptyFeed, type Feed, isServable } from '../feed.ts';
import { readFeed } from '../feed-reader.ts';
import { type Prepared, prepare, sentOf } from '../prepared.ts';

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
	request: null,
	respond: answerFeed,
};

export const ratesDocs: EndpointDocs = () => ({
	tag: 'Feeds',
	summary: 'The XML rate feed',
	description: [
		'Rates of all active pairs in the format that swap services publish.',
		'`/api/rates.xml` and `/rates/float.xml` are byte-identical. In maintenance, and where prices are too old, `<rates>` is',
		'empty.',
	],
	response: { contentType: 'application/xml', description: 'The feed.', example: FEED_EXAMPLE },
	errors: [],
});

/** The same document is an operation of its own name. */
export const floatRates: OpenEndpoint = { ...rates, path: '/rates/float.xml', id: 'floatRates' };

export const floatRatesDocs: EndpointDocs = () => ({ ...ratesDocs(), summary: 'The XML rate feed, other path' });

/** Sends what RateBook rendered, or else the empty feed, always with 200. Nothing is rendered here. */
function answerFeed(call: OpenCall): SentDocument | Promise<SentDocument> {
	const { env, now, background } = call;
	const read = readFeed(env, now, background);
	return read instanceof Promise ? read.then((feed) => documentOf(feed, call)) : documentOf(read, call);
}

function documentOf(read: Feed | null, call: OpenCall): SentDocument | Promise<SentDocument> {
	return read && isServable(read, call.now)
		? sentAs(read, call)
		: emptyFeed(call.now).then((feed) => sentAs(feed, call));
}

const sentAs = (feed: Feed, call: OpenCall): SentDocument => sentOf(preparedOf(feed), call);

/** To encode some hundred kilobytes for each answer costs more than the rest of the call. */
const prepared = new WeakMap<Feed, Prepared>();

function preparedOf(feed: Feed): Prepared {
	const known = prepared.get(feed) ?? prepare(feed.xml, feed.etag, 'application/xml; charset=utf-8');
	prepared.set(feed, known);
	return known;
}
