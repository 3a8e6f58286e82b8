/** The rate feed and its conditional answers, as rules (book: contract, "Feeds"; RFC 9110 §13.1.2). */
import { describe, expect, it, vi } from 'vitest';
import { type AssetId, assetOf } from '../../src/catalog/assets.ts';
import { NOT_RAISED } from '../../src/catalog/confirmations.ts';
import { activePairs } from '../../src/catalog/settings.ts';
import { keyRing } from '../../src/crypto/key-ring.ts';
import { isNotModified } from '../../src/http/conditional.ts';
import { parseAmount } from '../../src/money/amount.ts';
import { decimal, plain } from '../../src/money/decimal.ts';
import type { OpenCall } from '../../src/ports/endpoint.ts';
import { rates } from '../../src/pricing/endpoints/rates.ts';
import { FEED_MILLISECONDS, type Feed, renderFeed } from '../../src/pricing/feed.ts';
import { FEED_KEY } from '../../src/pricing/feed-reader.ts';
import type { Market } from '../../src/pricing/market.ts';
import { quoteOf, quoteView, termsOf } from '../../src/pricing/quote.ts';
import { keptSnapshot } from '../../src/pricing/snapshot-reader.ts';
import { ELEMENTS, type FeedItem, feedItems } from '../support/feed.ts';
import { BARE_REPORT, marketOf, NOW, settingsOf } from '../support/rows.ts';

const EMPTY = '<?xml version="1.0" encoding="UTF-8"?>\n<rates>\n</rates>\n';

/** Realistic prices: eight coins from cents to a hundred thousand dollars. */
const USD = { BTC: '98765.43', ETH: '3456.789012345678', BNB: '654.3', LTC: '80.12', POL: '0.1234567' };
const FEES: Partial<Record<AssetId, string>> = { BTC: '1410', ETH: '42000000000001', LTC: '2820', POL: '1' };

const itemsOf = async (market: Market, now = NOW): Promise<FeedItem[]> =>
	feedItems((await renderFeed(market, now)).xml);

const itemOf = async (market: Market, from: AssetId, to: AssetId): Promise<FeedItem> => {
	const found = (await itemsOf(market)).find((item) => item.from === from && item.to === to);
	if (!found) throw new Error(`no item ${from} to ${to}`);
	return found;
};

describe('an item', () => {
	const market = marketOf({ usd: USD, fees: FEES, reserves: { ETH: '12345678901234567890', BTC: '100000000000' } });

	it('shows for every pair the quote of price on the same snapshot', async () => {
		const items = await itemsOf(market);
		const pairs = activePairs(market.settings);
		expect(items.map(({ from, to }) => [from, to])).toEqual(pairs.map(([from, to]) => [from.code, to.code]));
		for (const item of items) {
			const [from, to] = [assetOf(item.from as AssetId), assetOf(item.to as AssetId)];
			const terms = termsOf(market, { from, to }, { baseFeeBps: market.settings.baseFeeBps, afftaxBps: 0 }, NOW);
			const amount = parseAmount('1', from.precision);
			if (!terms || !amount) throw new Error('no quote');
			const quote = quoteView(quoteOf(terms, 'from', amount), 0) as {
				from: { rate: string; min: string; max: string };
				to: { min: string; max: string };
			};
			expect(plain(decimal(quote.from.rate).times(item.in))).toBe(item.out);
			const { min, max } = quote.from;
			expect([item.frommin, item.frommax]).toEqual([min, max]);
			expect([item.tomin, item.tomax]).toEqual([quote.to.min, quote.to.max]);
			expect([item.minamount, item.maxamount]).toEqual([`${min} ${from.code}`, `${max} ${from.code}`]);
			expect(item.tofee).toBe(`${plain(terms.networkFee)} ${to.code}`);
			expect(item.param).toBe('floating');
		}
	});

	it('has its elements in the order of the format, one item a line', async () => {
		const lines = (await renderFeed(market, NOW)).xml.split('\n');
		expect(lines.slice(0, 2)).toEqual(['<?xml version="1.0" encoding="UTF-8"?>', '<rates>']);
		expect(lines.slice(-2)).toEqual(['</rates>', '']);
		const item = new RegExp(`^<item>${ELEMENTS.map((name) => `<${name}>[^<]+</${name}>`).join('')}</item>$`);
		for (const line of lines.slice(2, -2)) expect(line).toMatch(item);
		expect(lines).toHaveLength(4 + 33 * 32);
	});

	it('has as amount the payout reserve, down to the precision', async () => {
		expect((await itemOf(market, 'LTC', 'ETH')).amount).toBe('12.3456789');
		expect((await itemOf(market, 'LTC', 'BTC')).amount).toBe('1000');
	});

	it.each([
		['98000', '98000', '1', '0.995'],
		['98000', '9800', '1', '9.95'],
		['9800', '98000', '10', '0.995'],
		['0.1', '98500', '100000', '0.101015228426395939'],
		['1', '10', '10', '0.995'],
		['1', '9.95', '1', '0.1'],
	])(
		'at %s USD for %s USD: in is %s, out is %s, which keeps 8 significant digits in 8 decimals',
		async (ltc, eth, given, out) => {
			const item = await itemOf(marketOf({ usd: { LTC: ltc, ETH: eth } }), 'LTC', 'ETH');
			expect([item.in, item.out]).toEqual([given, out]);
			expect(Number(item.out)).toBeGreaterThanOrEqual(0.1);
		},
	);
});

