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

describe('prices from public sources', () => {
	let tickers: TickerServer;
	let service: TestService;
	let partner: Credentials;

	beforeAll(async () => {
		tickers = await startTickerServer(PRICES);
		service = await startTestService({ PRICES: 'public', PRICE_SOURCE_URLS: JSON.stringify(tickers.baseUrls) });
		partner = await createPartner(service);
	});
	afterAll(async () => {
		await service?.local.stop();
		await tickers?.close();
	});

	const fromUsd = async () =>
		(await signed<{ from: { usd: string } }>(service, partner, '/api/v1/price', QUOTE)).data.from.usd;

	it('are the median of what the sources say', async () => {
		expect(await eventually('a price', fromUsd)).toBe('190.00');
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
	let node: Relay;
	let service: TestService;
	let partner: Credentials;

	beforeAll(async () => {
		node = await startRelay(null);
		await node.stop();
		service = await startTestService({ NODE_URL_ETHEREUM: node.url });
		partner = await createPartner(service);
	});
	afterAll(() => service?.local.stop());

	it('gives 11 for quotes and orders that need its network', async () => {
		const { status, text, headers } = await signed(service, partner, '/api/v1/price', QUOTE);
		expect([status, text]).toEqual([503, '{"code":11,"msg":"UPSTREAM_ERROR"}']);
		expect(headers.get('retry-after')).toBe('10');
		expect((await create(service, partner)).code).toBe(11);
		const back = { fromCcy: 'ETH', toCcy: 'LTC', amount: '0.1', toAddress: LTC_REFUND, refundAddress: ETH_RECIPIENT };
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
				.some(({ network }) => network === 'Ethereum'),
		);
	});
});
