/**
 * A node or price source that is down, slow or wrong stops nothing else, shows in the logs, and gives 11 only where the
 * contract says so.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Relay, startRelay } from '../support/anvil.ts';
import { create, ETH_RECIPIENT, LTC_REFUND, readOrder, untilStatus } from '../support/orders.ts';
import { type Credentials, call, createPartner, signed } from '../support/partner.ts';
import { eventually, startTestService, type TestService } from '../support/service.ts';
import { startTickerServer, type TickerServer } from '../support/ticker-server.ts';

const QUOTE = { type: 'float', fromCcy: 'LTC', toCcy: 'ETH', direction: 'from', amount: '2' };
const PRICES = { BTC: '95000', ETH: '3200', BNB: '900', LTC: '95', POL: '0.25', AVAX: '20', DASH: '45', USDT: '1' };

let tickers: TickerServer;
let node: Relay;
let service: TestService;
let partner: Credentials;

const fromUsd = async () =>
	(await signed<{ from: { usd: string } }>(service, partner, '/api/v1/price', QUOTE)).data?.from.usd;

/** Prices are public, and of all networks only Polygon is on a node, which is down. */
beforeAll(async () => {
	tickers = await startTickerServer(PRICES);
	node = await startRelay(null);
	await node.stop();
	service = await startTestService({
		PRICES: 'public',
		PRICE_SOURCE_URLS: JSON.stringify(tickers.baseUrls),
		NODE_URL_POLYGON: node.url,
	});
	partner = await createPartner(service);
	// With public prices the start does not wait for a quote.
	await eventually('a price', fromUsd);
});
afterAll(async () => {
	await service?.local.stop();
	await tickers?.close();
});

describe('prices from public sources', () => {
	it('are the median of what the sources say', async () => {
		expect(await fromUsd()).toBe('190.00');
	});

	it('move with the sources, while one of them is absurd, one absent and one answers nonsense', async () => {
		tickers.setManner('kraken', 'tenfold');
		tickers.setManner('coinbase', 'hangs-up');
		tickers.setManner('okx', 'html');
		tickers.setPrices({ ...PRICES, LTC: '100' });
		await eventually('the new price', async () => (await fromUsd()) === '200.00', 30_000);
		await eventually('the failing sources in the log', async () => {
			const failed = service.logged('price_source_failed').map(({ source }) => source);
			return failed.includes('coinbase') && failed.includes('okx');
		});
	});

	it('settle a swap: the signer reads the sources itself', async () => {
		const { data: order } = await create(service, partner);
		await service.operator('sandbox/deposit', { orders: [order.id] });
		await untilStatus(service, partner, order, 'DONE');
	});
});

describe('a node that is down', () => {
	it('gives 11 for quotes and orders that need its network', async () => {
		// Of the coin itself there is a price.
		const prices = await service.operator<{ coin: string; usd: string | null }[]>('price/list');
		expect(prices.find(({ coin }) => coin === 'POL')).toMatchObject({ usd: '0.25', fresh: true });
		const { status, text, headers } = await signed(service, partner, '/api/v1/price', { ...QUOTE, toCcy: 'POL' });
		expect([status, text]).toEqual([503, '{"code":11,"msg":"UPSTREAM_ERROR"}']);
		expect(headers.get('retry-after')).toBe('10');
		expect((await create(service, partner, { toCcy: 'POL' })).code).toBe(11);
		const back = { fromCcy: 'POL', toCcy: 'LTC', amount: '400', toAddress: LTC_REFUND, refundAddress: ETH_RECIPIENT };
		expect((await create(service, partner, back)).code).toBe(11);
	});

	it('stops nothing else: other networks swap, the catalog is served', async () => {
		const { data: order } = await create(service, partner, {
			toCcy: 'DASH',
			toAddress: 'XoJA8qE3N2Y3jMLEtZ3vcN42qseZ8LvFf5',
		});
		await service.operator('sandbox/deposit', { orders: [order.id] });
		await untilStatus(service, partner, order, 'DONE');
		expect((await readOrder(service, partner, order)).to.code).toBe('DASH');
		expect((await call(service, '/api/v1/currencies', '{}')).code).toBe(0);
	});

	it('shows in the logs, by its network', async () => {
		await eventually('the log', async () =>
			service
				.logged('poll_failed')
				.concat(service.logged('poll_part_failed'))
				.some(({ network }) => network === 'Polygon'),
		);
	});
});
