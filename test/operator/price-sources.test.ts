/**
 * The price sources over real HTTP (book: contract, "Prices"). Each source's documented answer is read. A source that
 * is wrong, slow, absent or absurd is logged and stops nothing else. Below the quorum the last price stays until it is
 * 180 s old.
 */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { COINS, type Coin } from '../../src/catalog/assets.ts';
import { type Prices, priceAt } from '../../src/pricing/prices.ts';
import { getFrom, type PriceEvent, type Refresh, refreshPrices } from '../../src/pricing/refresh.ts';
import { SOURCES } from '../../src/pricing/sources/table.ts';
import { type Manner, startTickerServer, type TickerServer } from '../support/ticker-server.ts';

const NOW = 1_800_000_000_000;
const USD = {
	BTC: '98765.43',
	ETH: '3456.789012345678',
	BNB: '654.3',
	SOL: '142.857',
	TRX: '0.276543',
	XMR: '381.01',
	LTC: '80.12',
	POL: '0.1234567',
	AVAX: '21.5',
	DASH: '33.33',
	USDT: '1',
	USDC: '0.9998',
	DAI: '1.0002',
} as const satisfies Record<Coin, string>;
const ALL_FOUND = Object.fromEntries(COINS.map((coin) => [coin, { usd: USD[coin], at: NOW }]));

let server: TickerServer;
let events: PriceEvent[];

beforeEach(async () => {
	server = await startTickerServer(USD);
	events = [];
});
afterEach(() => server.close());

const refreshOf = (more: Partial<Refresh>): Promise<Prices> =>
	refreshPrices({
		sources: SOURCES,
		coins: COINS,
		get: getFrom(server.baseUrls),
		previous: {},
		clock: () => NOW,
		log: (event) => void events.push(event),
		...more,
	});

const refresh = (previous: Prices = {}, now = NOW, baseUrls = server.baseUrls): Promise<Prices> =>
	refreshOf({ previous, clock: () => now, get: getFrom(baseUrls) });

/** Only coin, price and time. */
const bare = (prices: Prices) =>
	Object.fromEntries(Object.entries(prices).map(([coin, { usd, at }]) => [coin, { usd, at }]));

const eventsOf = (source: string): PriceEvent[] =>
	events.filter((event) => 'source' in event && event.source === source);

const sourceNames = SOURCES.map(({ name }) => name);

describe('documented answers', () => {
	it.each(SOURCES)('$name: each of its coins, exact, with one request', async (source) => {
		const quotes = await source.quotes(COINS, getFrom(server.baseUrls)(source));
		const coins = COINS.filter((coin) => source.markets[coin]);
		expect(quotes).toEqual(
			coins.map((coin) => ({ source: source.name, coin, currency: source.currency, price: USD[coin] })),
		);
		expect(server.requestsOf(source.name)).toHaveLength(1);
	});

	it('the documented paths', async () => {
		await refreshPrices({
			sources: SOURCES,
			coins: ['LTC'],
			get: getFrom(server.baseUrls),
			previous: {},
			clock: () => NOW,
			log: () => {},
		});
		expect(Object.fromEntries(sourceNames.map((name) => [name, server.requestsOf(name)]))).toEqual({
			binance: ['/api/v3/ticker/bookTicker'],
			kraken: ['/0/public/Ticker'],
			coinbase: ['/api/v3/brokerage/market/products?product_ids=LTC-USD&product_ids=USDT-USD'],
			okx: ['/api/v5/market/tickers?instType=SPOT'],
			bitstamp: ['/api/v2/ticker/'],
			kucoin: ['/api/v1/market/allTickers'],
			bitfinex: ['/v2/tickers?symbols=tLTCUSD,tUSTUSD'],
			coingecko: ['/api/v3/simple/price?ids=litecoin,tether&vs_currencies=usd&precision=full'],
		});
	});

	it('all together: every coin has its price, and nothing is logged', async () => {
		expect(bare(await refresh())).toEqual(ALL_FOUND);
		expect(events).toEqual([]);
	});

	it('a price that moves is followed', async () => {
		const first = await refresh();
		server.setPrices({ LTC: '90' });
		expect((await refresh(first, NOW + 15_000))['LTC']).toMatchObject({ usd: '90', at: NOW + 15_000 });
	});

	it('USDT has its own price: sources that quote in USDT still agree with those that quote in USD', async () => {
		server.setPrices({ USDT: '0.8', LTC: '80' });
		const prices = await refresh();
		expect(prices['USDT']?.usd).toBe('0.8');
		expect(prices['LTC']?.usd).toBe('80');
		expect(events.filter((event) => event.event === 'price_disagreement')).toEqual([]);
	});
});

