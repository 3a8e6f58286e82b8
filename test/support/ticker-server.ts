/**
 * All public price tickers on one local HTTP server, each under its own path, each answering in the body that its API
 * documents. Prices and behaviours can be changed while it runs: one source may lie, stall or stop while others work.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BigNumber } from 'bignumber.js';
import type { Coin } from '../../src/catalog/assets.ts';
import { SOURCES } from '../../src/pricing/sources/table.ts';

/** How a source behaves. The absurd ones answer in the documented shape, with a price that no client should believe. */
export type Manner =
	| 'ok'
	// wrong: an answer other than the documented one
	| 'html'
	| 'broken-json'
	| 'other-shape'
	| 'api-error'
	| 'redirect'
	| 'huge-body'
	// slow
	| 'never-answers'
	| 'never-ends'
	// absent
	| 'hangs-up'
	| 'not-found'
	| 'server-error'
	// absurd
	| 'zero'
	| 'negative'
	| 'overflow'
	| 'not-a-number'
	| 'tenfold';

/** US dollars, decimal text. */
export type UsdPrices = Readonly<Partial<Record<Coin, string>>>;

export interface TickerServer {
	/** By source name, for all sources. */
	readonly baseUrls: Readonly<Record<string, string>>;
	/** Changes these prices and leaves the others. */
	setPrices(prices: UsdPrices): void;
	/** What one source alone says, whatever the others say. */
	setPricesOf(source: string, prices: UsdPrices): void;
	setManner(source: string, manner: Manner): void;
	/** Paths that this source was asked for, oldest first. */
	requestsOf(source: string): readonly string[];
	close(): Promise<void>;
}

type Row = readonly [market: string, price: string];

/** A JSON number with exactly these characters; only inside `bodyText`. */
const number = (text: string): string => `number:${text}`;
const bodyText = (body: unknown): string => JSON.stringify(body).replaceAll(/"number:([^"]*)"/g, '$1');

/** Half of the distance between bid and ask, as a part of the price. */
const HALF_SPREAD = '0.0005';
/** The last trade, as a multiple of the price. It differs, because no client should use it where there is a book. */
const LAST_TRADE = '1.015';

interface Book {
	readonly bid: string;
	readonly ask: string;
	readonly last: string;
}

/** A book around the price. A text that is not a number is put into all its fields unchanged. */
function bookOf(price: string): Book {
	if (!/^\d+(\.\d+)?$/.test(price)) return { bid: price, ask: price, last: price };
	const middle = new BigNumber(price);
	const half = middle.times(HALF_SPREAD);
	return {
		bid: middle.minus(half).toFixed(),
		ask: middle.plus(half).toFixed(),
		last: middle.times(LAST_TRADE).toFixed(),
	};
}

/** The documented bodies, with a market or two that no client asks for. */
const BODIES: Readonly<Record<string, (rows: readonly Row[]) => unknown>> = {
	binance: (rows) =>
		[['ETHBTC', '0.03'] as const, ...rows].map(([symbol, price]) => {
			const { bid, ask } = bookOf(price);
			return { symbol, bidPrice: bid, bidQty: '31.21000000', askPrice: ask, askQty: '40.66000000' };
		}),
	kraken: (rows) => ({
		error: [],
		result: Object.fromEntries(
			[['1INCHEUR', '0.2'] as const, ...rows].map(([pair, price]) => [
				pair,
				{
					a: [bookOf(price).ask, '1', '1.000'],
					b: [bookOf(price).bid, '1', '1.000'],
					c: [bookOf(price).last, '0.00067643'],
					v: ['4083.67001100', '4412.73601799'],
					p: [price, price],
					t: [34619, 38907],
					l: [price, price],
					h: [price, price],
					o: price,
				},
			]),
		),
	}),
	coinbase: (rows) => ({
		products: rows.map(([product_id, price]) => ({
			product_id,
			price: bookOf(price).last,
			best_bid_price: bookOf(price).bid,
			best_ask_price: bookOf(price).ask,
			mid_market_price: '',
			price_percentage_change_24h: '9.43',
			is_disabled: false,
			product_type: 'SPOT',
			quote_currency_id: 'USD',
			fcm_trading_session_details: null,
		})),
		num_products: rows.length,
	}),
	okx: (rows) => ({
		code: '0',
		msg: '',
		data: [['STETH-USD', ''] as const, ...rows].map(([instId, price]) => ({
			instType: 'SPOT',
			instId,
			last: bookOf(price).last,
			askPx: bookOf(price).ask,
			askSz: '11',
			bidPx: bookOf(price).bid,
			bidSz: '5',
			ts: '1775693597157',
		})),
	}),
	bitstamp: (rows) =>
		[['BTC/EUR', '1'] as const, ...rows].map(([pair, price]) => ({
			timestamp: '1723398353',
			open: price,
			...bookOf(price),
			side: '1',
			percent_change_24: null,
			pair,
		})),
	kucoin: (rows) => ({
		code: '200000',
		data: {
			time: 1602832092060,
			ticker: [
				{ symbol: 'NEVER-TRADED', symbolName: 'NEVER-TRADED', buy: null, sell: null, last: null },
				...rows.map(([symbol, price]) => {
					const { bid, ask, last } = bookOf(price);
					return { symbol, symbolName: symbol, buy: bid, sell: ask, last };
				}),
			],
		},
	}),
	bitfinex: (rows) =>
		rows.map(([symbol, price]) => [
			symbol,
			number(bookOf(price).bid),
			number('31.89055171'),
			number(bookOf(price).ask),
			number('43.358118629999986'),
			number('-550.8'),
			number('-0.0674'),
			number(bookOf(price).last),
			number('8314.71200815'),
			number(price),
			number(price),
		]),
	coingecko: (rows) => Object.fromEntries(rows.map(([id, usd]) => [id, { usd: number(usd) }])),
};