describe('left out', () => {
	const isListed = async (market: Market, now = NOW): Promise<boolean> =>
		(await itemsOf(market, now)).some(({ from, to }) => from === 'LTC' && to === 'ETH');
	const withSettings = (more: Parameters<typeof settingsOf>[0]): Market => ({
		...marketOf(),
		settings: settingsOf(more),
	});

	it('pairs whose from-asset or to-asset is inactive', async () => {
		expect(await isListed(marketOf())).toBe(true);
		expect(await isListed(withSettings({ inactiveAssets: ['LTC'] }))).toBe(false);
		expect(await isListed(withSettings({ inactiveAssets: ['ETH'] }))).toBe(false);
		expect((await itemsOf(withSettings({ inactiveAssets: ['ETH'] }))).length).toBe(32 * 31);
	});

	it('pairs that take no deposit, make no payout, or are switched off', async () => {
		expect(
			await isListed(withSettings({ networks: { Litecoin: { send: true, receive: false, ...NOT_RAISED } } })),
		).toBe(false);
		expect(
			await isListed(withSettings({ networks: { Ethereum: { send: false, receive: true, ...NOT_RAISED } } })),
		).toBe(false);
		expect(await isListed(marketOf({ pairs: { 'LTC>ETH': { active: false, minUsd: 40, maxUsd: 50 } } }))).toBe(false);
	});

	it('pairs whose payout network does not report, or whose reserve is unknown', async () => {
		expect(await isListed({ ...marketOf(), networks: {} })).toBe(false);
		const untold = marketOf();
		const Ethereum = { ...BARE_REPORT, fees: { ETH: '0' } };
		expect(await isListed({ ...untold, networks: { ...untold.networks, Ethereum } })).toBe(false);
	});

	it('pairs without a valid amount, because the network fee is above the maximum', async () => {
		expect(await isListed(marketOf({ fees: { ETH: '600000000000000000000' } }))).toBe(false);
	});

	it('pairs whose price expires before this feed does', async () => {
		const good = NOW + 180_000 - FEED_MILLISECONDS;
		expect(await isListed(marketOf(), good)).toBe(true);
		expect(await isListed(marketOf({ heardAt: NOW + 180_000 }), good + 1)).toBe(false);
		expect((await renderFeed(marketOf(), good + 1)).xml).toBe(EMPTY);
	});

	it('everything in maintenance', async () => {
		expect((await renderFeed(withSettings({ maintenance: true }), NOW)).xml).toBe(EMPTY);
	});
});