describe('one source that misbehaves stops nothing else, and is logged', () => {
	// On a busy machine none is left behind that is well.
	const refreshAll = () => refreshOf({ patienceMilliseconds: 60_000 });
	const FAILURES = [
		['html', /JSON/],
		['broken-json', /JSON/],
		['other-shape', /./],
		['api-error', /./],
		['redirect', /HTTP 302/],
		['huge-body', /larger than 2097152 bytes/],
		['hangs-up', /./],
		['not-found', /HTTP 404/],
		['server-error', /HTTP 500/],
	] as const satisfies readonly (readonly [Manner, RegExp])[];

	describe.each(sourceNames)('%s', (name) => {
		it.each(FAILURES)('wrong or absent: %s', async (manner, reason) => {
			server.setManner(name, manner);
			expect(bare(await refreshAll())).toEqual(ALL_FOUND);
			const [event, ...more] = eventsOf(name);
			expect(more).toEqual([]);
			if (event?.event === 'price_source_failed') expect(event.reason).toMatch(reason);
			// CoinGecko's answer is a map of ids, so any other JSON object is a valid answer without our coins.
			else expect([name, event?.event]).toEqual(['coingecko', 'price_source_incomplete']);
			expect(events).toHaveLength(1);
		});

		it.each(['zero', 'negative', 'overflow', 'not-a-number'] as const)('absurd: %s', async (manner) => {
			server.setManner(name, manner);
			expect(bare(await refreshAll())).toEqual(ALL_FOUND);
			const source = SOURCES.find((candidate) => candidate.name === name);
			const coins = COINS.filter((coin) => source?.markets[coin]);
			expect(events).toEqual([{ event: 'price_source_incomplete', source: name, coins }]);
		});

		it('absurd: ten times the others', async () => {
			server.setManner(name, 'tenfold');
			expect(bare(await refreshAll())).toEqual(ALL_FOUND);
			const source = SOURCES.find((candidate) => candidate.name === name);
			const outvoted = events.map((event) =>
				event.event === 'price_disagreement' && event.found && event.reason.includes(`: ${name} `) ? event.coin : event,
			);
			expect(outvoted.sort()).toEqual(COINS.filter((coin) => source?.markets[coin]).sort());
		});
	});

	it('slow: two that never answer or never end delay nothing, because the others are enough', async () => {
		server.setManner('binance', 'never-answers');
		server.setManner('coinbase', 'never-ends');
		const started = performance.now();
		expect(bare(await refresh())).toEqual(ALL_FOUND);
		expect(performance.now() - started).toBeLessThan(2_000);
		expect(events.map((event) => event.event === 'price_source_failed' && event.source).sort()).toEqual([
			'binance',
			'coinbase',
		]);
	});

	it('slow: when a coin has only two sources, a third gets another second', async () => {
		for (const name of ['coingecko', 'kucoin']) server.setManner(name, 'never-answers');
		const started = performance.now();
		expect((await refresh())['XMR']).toMatchObject({ usd: USD.XMR, at: NOW, sources: ['bitfinex', 'kraken'] });
		expect(performance.now() - started).toBeLessThan(3_000);
	});

	it('slow: sources without which a coin has no price get up to 5 s', async () => {
		for (const name of sourceNames) server.setManner(name, name === 'kraken' ? 'ok' : 'never-answers');
		const started = performance.now();
		expect(await refresh()).toEqual({});
		const waited = performance.now() - started;
		expect(waited).toBeGreaterThan(4_500);
		expect(waited).toBeLessThan(6_500);
	});

	it('absent: nothing listens, or the URL is invalid', async () => {
		const gone = await startTickerServer({});
		await gone.close();
		const baseUrls = { ...server.baseUrls, kraken: gone.baseUrls['kraken'] ?? '', okx: 'nowhere' };
		expect(bare(await refresh({}, NOW, baseUrls))).toEqual(ALL_FOUND);
		expect(events.map(({ event }) => event)).toEqual(['price_source_failed', 'price_source_failed']);
	});

	it('one coin with an absurd price costs the source only that coin', async () => {
		server.setPricesOf('kraken', { LTC: '0' });
		expect(bare(await refresh())).toEqual(ALL_FOUND);
		expect(events).toEqual([{ event: 'price_source_incomplete', source: 'kraken', coins: ['LTC'] }]);
	});
});

describe('below the quorum', () => {
	const leaveOnly = (...names: readonly string[]): void => {
		for (const name of sourceNames) if (!names.includes(name)) server.setManner(name, 'server-error');
	};

	it('two sources are enough', async () => {
		leaveOnly('kraken', 'coinbase');
		const quoting = SOURCES.filter(({ name }) => name === 'kraken' || name === 'coinbase');
		const coins = COINS.filter((coin) => quoting.every(({ markets }) => markets[coin]));
		expect(coins).toContain('LTC');
		expect(bare(await refresh())).toEqual(Object.fromEntries(coins.map((coin) => [coin, { usd: USD[coin], at: NOW }])));
	});

	it.each([
		['one source', ['kraken']],
		['no source', []],
		['only sources that quote in USDT, which itself has no price then', ['binance', 'okx', 'kucoin']],
	])('%s: the last price stays until it is 180 s old', async (_name, names) => {
		const first = await refresh();
		leaveOnly(...names);
		server.setPrices({ LTC: '90' });
		const later = await refresh(first, NOW + 180_000);
		expect(later).toEqual(first);
		expect(priceAt(later, 'LTC', NOW + 180_000)).toBe('80.12');
		expect(priceAt(later, 'LTC', NOW + 180_001)).toBeNull();
		expect(events.some((event) => event.event === 'price_disagreement' && event.coin === 'LTC')).toBe(true);
	});

	it('the next refresh with a quorum brings the price back', async () => {
		leaveOnly();
		const none = await refresh();
		expect(none).toEqual({});
		for (const name of sourceNames) server.setManner(name, 'ok');
		expect(bare(await refresh(none))).toEqual(ALL_FOUND);
	});

	it('two groups of equal weight are no price', async () => {
		leaveOnly('kraken', 'coinbase', 'bitfinex', 'bitstamp');
		server.setPricesOf('bitfinex', { LTC: '63' });
		server.setPricesOf('bitstamp', { LTC: '63' });
		expect((await refresh())['LTC']).toBeUndefined();
	});
});