/** Well-formed refusals, where the API answers with HTTP 200 even then. */
const API_ERRORS: Readonly<Record<string, unknown>> = {
	binance: { code: -1121, msg: 'Invalid symbol.' },
	kraken: { error: ['EQuery:Unknown asset pair'] },
	okx: { code: '50011', msg: 'Too Many Requests', data: [] },
	kucoin: { code: '429000', msg: 'too many requests' },
	bitfinex: ['error', 10020, 'symbols: invalid'],
};

const ABSURD: Readonly<Partial<Record<Manner, (price: string) => string>>> = {
	zero: () => '0',
	negative: (price) => `-${price}`,
	overflow: () => '1e400',
	'not-a-number': () => 'null',
	tenfold: (price) => new BigNumber(price).times(10).toFixed(),
};

/** Bodies that are not answers at all. */
const MISBEHAVIOUR: Readonly<Partial<Record<Manner, (response: ServerResponse, name: string) => void>>> = {
	html: (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Just a moment…</html>'),
	'broken-json': (response) => json(response, '[{"symbol":'),
	'other-shape': (response) => json(response, '{"surprise":[1,2,3]}'),
	'api-error': (response, name) => json(response, JSON.stringify(API_ERRORS[name] ?? { error: 'refused' })),
	redirect: (response) => response.writeHead(302, { location: '/kraken/0/public/Ticker' }).end(),
	'huge-body': (response) => json(response, `[${' '.repeat(HUGE_BODY_BYTES)}]`),
	'never-answers': () => {},
	'never-ends': (response) => drip(response),
	'hangs-up': (response) => response.destroy(),
	'not-found': (response) => response.writeHead(404).end('{}'),
	'server-error': (response) => response.writeHead(500).end('{}'),
};

function json(response: ServerResponse, text: string): void {
	response.writeHead(200, { 'content-type': 'application/json' }).end(text);
}

const HUGE_BODY_BYTES = 8 * 1024 * 1024;
const DRIP_MILLISECONDS = 200;

export async function startTickerServer(initial: UsdPrices): Promise<TickerServer> {
	let common: UsdPrices = { USDT: '1', ...initial };
	const own = new Map<string, UsdPrices>();
	const manners = new Map<string, Manner>();
	const requests = new Map<string, string[]>();

	/** The rows of a source, in the currency it quotes. A coin without a price is not traded anywhere. */
	function rowsOf(name: string, absurd: (price: string) => string): Row[] {
		const source = SOURCES.find((candidate) => candidate.name === name);
		if (!source) return [];
		const prices = { ...common, ...own.get(name) };
		const unit = source.currency === 'USDT' ? (prices.USDT ?? '1') : '1';
		return (Object.entries(source.markets) as [Coin, string][]).flatMap(([coin, market]) => {
			const usd = prices[coin];
			return usd === undefined ? [] : [[market, absurd(new BigNumber(usd).div(unit).toFixed())] as const];
		});
	}

	function answer(request: IncomingMessage, response: ServerResponse): void {
		const [, name = '', ...rest] = (request.url ?? '').split('/');
		const body = BODIES[name];
		const manner = manners.get(name) ?? 'ok';
		requests.set(name, [...(requests.get(name) ?? []), `/${rest.join('/')}`]);
		if (!body) response.writeHead(404).end();
		else if (manner in MISBEHAVIOUR) MISBEHAVIOUR[manner]?.(response, name);
		else json(response, bodyText(body(rowsOf(name, ABSURD[manner] ?? ((price) => price)))));
	}

	const server = createServer(answer);
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const { port } = server.address() as AddressInfo;
	return {
		baseUrls: Object.fromEntries(Object.keys(BODIES).map((name) => [name, `http://127.0.0.1:${port}/${name}`])),
		setPrices(prices) {
			common = { ...common, ...prices };
		},
		setPricesOf(source, prices) {
			own.set(source, prices);
		},
		setManner(source, manner) {
			manners.set(source, manner);
		},
		requestsOf: (source) => requests.get(source) ?? [],
		close: () =>
			new Promise((resolve) => {
				server.close(() => resolve());
				server.closeAllConnections();
			}),
	};
}

/** Sends blanks for ever: valid JSON so far, and never complete. */
function drip(response: ServerResponse): void {
	response.writeHead(200, { 'content-type': 'application/json' });
	const timer = setInterval(() => response.write(' '), DRIP_MILLISECONDS);
	response.on('close', () => clearInterval(timer));
}
