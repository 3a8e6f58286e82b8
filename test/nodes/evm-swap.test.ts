/** Swaps of tokens on a real EVM node (anvil), the service in workerd; the other side is the sandbox's. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AssetId, assetOf } from '../../src/catalog/assets.ts';
import { toBaseUnits } from '../../src/money/units.ts';
import { CUSTOMER, type Ethereum, startEthereum } from '../support/ethereum.ts';
import { type CreatedOrder, create, LTC_REFUND, untilStatus } from '../support/orders.ts';
import { type Credentials, createPartner } from '../support/partner.ts';
import { eventually, startTestService, type TestService, takeBeyondReserve } from '../support/service.ts';
import { call, callData, installContract, installToken, tokenBalance } from '../support/tokens.ts';

const PAYER = '0x00000000000000000000000000000000000057a7';
const CONFIRMATIONS = 12;
/** Longest wait for a status, milliseconds: several polls on a busy machine. */
const PATIENCE = 60_000;

describe('a swap of tokens', () => {
	let ethereum: Ethereum;
	let service: TestService;
	let partner: Credentials;

	const units = (asset: AssetId, amount: string): bigint => toBaseUnits(amount, assetOf(asset).decimals);

	/** Waits until the service has found every contract as in the catalog, and reports the fee of each token. */
	const toTakeOrders = async (): Promise<void> => {
		for (const toCcy of ['USDTERC20', 'USDCERC20', 'DAIERC20'])
			await eventually(
				`orders to ${toCcy} to be taken`,
				async () => (await create(service, partner, { toCcy })).code === 0,
				PATIENCE,
			);
	};

	beforeAll(async () => {
		ethereum = await startEthereum('Ethereum', 'regtest');
		const variables = { NODE_URL_ETHEREUM: ethereum.relay.url, NODE_POLL_SECONDS_ETHEREUM: '1' };
		service = await startTestService(variables);
		await takeBeyondReserve(service, 'ETH', 'USDTERC20', 'USDCERC20', 'DAIERC20');
		partner = await createPartner(service, { weightPerMinute: 1_000_000 });
	});
	afterAll(async () => {
		await service?.local.stop();
		await ethereum?.stop();
	});

	const sell = async (fromCcy: AssetId, amount: string): Promise<CreatedOrder> =>
		(await create(service, partner, { fromCcy, toCcy: 'LTC', amount, toAddress: LTC_REFUND, refundAddress: CUSTOMER }))
			.data;

	it('is not taken while the node has other contracts than the catalog, and is as soon as it has them', async () => {
		await installToken(ethereum.anvil, 'USDTERC20', { name: 'SilentToken' });
		await installToken(ethereum.anvil, 'USDCERC20');
		await installToken(ethereum.anvil, 'DAIERC20', { decimals: 6 });
		await eventually('the node to be asked', async () =>
			service.logged('poll_part_failed').find((line) => JSON.stringify(line).includes('6 decimals, not 18')),
		);
		expect((await create(service, partner, { toCcy: 'USDCERC20' })).code).toBe(11);
		await installToken(ethereum.anvil, 'DAIERC20');
		await toTakeOrders();
	});

	it('turns a deposit of USDT into Litecoin', async () => {
		const order = await sell('USDTERC20', '190.000001');
		const txId = await ethereum.send('USDTERC20', order.from.address, units('USDTERC20', '190.000001'));
		const pending = await untilStatus(service, partner, order, 'PENDING', PATIENCE);
		expect(pending.from.tx).toEqual({ id: txId, amount: '190.000001' });
		await ethereum.anvil.mine(CONFIRMATIONS);
		const done = await untilStatus(service, partner, order, 'DONE', PATIENCE);
		expect(done.to.tx.amount).toBe(done.to.amount);
	});

	it.each(['USDCERC20', 'DAIERC20'] as const)('turns Litecoin into %s, to the last unit', async (asset) => {
		const hot = await service.hotAddress('Ethereum');
		await ethereum.pay(hot, 10n ** 18n);
		await ethereum.mint(asset, hot, units(asset, '1000'));
		const toAddress = ethereum.newAddress();
		const { data: order } = await create(service, partner, { toCcy: asset, toAddress, amount: '1.2345' });
		await service.operator('sandbox/deposit', { orders: [order.id] });
		const done = await untilStatus(service, partner, order, 'DONE', PATIENCE);
		await ethereum.anvil.mine(1);
		const received = await tokenBalance(ethereum.anvil, asset, toAddress);
		expect(received).toBe(units(asset, String(done.to.tx.amount)));
		// 1.2345 LTC at 95 USD, less half a percent and a network fee that is paid in Ether and shown in the token.
		expect(Number(done.to.tx.amount)).toBeGreaterThan(110);
		expect(Number(done.to.tx.amount)).toBeLessThan(1.2345 * 95 * 0.995);
		expect(Number(order.networkFee)).toBeGreaterThan(0);
	});

	it('is found when a contract pays several orders in one transaction', async () => {
		const orders = [await sell('DAIERC20', '190'), await sell('DAIERC20', '190')];
		await installContract(ethereum.anvil, 'Payer', PAYER);
		await ethereum.mint('DAIERC20', PAYER, units('DAIERC20', '380'));
		const addresses = orders.map(({ from }) => from.address);
		const txId = await call(ethereum.anvil, PAYER, callData.payAll('DAIERC20', addresses, units('DAIERC20', '190')));
		await ethereum.anvil.mine(1);
		for (const order of orders) {
			const pending = await untilStatus(service, partner, order, 'PENDING', PATIENCE);
			expect(pending.from.tx).toEqual({ id: txId, amount: '190' });
		}
		await ethereum.anvil.mine(CONFIRMATIONS);
		for (const order of orders) await untilStatus(service, partner, order, 'DONE', PATIENCE);
	});
});
