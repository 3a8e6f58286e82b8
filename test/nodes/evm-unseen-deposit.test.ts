/**
 * A second deposit of the coin to the address of an old order, which is seldom polled. A sweep of the first deposit comes
 * before the poll, and the node has pruned its states: only the balance can show the second deposit. On anvil, the service
 * in workerd.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { assetOf } from '../../src/catalog/assets.ts';
import { toBaseUnits } from '../../src/money/units.ts';
import { COIN, CUSTOMER, type Ethereum, startEthereum } from '../support/ethereum.ts';
import { type CreatedOrder, create, LTC_REFUND, untilStatus } from '../support/orders.ts';
import { type Credentials, createPartner } from '../support/partner.ts';
import { eventually, startTestService, type TestService } from '../support/service.ts';

const CONFIRMATIONS = 12;
/** States that the node keeps, as full nodes do. */
const KEPT_BLOCKS = 128;
/** Longest wait for a status, milliseconds: several polls on a busy machine. */
const PATIENCE = 60_000;

describe('a second deposit that no poll has seen', { timeout: 240_000 }, () => {
	let ethereum: Ethereum;
	let service: TestService;
	let partner: Credentials;

	beforeAll(async () => {
		ethereum = await startEthereum('Ethereum', 'regtest');
		ethereum.relay.intercept(async ({ method, params }) =>
			method === 'eth_call' && Number(params[1]) < (await ethereum.height()) - KEPT_BLOCKS
				? { error: { code: -32000, message: 'missing trie node' } }
				: undefined,
		);
		const variables = { NODE_URL_ETHEREUM: ethereum.relay.url, NODE_POLL_SECONDS_ETHEREUM: '1' };
		service = await startTestService(variables);
		partner = await createPartner(service, { weightPerMinute: 1_000_000 });
		await ethereum.pay(await service.hotAddress('Ethereum'), COIN);
	}, 120_000);
	afterAll(async () => {
		await service?.local.stop();
		await ethereum?.stop();
	});

	const swapped = async (wei: bigint): Promise<CreatedOrder> => {
		const terms = { fromCcy: 'ETH', toCcy: 'LTC', amount: '0.1', toAddress: LTC_REFUND, refundAddress: CUSTOMER };
		const order = await eventually(
			'an order',
			async () => {
				const { code, data } = await create(service, partner, terms);
				return code === 0 ? data : null;
			},
			PATIENCE,
		);
		await ethereum.pay(order.from.address, wei);
		await untilStatus(service, partner, order, 'PENDING', PATIENCE);
		await ethereum.anvil.mine(CONFIRMATIONS);
		await untilStatus(service, partner, order, 'DONE', PATIENCE);
		return order;
	};

	/** Polls leave its address out for now, as they do an old order's but for one in a hundred. */
	const watch = (order: CreatedOrder, isWatched: boolean) =>
		service.sql('UPDATE orders SET watch_until = ? WHERE id = ?', isWatched ? Date.now() * 2 : 1, order.id);

	const sweepOf = async (order: CreatedOrder, state: 'sent' | 'final') => {
		const [sweep] = await service.sql<{ amount: string; fee: string | null }>(
			"SELECT amount, fee FROM transactions WHERE kind = 'sweep' AND pay_in_address = ? AND state = ?",
			order.from.address,
			state,
		);
		return sweep;
	};

	it('stays at the address when the first one is swept, is seen there and can be sent back', async () => {
		const [first, second] = [toBaseUnits('0.1', assetOf('ETH').decimals), toBaseUnits('0.08', assetOf('ETH').decimals)];
		await service.operator('network/update', { name: 'Ethereum', send: false });
		const order = await swapped(first);
		await watch(order, false);
		await ethereum.pay(order.from.address, second);
		await ethereum.anvil.mine(1);
		await service.operator('network/update', { name: 'Ethereum', send: true });
		await service.sql('UPDATE sweep_candidates SET next_attempt_at = 0');
		await eventually('the sweep to be sent', () => sweepOf(order, 'sent'), PATIENCE);
		await ethereum.anvil.mine(KEPT_BLOCKS * 2);
		const swept = await eventually('the sweep to be final', () => sweepOf(order, 'final'), PATIENCE);
		expect(BigInt(swept.amount) + BigInt(swept.fee ?? 0)).toBeLessThanOrEqual(first);

		await watch(order, true);
		const found = await eventually(
			'the second deposit to be seen',
			async () => {
				const rows = await service.sql<{ amount: string }>('SELECT amount FROM deposits WHERE order_id = ?', order.id);
				return rows.length === 2 && rows;
			},
			PATIENCE,
		);
		expect(found.map(({ amount }) => BigInt(amount))).toEqual(expect.arrayContaining([first, second]));
		await ethereum.anvil.mine(CONFIRMATIONS);
		await eventually(
			'the refund to be planned',
			() => service.operator('order/refund', { id: order.id }).catch(() => false),
			PATIENCE,
		);
		await eventually(
			'the refund to be sent',
			async () => {
				const rows = await service.sql(
					"SELECT 1 FROM transactions WHERE order_id = ? AND kind = 'refund' AND state IN ('sent', 'final')",
					order.id,
				);
				return rows.length === 1;
			},
			PATIENCE,
		);
	});
});
