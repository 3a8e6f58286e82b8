/**
 * An attacker who can write KV changes neither quotes nor feeds. The service has just started, so its isolate has
 * nothing in memory and reads KV first.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { keyRing } from '../../src/crypto/key-ring.ts';
import { emptyFeed, type Feed } from '../../src/pricing/feed.ts';
import { FEED_KEY } from '../../src/pricing/feed-reader.ts';
import type { Market } from '../../src/pricing/market.ts';
import { MARKET_KEY } from '../../src/pricing/market-reader.ts';
import { keptSnapshot } from '../../src/pricing/snapshot-reader.ts';
import { call } from '../support/partner.ts';
import { eventually, serviceForFile } from '../support/service.ts';

const service = serviceForFile();
const QUOTE = '{"type":"float","fromCcy":"LTC","toCcy":"ETH","direction":"from","amount":"2"}';
const HOUR = 3_600_000;
/** Another secret than the deployment's. */
const NO_SEAL_KEY = 'A'.repeat(43);

describe('a cold isolate that finds in KV what an attacker has written', () => {
	let forged: Market;
	let forgedFeed: { at: number };

	beforeAll(async () => {
		const { object, cache } = service.current();
		const book = object<{ market(): Promise<Market>; feed(): Promise<Feed> }>('RATE_BOOK', 'book');
		await eventually('RateBook to render all networks', async () =>
			(await book.feed()).xml.includes('<from>LTC</from>'),
		);
		const market = await book.market();
		const prices = { ...market.prices, LTC: { usd: '1000000', at: Date.now() } };
		forged = { ...market, at: Date.now() + HOUR, prices, settings: { ...market.settings, baseFeeBps: 0 } };
		forgedFeed = await emptyFeed(Date.now() + HOUR);
		await cache.put(MARKET_KEY, JSON.stringify(forged));
		await cache.put(FEED_KEY, await keptSnapshot(keyRing({ SEAL_KEY: NO_SEAL_KEY }, 'SEAL_KEY'), FEED_KEY, forgedFeed));
	});

	it('quotes at the prices of RateBook, not of a snapshot without its seal', async () => {
		const { data } = await call<{ from: { usd: string } }>(service.current(), '/api/v1/price', QUOTE);
		expect(data.from.usd).toBe('190.00');
	});

	it('serves the feed that RateBook rendered, not one under another seal', async () => {
		const response = await fetch(`${service.current().url}/api/rates.xml`);
		expect(await response.text()).toContain('<from>LTC</from>');
	});
});
