/** `GET /rates/bestchange.xml`, `/rates/fixedfloat.xml` and `/rates/plain.json`: feeds for monitors. */
import { sha256Hex } from '../../crypto/tokens.ts';
import { queryIn } from '../../http/address.ts';
import type { OpenCall, OpenEndpoint, SentDocument } from '../../ports/endpoint.ts';
import type { EndpointDocs } from '../../ports/endpoint-docs.ts';
import { BESTCHANGE, type Dialect, FIXEDFLOAT, PLAIN_JSON } from '../dialects.ts';
import { isServable, offersOf } from '../feed.ts';
import { readMarket } from '../market-reader.ts';
import { type Prepared, prepare, sentOf } from '../prepared.ts';

/** Margins that a feed may have, basis points: few, so that strangers cannot have thousands of feeds rendered. */
const MARGIN_STEP_BPS = 25;
const MAX_MARGIN_BPS = 500;

const NO_OFFERS_AT = 0;
const NO_SETTINGS = { monitorCodes: { bestchange: {}, fixedfloat: {} } };

/** The feeds of one snapshot in this isolate, by path and margin. */
let rendered: { readonly marketAt: number; readonly feeds: Map<string, Prepared & { readonly at: number }> } = {
	marketAt: NO_OFFERS_AT,
	feeds: new Map(),
};

const feedIn = (dialect: Dialect, path: string, id: string): OpenEndpoint => ({
	method: 'GET',
	path,
	auth: 'none',
	weight: 0,
	id,
	request: null,
	respond: (call) => respondIn(dialect, path, call),
});

export const bestChangeRates = feedIn(BESTCHANGE, '/rates/bestchange.xml', 'bestChangeRates');
export const fixedFloatRates = feedIn(FIXEDFLOAT, '/rates/fixedfloat.xml', 'fixedFloatRates');
export const plainRates = feedIn(PLAIN_JSON, '/rates/plain.json', 'plainRates');

async function respondIn(dialect: Dialect, path: string, call: OpenCall): Promise<SentDocument> {
	const { env, now, url, background } = call;
	const margin = marginIn(url);
	const market = margin === null ? null : await readMarket(env, now, background);
	const marketAt = market?.at ?? NO_OFFERS_AT;
	if (rendered.marketAt !== marketAt) rendered = { marketAt, feeds: new Map() };
	const { feeds } = rendered;
	const key = `${path} ${margin}`;
	const known = feeds.get(key);
	if (known && isServable(known, now)) return sentOf(known, call);
	const settings = market?.settings ?? NO_SETTINGS;
	const text = dialect.render(market && margin !== null ? offersOf(market, now, margin) : [], settings);
	const feed = { at: now, ...prepare(text, `"${await sha256Hex(text)}"`, dialect.contentType) };
	feeds.set(key, feed);
	return sentOf(feed, call);
}

/** Null for a margin of which no feed is rendered. */
function marginIn(url: string): number | null {
	const text = queryIn(url).get('afftax') ?? '0';
	const bps = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN;
	return bps <= MAX_MARGIN_BPS && bps % MARGIN_STEP_BPS === 0 ? bps : null;
}

const QUERY = {
	afftax: `Your margin in basis points, a multiple of ${MARGIN_STEP_BPS} up to ${MAX_MARGIN_BPS}; another one has an empty feed.`,
};

const docsOf =
	(summary: string, description: string, contentType: string, example: string): EndpointDocs =>
	() => ({
		tag: 'Feeds',
		summary,
		description: [`${description} A partner names their margin in the address that the monitor reads.`],
		query: QUERY,
		response: { contentType, description: 'The feed.', example },
		errors: [],
	});

export const bestChangeRatesDocs = docsOf(
	'Rates for BestChange and its readers',
	[
		'The elements and their order are those that BestChange describes and independent exporters write; its XSD has not been',
		'seen, and none is named. Codes are the monitor’s; pairs of which it has no code are left out.',
	].join('\n'),
	'application/xml',
	`<?xml version="1.0" encoding="UTF-8"?>
<rates>
<item><from>LTC</from><to>BNBBEP20</to><in>1</in><out>0.1413</out><amount>12.5</amount><frommin>0.47058824</frommin>\
<frommax>588.23529411</frommax><tomin>0.0662</tomin><tomax>83.11</tomax><tofee>0.0003</tofee>\
<floating minutes="0" percent="0"/><minamount>0.47058824</minamount><maxamount>588.23529411</maxamount></item>
</rates>
`,
);

export const fixedFloatRatesDocs = docsOf(
	'Rates in the form of FixedFloat’s feed',
	'Sums have their coin behind them. Codes are those of `/rates/bestchange.xml`.',
	'application/xml',
	`<?xml version="1.0" encoding="UTF-8"?>
<rates>
<item><from>LTC</from><to>BNBBEP20</to><in>1</in><out>0.1413</out><amount>12.5</amount><tofee>0.0003 BNB</tofee>\
<minamount>0.47058824 LTC</minamount><maxamount>588.23529411 LTC</maxamount></item>
</rates>
`,
);

export const plainRatesDocs = docsOf(
	'Rates as JSON',
	'By our own ids, with the same figures: `in` buys `out`, less `fee`.',
	'application/json',
	`{"rates":[{"from":"LTC","to":"BNB","in":"1","out":"0.1413","amount":"12.5","fee":"0.0003","min":"0.47058824",\
"max":"588.23529411","toMin":"0.0662","toMax":"83.11"}]}
`,
);
