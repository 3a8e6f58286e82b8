/**
 * What comes to the addresses of archived orders is counted, shown and can be moved, on a real EVM node: by a look of its own, by
 * the operator's command, and by a transaction that a payer names.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { assetOf } from '../../src/catalog/assets.ts';
import { toBaseUnits } from '../../src/money/units.ts';
import { ageOrder, moveBent } from '../support/archived.ts';
import { isInstalled } from '../support/nodes.ts';
import type { CreatedOrder } from '../support/orders.ts';
import { DEEP, type SweptEthereum, startSweptEthereum, TOKEN_CONTRACT } from '../support/swept-ethereum.ts';
import { call, callData } from '../support/tokens.ts';

const SETUP_MILLISECONDS = 300_000;
const DAYS = 40;
const COIN = toBaseUnits('1', 18);
const USDC_CONTRACT = String(assetOf('USDCERC20').contract);

interface Found {
	readonly looked: string[];
	readonly transaction?: { network: string; found: string; asset: string | null }[];
	readonly ofNoOrder: { network: string; asset: string; came: string; atAddress: string }[];
}

describe.skipIf(!isInstalled('anvil'))('coins for an archived order', { timeout: SETUP_MILLISECONDS }, () => {
	let world: SweptEthereum;
	/** Paid and swept. */
	let done: CreatedOrder;
	/** Never paid. */
	let unpaid: CreatedOrder;

	beforeAll(async () => {
		world = await startSweptEthereum();
		done = await world.newOrder();
		unpaid = await world.newOrder();
		await world.pay(done);
		await world.onAndOn('the sweep', async () => {
			await world.wake(done);
			await world.anvil.mine(DEEP);
			return isArchivable(done);
		});
		await world.newOrder();
		await world.service.sql("UPDATE orders SET status = 'EXPIRED', holds_cap = 0 WHERE id = ?", unpaid.id);
		for (const order of [done, unpaid]) await ageOrder(world.service, order.id, DAYS);
		await moveBent(world.service, [done.id, unpaid.id], { before: Date.now() });
		// What it has added up of final sweeps it believes for 30 days, before which none is archived but here.
		type Agent = { copy(): Promise<unknown>; restore(copy: unknown): Promise<void> };
		const agent = world.service.object<Agent>('CHAIN_AGENT', 'Ethereum');
		await agent.restore(await agent.copy());
		const left = await world.service.sql('SELECT id FROM orders WHERE id IN (?, ?)', done.id, unpaid.id);
		expect(left).toEqual([]);
	}, SETUP_MILLISECONDS);
	afterAll(() => world?.stop());

	const isArchivable = async ({ id, from }: CreatedOrder) => {
		const { sql } = world.service;
		const open = "SELECT 1 FROM transactions WHERE state <> 'final' AND (order_id = ? OR pay_in_address = ?)";
		const swept = "SELECT 1 FROM transactions WHERE kind = 'sweep' AND pay_in_address = ?";
		await sql('UPDATE sweep_candidates SET next_attempt_at = 0 WHERE next_attempt_at > 0');
		const waiting = await sql('SELECT 1 FROM sweep_candidates WHERE order_id = ?', id);
		return (
			waiting.length === 0 &&
			(await sql(open, id, from.address)).length === 0 &&
			(await sql(swept, from.address)).length > 0
		);
	};
	const find = ({ id }: CreatedOrder, more = {}) => world.service.operator<Found>('order/find-stray', { id, ...more });
	const mint = ({ from }: CreatedOrder, contract: string, amount: bigint) =>
		call(world.anvil, contract, callData.mint(from.address, amount));
	const expectEven = async () => {
		const { wallets } = await world.service.operator<{ wallets: { asset: string; result: string }[] }>('ledger/check');
		expect(wallets.filter(({ result }) => result === 'differs')).toEqual([]);
	};
	const attention = async () =>
		(
			await world.service.operator<{ subject: string; amount: string; cause: string; todo: string }[]>('attention')
		).filter(({ cause }) => cause.includes('archived') || cause.includes('belongs to no order'));
	const overflowsOf = ({ id }: CreatedOrder) =>
		world.service.sql<{ asset: string; counted: string; swept: string }>(
			'SELECT asset, counted, swept FROM overflows WHERE order_id = ? ORDER BY asset',
			id,
		);

	it('is found by the look in turn, whatever it is, and named once per asset', async () => {
		await mint(unpaid, TOKEN_CONTRACT, 200_000_000n);
		await mint(unpaid, USDC_CONTRACT, 250_000_000n);
		await world.anvil.mine(12);
		await world.onAndOn('the look', async () => {
			await expectEven();
			return (await overflowsOf(unpaid)).length === 2;
		});
		expect(await overflowsOf(unpaid)).toEqual([
			{ asset: 'USDCERC20', counted: '250000000', swept: '0' },
			{ asset: 'USDTERC20', counted: '200000000', swept: '0' },
		]);
		await world.expectExactBooks('ETH', 'USDCERC20', 'USDTERC20');
		expect(await attention()).toMatchObject([
			{ subject: 'USDCERC20', amount: '250 USDCERC20', todo: expect.stringContaining(`order sweep ${unpaid.id}`) },
			{ subject: 'USDTERC20', amount: '200 USDTERC20', todo: expect.stringContaining(`order sweep ${unpaid.id}`) },
		]);
	});

	it('is found at once by the command, and by the transaction that its payer names', async () => {
		expect((await find(done)).ofNoOrder).toEqual([]);
		const txId = await mint(done, TOKEN_CONTRACT, 120_000_000n);
		await world.anvil.rpc('eth_sendTransaction', {
			from: world.payer,
			to: done.from.address,
			value: `0x${COIN.toString(16)}`,
		});
		await world.anvil.mine(12);
		const found = await find(done, { tx: txId });
		expect(found.transaction).toContainEqual(expect.objectContaining({ network: 'Ethereum', asset: 'USDTERC20' }));
		expect(found.looked).toContain('Ethereum');
		expect(found.ofNoOrder).toEqual([
			{ network: 'Ethereum', asset: 'ETH', came: '1', atAddress: '1' },
			{ network: 'Ethereum', asset: 'USDTERC20', came: '120', atAddress: '120' },
		]);
		await world.expectExactBooks('ETH', 'USDTERC20');
	});

	it('comes to the hot wallet when the operator asks for it, and is booked there', async () => {
		for (const order of [unpaid, done]) {
			await world.service.operator('order/sweep', { id: order.id, reason: 'the payer asks for it' });
			await world.onAndOn('the sweeps', async () => {
				await world.service.sql('UPDATE overflows SET due_at = 0 WHERE due_at > 0');
				await world.anvil.mine(DEEP);
				await expectEven();
				return (await overflowsOf(order)).every(({ counted, swept }) => counted === swept);
			});
		}
		const usdt = await world.service.operator<{ booked: string; left: string }>('treasury/book-unattributed', {
			asset: 'USDTERC20',
			amount: '320',
			reason: 'to pay it back by hand',
		});
		expect(usdt).toMatchObject({ booked: '320', left: '0' });
		await world.expectExactBooks('ETH', 'USDCERC20', 'USDTERC20');
		await expect(world.service.operator('order/sweep', { id: done.id, reason: 'again' })).rejects.toThrow(
			'nothing is known',
		);
	});
});
