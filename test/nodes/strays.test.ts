/**
 * Coins of another asset or network at an order's address go back, on real EVM nodes (anvil), the service in workerd. While
 * they move, `ledger check` never differs.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AssetId, assetOf } from '../../src/catalog/assets.ts';
import { TEST_CHAIN_ID } from '../../src/chains/evm/params.ts';
import { keyRing } from '../../src/crypto/key-ring.ts';
import { toBaseUnits } from '../../src/money/units.ts';
import { sealStray } from '../../src/orders/seal.ts';
import { type Anvil, askAnvil, fill, startAnvil } from '../support/anvil.ts';
import type { CreatedOrder } from '../support/orders.ts';
import { endPauses } from '../support/pauses.ts';
import { eventually } from '../support/service.ts';
import { PACE, SLOTS, type SweptEthereum, startSweptEthereum } from '../support/swept-ethereum.ts';
import { call, callData, installContract, installTokens, tokenBalance } from '../support/tokens.ts';

const ETHER = toBaseUnits('1', 18);
const ELSEWHERE = '0xe1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1';

interface StrayLine {
	readonly asset: string;
	readonly counted: string;
	readonly taken: string;
	readonly waits: string | null;
}

describe('coins of another asset or network', () => {
	let world: SweptEthereum;
	let bsc: Anvil;
	beforeAll(async () => {
		bsc = await startAnvil({ chainId: TEST_CHAIN_ID, automine: false, slotsInAnEpoch: SLOTS });
		await installTokens(bsc, 'BSC');
		world = await startSweptEthereum({ variables: { NODE_URL_BSC: bsc.url, NODE_POLL_SECONDS_BSC: '1' } });
		await fill(bsc, world.hot);
		// What is put into a wallet while its coins move is booked in parts: here it is there before.
		await world.onAndOn('the reserves to be booked', async () => {
			await bsc.mine(PACE);
			const booked = await world.service.sql<{ asset: string }>('SELECT DISTINCT asset FROM reserve_entries');
			return ['ETH', 'BNB'].every((asset) => booked.some((entry) => entry.asset === asset));
		});
	}, 300_000);
	afterAll(async () => {
		await world?.stop();
		await bsc?.stop();
	});

	const agentOf = (network: string) =>
		world.service.object<{
			findStrays(network: string, orderId: string): Promise<boolean>;
			wake(network: string): Promise<void>;
		}>('CHAIN_AGENT', network);
	const find = ({ id }: CreatedOrder, network = 'Ethereum') => agentOf(network).findStrays(network, id);
	const straysOf = ({ id }: CreatedOrder) =>
		world.service.sql<StrayLine>(
			'SELECT asset, counted, taken, waits FROM strays WHERE order_id = ? ORDER BY asset',
			id,
		);
	const minted = (anvil: Anvil, asset: AssetId, to: string, amount: bigint) =>
		call(anvil, String(assetOf(asset).contract), callData.mint(to, amount));
	const coinsOf = async (anvil: Anvil, address: string) =>
		BigInt(String(await anvil.rpc('eth_getBalance', address, 'latest')));
	const paid = (order: CreatedOrder, asset: string, to: string) =>
		world.service.sql<{ amount: string }>(
			"SELECT amount FROM transactions WHERE kind = 'stray' AND state = 'final' AND asset = ? AND to_address = ? AND pay_in_address = ?",
			asset,
			to,
			order.from.address,
		);

	/** While it waits, blocks come on both chains, pauses of up to a minute are over, and the books never differ. */
	const evenWhile = <T>(what: string, probe: () => Promise<T | null | undefined | false>) =>
		world.onAndOn(what, async () => {
			const found = await probe();
			await bsc.mine(PACE);
			await endPauses(world.service);
			const { wallets } = await world.service.operator<{ wallets: { asset: string; result: string }[] }>(
				'ledger/check',
			);
			expect(wallets.filter(({ result }) => result === 'differs')).toEqual([]);
			return found;
		});

	it('USDC that came to the address of a USDT order goes back to the refund address, less its cost, once', async () => {
		const order = await world.newOrder();
		const before = await tokenBalance(world.anvil, 'USDCERC20', world.payer);
		await minted(world.anvil, 'USDCERC20', order.from.address, 500_000_000n);
		await world.anvil.mine(12);
		// Two at once are one.
		await Promise.all([find(order), find(order), agentOf('Ethereum').wake('Ethereum')]);
		expect(await straysOf(order)).toMatchObject([{ asset: 'USDCERC20', counted: '500000000' }]);
		await evenWhile('the return to be final', async () => (await paid(order, 'USDCERC20', world.payer))[0]);
		const back = (await tokenBalance(world.anvil, 'USDCERC20', world.payer)) - before;
		expect(back).toBeLessThan(500_000_000n);
		expect(back).toBeGreaterThan(480_000_000n);
		await find(order);
		expect(await straysOf(order)).toEqual([
			{ asset: 'USDCERC20', counted: '500000000', taken: '500000000', waits: null },
		]);
		// More of it is another stray.
		await minted(world.anvil, 'USDCERC20', order.from.address, 300_000_000n);
		await world.anvil.mine(2);
		await find(order);
		await evenWhile('the second return', async () => (await paid(order, 'USDCERC20', world.payer))[1]);
		expect((await tokenBalance(world.anvil, 'USDCERC20', world.payer)) - before).toBeGreaterThan(780_000_000n);
		await world.expectExactBooks('ETH', 'USDCERC20', 'USDTERC20');
	}, 300_000);

	it('what belongs to the order is no stray', async () => {
		const order = await world.newOrder();
		await world.pay(order);
		await find(order);
		expect(await straysOf(order)).toEqual([]);
	}, 300_000);

	it('the coin at a token\u2019s address goes back, and the gas that is ours stays', async () => {
		const order = await world.newOrder();
		const before = await coinsOf(world.anvil, world.payer);
		const to = order.from.address;
		await world.anvil.rpc('eth_sendTransaction', { from: world.payer, to, value: `0x${ETHER.toString(16)}` });
		await world.anvil.mine(12);
		await find(order);
		expect(await straysOf(order)).toMatchObject([{ asset: 'ETH', counted: ETHER.toString() }]);
		await evenWhile('the coin to go back', async () => (await paid(order, 'ETH', world.payer))[0]);
		const lost = before - (await coinsOf(world.anvil, world.payer));
		expect(lost).toBeLessThan(ETHER / 50n);
		await find(order);
		expect(await straysOf(order)).toMatchObject([{ counted: ETHER.toString(), taken: ETHER.toString() }]);
		await world.expectExactBooks();
	}, 300_000);

	it('a sweep that becomes final while a look reads the balances is counted once', async () => {
		const order = await world.newOrder();
		const to = order.from.address;
		await world.anvil.rpc('eth_sendTransaction', { from: world.payer, to, value: `0x${ETHER.toString(16)}` });
		await world.anvil.mine(12);
		await find(order);
		const sweepIs = async (state: string) => {
			await world.wake(order);
			const [sweep] = await world.service.sql<{ state: string }>(
				"SELECT state FROM transactions WHERE kind = 'sweep' AND asset = 'ETH' AND pay_in_address = ?",
				to,
			);
			return sweep?.state === state;
		};
		await eventually('the sweep to be sent', () => sweepIs('sent'));
		const [reading, answering] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
		// The node has read the balances of the look, and its answer takes long.
		let isHeld = false;
		world.relay.intercept(async ({ method, params }) => {
			const [call] = params as [{ data?: string } | undefined];
			const isNative = call?.data?.startsWith('0x6028') && call.data.toLowerCase().includes(to.slice(2).toLowerCase());
			if (isHeld || method !== 'eth_call' || !isNative) return undefined;
			isHeld = true;
			const result = await askAnvil(world.anvil.url, method, params);
			reading.resolve();
			await answering.promise;
			return { result };
		});
		const looking = find(order);
		await reading.promise;
		await world.onAndOn('the sweep to be final', () => sweepIs('final'));
		answering.resolve();
		await looking;
		world.relay.intercept(() => undefined);
		expect(await straysOf(order)).toMatchObject([{ asset: 'ETH', counted: ETHER.toString() }]);
		await evenWhile('the coin to go back', async () => (await paid(order, 'ETH', world.payer))[0]);
		await world.expectExactBooks();
	}, 300_000);

	it('a token at a coin\u2019s address goes back when the order has ended, and the gas for it is no deposit', async () => {
		const order = await world.newOrder({ fromCcy: 'ETH', amount: '1' });
		const to = order.from.address;
		await minted(world.anvil, 'USDCERC20', to, 500_000_000n);
		await world.anvil.mine(12);
		await find(order);
		await world.anvil.mine(2);
		expect(await straysOf(order)).toMatchObject([{ asset: 'USDCERC20', taken: '0' }]);
		await world.service.sql("UPDATE orders SET status = 'EXPIRED' WHERE id = ?", order.id);
		await world.service.sql('UPDATE strays SET due_at = 0 WHERE order_id = ?', order.id);
		await find(order);
		await evenWhile('the token to go back', async () => (await paid(order, 'USDCERC20', world.payer))[0]);
		expect(await world.service.sql('SELECT * FROM deposits WHERE order_id = ?', order.id)).toEqual([]);
		// What the payer sends late is a deposit, all of it.
		await world.anvil.rpc('eth_sendTransaction', { from: world.payer, to, value: `0x${ETHER.toString(16)}` });
		const late = await evenWhile('the late deposit', async () => {
			const [row] = await world.service.sql<{ amount: string; state: string }>(
				'SELECT amount, state FROM deposits WHERE order_id = ?',
				order.id,
			);
			return row?.state === 'final' && row;
		});
		expect(late.amount).toBe(ETHER.toString());
		await world.expectExactBooks('ETH', 'USDCERC20', 'USDTERC20');
	}, 300_000);

	it('coins on another network with the same address go back there', async () => {
		const order = await world.newOrder();
		const amount = toBaseUnits('400', 18);
		await minted(bsc, 'USDTBEP20', order.from.address, amount);
		await bsc.mine(20);
		expect(await find(order, 'BSC')).toBe(true);
		expect(await straysOf(order)).toMatchObject([{ asset: 'USDTBEP20', counted: amount.toString() }]);
		await evenWhile('the return', async () => (await paid(order, 'USDTBEP20', world.payer))[0]);
		expect(await tokenBalance(bsc, 'USDTBEP20', world.payer)).toBeGreaterThan(amount - toBaseUnits('5', 18));
	}, 300_000);

	it('a refund address that is a contract waits for a person there, and goes where they say', async () => {
		const wallet = '0x5afe5afe5afe5afe5afe5afe5afe5afe5afe5afe';
		await installContract(world.anvil, 'Wallet', wallet);
		await world.anvil.mine(1);
		const order = await world.newOrder({ refundAddress: wallet });
		await minted(bsc, 'USDCBEP20', order.from.address, toBaseUnits('400', 18));
		await bsc.mine(20);
		await find(order, 'BSC');
		await evenWhile('it to wait', async () => (await straysOf(order))[0]?.waits === 'contract');
		const [row] = await world.service.sql<{ foundAt: number }>(
			'SELECT found_at AS foundAt FROM strays WHERE order_id = ?',
			order.id,
		);
		const terms = { orderId: order.id, network: 'BSC' as const, asset: 'USDCBEP20', to: ELSEWHERE };
		const seal = await sealStray(keyRing(world.service.local.secrets, 'SEAL_KEY'), {
			...terms,
			at: Number(row?.foundAt),
		});
		await world.service.sql(
			'UPDATE strays SET to_address = ?2, to_seal = ?3, due_at = 0 WHERE order_id = ?1',
			order.id,
			ELSEWHERE,
			seal,
		);
		await find(order, 'BSC');
		await evenWhile('the return', async () => (await paid(order, 'USDCBEP20', ELSEWHERE))[0]);
	}, 300_000);

	it('a return that is given up is planned again, and paid once', async () => {
		const order = await world.newOrder();
		const before = await tokenBalance(world.anvil, 'USDCERC20', world.payer);
		await minted(world.anvil, 'USDCERC20', order.from.address, 500_000_000n);
		await world.anvil.mine(12);
		await find(order);
		const planned = () =>
			world.service.sql<{ id: string; state: string }>(
				"SELECT id, state FROM transactions WHERE kind = 'stray' AND pay_in_address = ?",
				order.from.address,
			);
		// It stays planned.
		await world.service.sql(`CREATE TRIGGER stays AFTER INSERT ON transactions WHEN NEW.kind = 'stray'
			BEGIN UPDATE transactions SET next_attempt_at = 9000000000000 WHERE id = NEW.id; END`);
		const first = await evenWhile('the plan', async () => (await planned())[0]);
		expect(first.state).toBe('planned');
		await world.service.sql('DROP TRIGGER stays');
		// While a return is stopped, what comes beside it says why it does not go back.
		await world.service.sql(
			"UPDATE transactions SET blocked_kind = 'reverted', blocked_facts = '{}' WHERE id = ?",
			first.id,
		);
		const to = order.from.address;
		await world.anvil.rpc('eth_sendTransaction', { from: world.payer, to, value: `0x${ETHER.toString(16)}` });
		await world.anvil.mine(2);
		await find(order);
		await world.onAndOn('the coin to be judged', async () => {
			const coin = (await straysOf(order)).find(({ asset }) => asset === 'ETH');
			return coin?.waits === 'stopped';
		});
		await world.service.operator('payout/give-up', { id: first.id, reason: 'test' });
		await find(order);
		await evenWhile('the second', async () => (await paid(order, 'USDCERC20', world.payer))[0]);
		expect((await planned()).map(({ id }) => id)).not.toContain(first.id);
		expect((await tokenBalance(world.anvil, 'USDCERC20', world.payer)) - before).toBeLessThan(500_000_000n);
		await evenWhile('the coin to go back', async () => (await paid(order, 'ETH', world.payer))[0]);
	}, 300_000);
});
