/**
 * What comes to a pay-in address beyond the deposits on record is in the books at every moment, on a real node: while it
 * lies there, while it is swept, and afterwards.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toBaseUnits } from '../../src/money/units.ts';
import { DUST_PER_ORDER } from '../../src/treasury/deposits/watch-list.ts';
import { isInstalled } from '../support/nodes.ts';
import type { CreatedOrder } from '../support/orders.ts';
import { DEEP, HOUR, type SweptEthereum, startSweptEthereum, TOKEN_CONTRACT } from '../support/swept-ethereum.ts';
import { call, callData } from '../support/tokens.ts';

const DUST = 1_000n;
const BEYOND = 7n;
const COIN = toBaseUnits('1', 18);
const SETUP_MILLISECONDS = 300_000;
const POLL_MILLISECONDS = 3_000;
/** Polls that come at once between two checks of the books, and about how long one takes. */
const POLLS_PER_CHECK = 10;
const POLLED_MILLISECONDS = 100;
const LONG_AGO = 40 * 24 * HOUR;

interface Wallet {
	readonly asset: string;
	readonly result: string;
	readonly difference: string;
	readonly leftBehind: string | null;
	readonly unrecorded: string | null;
}

describe.skipIf(!isInstalled('anvil'))('coins beyond the deposits on record', { timeout: SETUP_MILLISECONDS }, () => {
	let world: SweptEthereum;
	beforeAll(async () => {
		world = await startSweptEthereum();
		await world.onAndOn('the reserve to be booked', async () => {
			const booked = await world.service.sql("SELECT * FROM reserve_entries WHERE asset = 'ETH'");
			return booked.length > 0 && (await walletOf('ETH'))?.difference === '0';
		});
	}, SETUP_MILLISECONDS);
	afterAll(() => world?.stop());

	const walletOf = async (asset: string) =>
		(await world.service.operator<{ wallets: Wallet[] }>('ledger/check')).wallets.find((each) => each.asset === asset);
	/** While it waits, blocks come, and the books never differ. */
	const evenWhile = <T>(what: string, probe: () => Promise<T | null | undefined | false>) =>
		world.onAndOn(what, async () => {
			const found = await probe();
			const { wallets } = await world.service.operator<{ wallets: Wallet[] }>('ledger/check');
			expect(wallets.filter(({ result }) => result === 'differs')).toEqual([]);
			return found;
		});
	const overflowOf = async ({ id }: CreatedOrder) =>
		(await world.service.sql('SELECT counted, swept FROM overflows WHERE order_id = ?', id))[0];
	const rowOf = async ({ id }: CreatedOrder) =>
		(
			await world.service.sql<{ dust: number; status: string }>(
				'SELECT dust_count AS dust, status FROM orders WHERE id = ?',
				id,
			)
		)[0];
	const depositsOf = ({ id }: CreatedOrder) =>
		world.service.sql<{ amount: string; state: string }>('SELECT amount, state FROM deposits WHERE order_id = ?', id);
	const look = ({ id }: CreatedOrder) => world.service.operator('order/find-stray', { id });
	const named = async (asset: string) =>
		(await world.service.operator<{ subject: string; amount: string; todo: string }[]>('attention')).filter(
			({ subject, todo }) => subject === asset && todo.includes('book-unattributed'),
		);
	const mint = (order: CreatedOrder, amount: bigint) =>
		call(world.anvil, TOKEN_CONTRACT, callData.mint(order.from.address, amount));
	const payCoin = ({ from }: CreatedOrder, amount: bigint) =>
		world.anvil.rpc('eth_sendTransaction', { from: world.payer, to: from.address, value: `0x${amount.toString(16)}` });
	async function times(count: bigint, pay: () => Promise<unknown>): Promise<void> {
		for (let paid = 0n; paid < count; paid += 1n) await pay();
	}
	const isFlooded = async (order: CreatedOrder) => (await rowOf(order))?.dust === DUST_PER_ORDER;
	const sweepOf = async ({ from }: CreatedOrder) =>
		(
			await world.service.sql(
				"SELECT id FROM transactions WHERE kind = 'sweep' AND state = 'final' AND pay_in_address = ?",
				from.address,
			)
		)[0];
	/** As if its window had closed long ago. */
	const old = ({ id }: CreatedOrder) =>
		world.service.sql(
			'UPDATE orders SET expires_at = expires_at - ?2, watch_until = watch_until - ?2, created_at = created_at - ?2 WHERE id = ?1',
			id,
			LONG_AGO,
		);

	it('are counted where they lie, are swept with the token, and can then be booked once', async () => {
		const order = await world.newOrder();
		await times(BigInt(DUST_PER_ORDER), () => mint(order, DUST));
		await world.anvil.mine(1);
		await evenWhile('the dust to be recorded', () => isFlooded(order));
		await times(BEYOND, () => mint(order, DUST));
		await world.anvil.mine(12);
		expect(await walletOf('USDTERC20')).toMatchObject({ result: 'ok', unrecorded: '0.007' });
		await look(order);
		expect(await overflowOf(order)).toEqual({ counted: String(BEYOND * DUST), swept: '0' });
		expect(await walletOf('USDTERC20')).toMatchObject({ result: 'ok', difference: '0', unrecorded: null });
		expect(await named('USDTERC20')).toEqual([]);

		await world.pay(order);
		await evenWhile('the sweep', async () => {
			await world.wake(order);
			await world.anvil.mine(DEEP);
			return sweepOf(order);
		});
		await look(order);
		expect(await overflowOf(order)).toEqual({ counted: String(BEYOND * DUST), swept: String(BEYOND * DUST) });
		expect(await walletOf('USDTERC20')).toMatchObject({ difference: '0', leftBehind: null, unrecorded: null });
		expect(await named('USDTERC20')).toMatchObject([{ amount: '0.007 USDTERC20' }]);

		const before = await world.service.sql("SELECT * FROM reserve_entries WHERE asset = 'USDTERC20'");
		const booked = { asset: 'USDTERC20', amount: '0.007', reason: 'nobody asked' };
		expect(await world.service.operator('treasury/book-unattributed', booked)).toMatchObject({ left: '0' });
		await expect(world.service.operator('treasury/book-unattributed', booked)).rejects.toThrow('only 0 USDTERC20');
		expect(await named('USDTERC20')).toEqual([]);
		expect(await walletOf('USDTERC20')).toMatchObject({ difference: '0', leftBehind: null });
		// The hot wallet's own record has the sweep, and not the booking too.
		await call(world.anvil, TOKEN_CONTRACT, callData.mint(world.hot, 5_000_000n));
		await evenWhile('the reserve', async () => {
			const entries = await world.service.sql<{ amount: string }>(
				"SELECT amount FROM reserve_entries WHERE asset = 'USDTERC20' AND position = 'balance'",
			);
			return entries.length > before.length && entries.some(({ amount }) => amount === '5000000');
		});
		expect(await walletOf('USDTERC20')).toMatchObject({ difference: '0' });
	});

	it('are no difference where polls come by seldom, or before the next one', async () => {
		const agent = world.service.object<{ wake(network: string): Promise<void> }>('CHAIN_AGENT', 'Ethereum');
		const order = await world.newOrder();
		await mint(order, DUST);
		await world.anvil.mine(12);
		await evenWhile('the dust to be final', async () => (await depositsOf(order))[0]?.state === 'final');
		await world.service.sql(
			"UPDATE orders SET status = 'EXPIRED', expires_at = expires_at - ?2 WHERE id = ?1",
			order.id,
			2 * 24 * HOUR,
		);
		await new Promise((wait) => setTimeout(wait, POLL_MILLISECONDS));
		await mint(order, 5n * DUST);
		await world.anvil.mine(12);
		expect(await walletOf('USDTERC20')).toMatchObject({ result: 'ok', difference: '0', unrecorded: '0.005' });
		// One poll in a hundred asks for it: they come at once.
		await evenWhile('the poll that finds it', async () => {
			for (let polls = 0; polls < POLLS_PER_CHECK; polls++) {
				if ((await depositsOf(order)).length === 2) return true;
				await agent.wake('Ethereum');
				await new Promise((wait) => setTimeout(wait, POLLED_MILLISECONDS));
			}
			return false;
		});
		expect(await walletOf('USDTERC20')).toMatchObject({ result: 'ok', unrecorded: null });
	});

	it('a payment to an order that is watched no more is found, recorded, and waits for its way back', async () => {
		const order = await world.newOrder();
		const coin = await world.newOrder({ fromCcy: 'ETH', amount: '1' });
		await world.service.sql("UPDATE orders SET status = 'EXPIRED' WHERE id IN (?, ?)", order.id, coin.id);
		await old(order);
		await old(coin);
		// A poll that began before may still ask for them.
		await new Promise((wait) => setTimeout(wait, POLL_MILLISECONDS));
		await mint(order, 250_000_000n);
		await payCoin(coin, COIN);
		await world.anvil.mine(12);
		expect(await depositsOf(order)).toEqual([]);
		await look(order);
		await look(coin);
		for (const [each, amount] of [
			[order, '250000000'],
			[coin, COIN.toString()],
		] as const) {
			const [deposit] = await evenWhile('the deposit', async () => {
				await look(each);
				const found = await depositsOf(each);
				return found[0]?.state === 'final' && found;
			});
			expect(deposit?.amount).toBe(amount);
			await look(each);
			expect(await overflowOf(each)).toBeUndefined();
		}
		const waiting = await world.service.operator<{ subject: string; todo: string }[]>('attention');
		expect(waiting.filter(({ subject }) => subject === order.id)).toMatchObject([
			{ todo: expect.stringContaining(`order refund ${order.id}`) },
		]);
		await world.expectExactBooks();
	});

	it('of a coin stay at the address, counted, and hide no deposit that somebody deletes', async () => {
		const order = await world.newOrder({ fromCcy: 'ETH', amount: '1' });
		await times(BigInt(DUST_PER_ORDER), () => payCoin(order, DUST));
		await world.anvil.mine(1);
		await evenWhile('the dust to be recorded', () => isFlooded(order));
		await times(BEYOND, () => payCoin(order, DUST));
		await world.anvil.mine(12);
		await evenWhile('the look', async () => {
			await look(order);
			return overflowOf(order);
		});
		expect(await overflowOf(order)).toEqual({ counted: String(BEYOND * DUST), swept: '0' });
		expect(await world.service.operator('order/find-stray', { id: order.id })).toMatchObject({
			beyondDeposits: { came: '0.000000000000007', atAddress: '0.000000000000007' },
		});
		await evenWhile('the dust to be final', async () =>
			(await depositsOf(order)).every(({ state }) => state === 'final'),
		);
		// What somebody deletes is missing in the books, whatever else may lie there, or a poll has recorded it again.
		const [row] = await world.service.sql<{ tx: string }>(
			'SELECT tx_id AS tx FROM deposits WHERE order_id = ?',
			order.id,
		);
		await world.service.sql('DELETE FROM deposits WHERE order_id = ? AND tx_id = ?', order.id, row?.tx);
		const wallet = await walletOf('ETH');
		const { length } = await depositsOf(order);
		if (length < DUST_PER_ORDER) expect(wallet).toMatchObject({ result: 'differs', difference: '0.000000000000001' });
	});
});
