/**
 * A network on which nothing is open is polled once a minute, and nobody waits for that: neither who pays nor who asks for
 * a price. Ethereum runs on anvil behind a relay that counts.
 */
import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Market } from '../../src/pricing/market.ts';
import { COIN, type Ethereum, startEthereum } from '../support/ethereum.ts';
import { installTokens } from '../support/evm-token.ts';
import { isInstalled } from '../support/nodes.ts';
import {
	type CreatedOrder,
	create,
	ETH_RECIPIENT,
	LTC_REFUND,
	PRICE,
	readOrder,
	untilStatus,
} from '../support/orders.ts';
import { type Credentials, createPartner, signed } from '../support/partner.ts';
import { eventually, startTestService, type TestService, takeBeyondReserve } from '../support/service.ts';

const PATIENCE = 120_000;
/** Less than the slow pace, so what comes within it came at the usual one; far more than that. */
const SOON = 30_000;
/** Several polls at the usual pace of a second. */
const SILENCE = 4_000;
const VARIABLES = { NODE_POLL_SECONDS_ETHEREUM: '1', NODE_IDLE_POLL_SECONDS_ETHEREUM: '60' };
const ETH_TO_LTC = { fromCcy: 'ETH', toCcy: 'LTC', amount: '1', toAddress: LTC_REFUND, refundAddress: ETH_RECIPIENT };

describe.skipIf(!isInstalled('anvil'))('Ethereum, with nothing open', () => {
	let ethereum: Ethereum;
	let service: TestService;
	let partner: Credentials;
	const start = (earlier?: string) =>
		startTestService({ NODE_URL_ETHEREUM: ethereum.relay.url, ...VARIABLES }, earlier);
	const newOrder = (): Promise<CreatedOrder> =>
		eventually(
			'an order to be taken',
			async () => {
				const answer = await create(service, partner, ETH_TO_LTC);
				return answer.code === 0 && answer.data;
			},
			PATIENCE,
		);
	const calls = () => ethereum.relay.calls.length;
	const untilSilent = () =>
		eventually(
			'the polls to become rare',
			async () => {
				// A sweep is open until it is final.
				await ethereum.anvil.mine(20);
				const before = calls();
				await sleep(SILENCE);
				return calls() === before;
			},
			PATIENCE,
		);
	const pay = async (order: CreatedOrder): Promise<void> => {
		await ethereum.pay(order.from.address, COIN);
		await untilStatus(service, partner, order, 'PENDING', SOON);
	};
	const untilFinal = (order: CreatedOrder) =>
		eventually(
			'the deposit to be final',
			async () => {
				await ethereum.anvil.mine(20);
				return ['EXCHANGE', 'DONE'].includes((await readOrder(service, partner, order)).status);
			},
			SOON,
		);

	beforeAll(async () => {
		ethereum = await startEthereum('Ethereum', 'regtest');
		await installTokens(ethereum.anvil);
		service = await start();
		partner = await createPartner(service, { weightPerMinute: 1_000_000 });
		await takeBeyondReserve(service, 'LTC', 'ETH');
	}, PATIENCE);
	afterAll(async () => {
		await service?.local.stop();
		await ethereum?.stop();
		if (service) rmSync(service.stateDirectory, { recursive: true, force: true });
	});

	it(
		'is asked seldom, and a deposit to a new order is seen as soon as ever',
		async () => {
			const first = await newOrder();
			await service.sql('UPDATE orders SET expires_at = 1 WHERE id = ?', first.id);
			await untilStatus(service, partner, first, 'EXPIRED', SOON);
			await untilSilent();
			const order = await newOrder();
			await pay(order);
			await untilFinal(order);
		},
		PATIENCE,
	);

	it(
		'quotes at once, and renews figures that are half a minute old for who asks',
		async () => {
			await untilSilent();
			const book = service.object<{ market(): Promise<Market> }>('RATE_BOOK', 'book');
			const before = (await book.market()).networks.Ethereum?.at ?? 0;
			await eventually('the figures to be half a minute old', async () => Date.now() - before > 31_000, PATIENCE);
			expect((await signed(service, partner, '/api/v1/price', PRICE)).code).toBe(0);
			const renewed = async () => ((await book.market()).networks.Ethereum?.at ?? 0) > before;
			await eventually('newer figures', renewed, SOON);
		},
		PATIENCE,
	);

	it(
		'keeps the usual pace for an open order after a restart',
		async () => {
			await untilSilent();
			await newOrder();
			await service.local.stop();
			service = await start(service.stateDirectory);
			const before = ethereum.relay.calls.filter(({ params }) => params[0] === 'finalized').length;
			const polls = () => ethereum.relay.calls.filter(({ params }) => params[0] === 'finalized').length - before;
			await eventually('several polls', async () => polls() > 3, SOON);
		},
		PATIENCE,
	);
});