describe('the ETag', () => {
	it('is strong, and the same exactly when the bytes are', async () => {
		const [one, again, other] = await Promise.all([
			renderFeed(marketOf(), NOW),
			renderFeed(marketOf(), NOW + 1),
			renderFeed(marketOf({ usd: { LTC: '100.000001' } }), NOW),
		]);
		expect(one.etag).toMatch(/^"[0-9a-f]{64}"$/);
		expect([again.xml, again.etag]).toEqual([one.xml, one.etag]);
		expect(other.etag).not.toBe(one.etag);
	});

	it.each([
		[null, false],
		['"abc"', true],
		['W/"abc"', true],
		['*', true],
		[' * ', true],
		['"x", "abc"', true],
		['"x","abc"', true],
		['W/"x" , W/"abc"', true],
		['"a,b", "abc"', true],
		['"x"', false],
		['"abcd"', false],
		['abc', false],
		['"x,abc"', false],
		['', false],
		['"*"', false],
	])('If-None-Match %s: not modified is %s', (header, expected) => {
		expect(isNotModified(header, '"abc"')).toBe(expected);
	});
});

describe('served', () => {
	const SEAL_KEY = 'A'.repeat(43);
	const kept = async (at: number): Promise<Feed> => ({ ...(await renderFeed(marketOf(), NOW)), at });

	/**
	 * An isolate with nothing in memory, a KV that has `inKv`, and a RateBook that answers `inBook` or does not answer.
	 */
	function callOf(inKv: Feed | null, inBook: Feed | null, now: number): OpenCall {
		const sealed = inKv && keptSnapshot(keyRing({ SEAL_KEY }, 'SEAL_KEY'), FEED_KEY, inKv);
		const feed = () => (inBook ? Promise.resolve(inBook) : Promise.reject(new Error('RateBook is down')));
		const env = { SEAL_KEY, CACHE: { get: () => Promise.resolve(sealed) }, RATE_BOOK: { getByName: () => ({ feed }) } };
		return { env: env as unknown as OpenCall['env'], headers: new Headers(), url: '', now, background: () => {} };
	}
	const textOf = async (call: OpenCall): Promise<[number, string]> => {
		const { status, headers, body } = await rates.respond(call);
		return [status, await new Response(body, { headers }).text()];
	};

	it('never a feed from the future in KV, even with a valid seal, because it would stay fresh until then', async () => {
		const ahead = await kept(NOW + 5_001);
		expect(await textOf(callOf(ahead, null, NOW))).toEqual([200, EMPTY]);
	});

	it('the feed from KV or RateBook, or the empty feed with HTTP 200 when none is fresh enough', async () => {
		const now = NOW + FEED_MILLISECONDS;
		const [young, old] = [await kept(NOW), await kept(NOW - 1)];
		expect(await textOf(callOf(null, null, now))).toEqual([200, EMPTY]);
		expect(await textOf(callOf(old, null, now))).toEqual([200, EMPTY]);
		expect(await textOf(callOf(await kept(NOW + 1), null, now))).toEqual([200, young.xml]);
		// That feed is now in this isolate's memory; a minute later it is too old.
		expect(await textOf(callOf(null, young, now + 60_000))).toEqual([200, EMPTY]);
	});

	it('never the empty feed because of this isolate’s memory: a feed too old there is fetched again', async () => {
		const later = NOW + 3_600_000;
		const half = FEED_MILLISECONDS / 2;
		vi.useFakeTimers({ toFake: ['Date'], now: later });
		const [first, second] = [await kept(later - half), await kept(later + half)];
		expect(await textOf(callOf(null, first, later))).toEqual([200, first.xml]);
		vi.setSystemTime(later + half + 1);
		expect(await textOf(callOf(null, second, later + half + 1))).toEqual([200, second.xml]);
		vi.useRealTimers();
	});
});
