/**
 * Tokens that are not listed go back where the operator asks for it, on real EVM nodes (anvil), the service in workerd: to who
 * sent them, at a bounded cost, whatever the token's code does. The books never differ.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AssetId, assetOf } from '../../src/catalog/assets.ts';
import { TEST_CHAIN_ID } from '../../src/chains/evm/params.ts';
import { toBaseUnits } from '../../src/money/units.ts';
import { straysView } from '../../src/orders/strays.ts';
import { type Anvil, fill, startAnvil } from '../support/anvil.ts';
import { isInstalled } from '../support/nodes.ts';
import type { CreatedOrder } from '../support/orders.ts';
import { endPauses } from '../support/pauses.ts';
import { PACE, SLOTS, type SweptEthereum, startSweptEthereum } from '../support/swept-ethereum.ts';
import { type ContractName, call, callData, installToken, installTokens, tokenBalance } from '../support/tokens.ts';

const ELSEWHERE = '0xe1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1e1';
const AMOUNT = 500_000_000n;
let made = 0;

interface Unlisted {
	readonly token: string;
	readonly to: string | null;
	readonly keptAt: string | null;
	readonly waits: string | null;
}

describe.skipIf(!isInstalled('anvil'))('a token that is not listed', { timeout: 300_000 }, () => {
	let world: SweptEthereum;
	let bsc: Anvil;
	beforeAll(async () => {
		bsc = await startAnvil({ chainId: TEST_CHAIN_ID, automine: false, slotsInAnEpoch: SLOTS });
		await installTokens(bsc, 'BSC');
		world = await startSweptEthereum({ variables: { NODE_URL_BSC: bsc.url, NODE_POLL_SECONDS_BSC: '1' } });
		await fill(bsc, world.hot);
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

	/** A new one, of which some lies at the order's address. */
	async function arrived(order: CreatedOrder, name: ContractName = 'Token', amount = AMOUNT, anvil = world.anvil) {
		const token: `0x${string}` = `0x70${(++made).toString(16).padStart(38, '0')}`;
		await installToken(anvil, 'USDCERC20', { address: token, name });
		const tx = await call(anvil, token, callData.mint(order.from.address, amount));
		await anvil.mine(12);
		await world.service.operator('order/find-stray', { id: order.id, tx });
		return token;
	}
	const back = ({ id }: CreatedOrder, asset: string, more = {}) =>
		world.service.operator<Unlisted>('order/return-stray', { id, asset, reason: 'asked', ...more });
	const rowOf = async ({ id }: CreatedOrder, token: string) => {
		const [row] = await world.service.sql<{ kept: number | null; asked: number | null; waits: string | null }>(
			'SELECT kept_at AS kept, asked_at AS asked, waits FROM unlisted_tokens WHERE order_id = ? AND token = ?',
			id,
			token,
		);
		return row;
	};
	const movesOf = ({ from }: CreatedOrder) =>
		world.service.sql<{ kind: string; state: string; settled: string | null; waits: string | null }>(
			`SELECT kind, state, settled_tx_id AS settled, waits_facts AS waits FROM transactions
			 WHERE pay_in_address = ? ORDER BY planned_at`,
			from.address,
		);
	const shown = async ({ id }: CreatedOrder) => {
		const [row] = await world.service.sql<{ strays: string }>('SELECT strays FROM orders WHERE id = ?', id);
		return straysView({ strays: JSON.parse(row?.strays ?? 'null'), refundAddress: world.payer.toLowerCase() });
	};
	const attention = async ({ id }: CreatedOrder) =>
		(await world.service.operator<{ subject: string; cause: string; todo: string }[]>('attention')).filter(
			({ subject }) => subject === id,
		);
	/** Blocks come on both chains, what is due is judged at once, and the books never differ. */
	const evenWhile = <T>(
		order: CreatedOrder,
		what: string,
		probe: () => Promise<T | null | undefined | false>,
		isRefused = false,
	) =>
		world.onAndOn(what, async () => {
			const found = await probe();
			await bsc.mine(PACE);
			if (isRefused) await endPauses(world.service);
			else await world.service.sql("UPDATE transactions SET next_attempt_at = 0 WHERE state = 'sent'");
			for (const network of ['Ethereum', 'BSC'])
				await world.service
					.object<{ findStrays(network: string, orderId: string): Promise<boolean> }>('CHAIN_AGENT', network)
					.findStrays(network, order.id);
			const { wallets, unsigned } = await world.service.operator<{
				wallets: { asset: string; result: string }[];
				unsigned: object[];
			}>('ledger/check');
			expect([...wallets.filter(({ result }) => result === 'differs'), ...unsigned]).toEqual([]);
			return found;
		});
	const ended = (order: CreatedOrder, token: string, isRefused = false) => {
		const probe = async () => {
			const row = await rowOf(order, token);
			return row?.asked === null && row;
		};
		return evenWhile(order, 'it to end', probe, isRefused);
	};

	it.each([
		['Token', AMOUNT],
		['SilentToken', AMOUNT],
		['TakingToken', (AMOUNT * 9n) / 10n],
	] as const)('as %s goes back whole to the refund address, once, and gas for it is ours', async (name, arrives) => {
		const order = await world.newOrder();
		const token = await arrived(order, name);
		expect((await attention(order))[0]?.todo).toContain(`\`order return-stray ${order.id} ${token} --reason T\``);
		expect(await back(order, token)).toMatchObject({ token, to: order.back?.address ?? world.payer, waits: null });
		await expect(back(order, token)).rejects.toThrow(/on its way/);
		expect(await ended(order, token)).toMatchObject({ waits: null, kept: expect.any(Number) });
		expect(await tokenBalance(world.anvil, token, world.payer)).toBe(arrives);
		expect(await movesOf(order)).toMatchObject([
			{ kind: 'gas', state: 'final' },
			{ kind: 'token', state: 'final', settled: null },
		]);
		expect(await shown(order)).toMatchObject([{ status: 'RETURNED', back: { tx: { id: expect.any(String) } } }]);
		expect(await attention(order)).toEqual([]);
		// The order goes on as any other.
		await world.pay(order);
		await world.expectExactBooks();
	});

	it('at a coin’s address waits until the order is over, and its gas is no part of a deposit', async () => {
		const order = await world.newOrder({ fromCcy: 'ETH', amount: '1' });
		const token = await arrived(order);
		await back(order, token);
		await world.anvil.mine(4);
		expect(await movesOf(order)).toEqual([]);
		await world.service.sql("UPDATE orders SET status = 'EXPIRED' WHERE id = ?", order.id);
		expect(await ended(order, token)).toMatchObject({ waits: null, kept: expect.any(Number) });
		expect(await tokenBalance(world.anvil, token, world.payer)).toBe(AMOUNT);
		expect(await world.service.sql('SELECT * FROM deposits WHERE order_id = ?', order.id)).toEqual([]);
		const value = toBaseUnits('1', 18);
		const to = order.from.address;
		await world.anvil.rpc('eth_sendTransaction', { from: world.payer, to, value: `0x${value.toString(16)}` });
		const late = await evenWhile(order, 'the late deposit', async () => {
			const [row] = await world.service.sql<{ amount: string; state: string }>(
				'SELECT amount, state FROM deposits WHERE order_id = ?',
				order.id,
			);
			return row?.state === 'final' && row;
		});
		expect(late.amount).toBe(value.toString());
		await world.expectExactBooks();
	});

	it('on another network goes to the address that the operator enters, which is none of ours', async () => {
		const order = await world.newOrder();
		const token = await arrived(order, 'Token', AMOUNT, bsc);
		await expect(back(order, token)).rejects.toThrow(/enter one on BSC/);
		await expect(back(order, token, { to: 'LTC' })).rejects.toThrow(/not an address on BSC/);
		await expect(back(order, token, { to: order.from.address })).rejects.toThrow(/own deposit address/);
		await back(order, token, { to: world.hot.toLowerCase() });
		expect(await ended(order, token, true)).toMatchObject({ waits: 'refused', kept: null });
		expect((await attention(order))[0]?.cause).toContain('the signer refused to send it back');
		await back(order, token, { to: ELSEWHERE });
		expect(await ended(order, token)).toMatchObject({ waits: null });
		expect(await tokenBalance(bsc, token, ELSEWHERE)).toBe(AMOUNT);
	});

	it.each(['RefusingToken', 'Frozen'] as const)(
		'whose contract refuses the transfer costs nothing, and waits with the reason: %s',
		async (how) => {
			const order = await world.newOrder();
			const token = await arrived(order, how === 'Frozen' ? 'Token' : how);
			if (how === 'Frozen') await call(world.anvil, token, callData.freeze(order.from.address, true));
			await world.anvil.mine(1);
			await back(order, token);
			expect(await ended(order, token)).toMatchObject({ waits: 'immovable', kept: null });
			expect(await movesOf(order)).toEqual([]);
			expect((await attention(order))[0]?.cause).toContain('its contract refuses the transfer');
		},
	);

	it('that burns its gas costs a bounded sum at each call, twice a day at most, and stops nothing else', async () => {
		const order = await world.newOrder();
		const token = await arrived(order, 'BurningToken');
		const before = BigInt(String(await world.anvil.rpc('eth_getBalance', world.hot, 'latest')));
		for (let tried = 0; tried < 2; tried++) {
			await back(order, token);
			expect(await ended(order, token)).toMatchObject({ waits: 'failed', kept: null });
		}
		const failed = (await movesOf(order)).filter(({ kind }) => kind === 'token');
		expect(failed).toHaveLength(2);
		expect(failed.every(({ settled }) => settled !== null)).toBe(true);
		await back(order, token);
		expect(await ended(order, token, true)).toMatchObject({ waits: 'refused' });
		const after = BigInt(String(await world.anvil.rpc('eth_getBalance', world.hot, 'latest')));
		expect(before - after).toBeLessThan(toBaseUnits('0.02', 18));
		// Its address is paid and swept as any other.
		await world.pay(order);
		await evenWhile(order, 'the sweep', async () => (await world.held(order)) === 0n, true);
		await world.expectExactBooks();
	});

	it('that is another name of a listed one stays where it is', async () => {
		const order = await world.newOrder();
		const token = await arrived(order, 'Token', 5n);
		await call(world.anvil, String(assetOf('USDTERC20').contract), callData.mint(order.from.address, 5n));
		await world.anvil.mine(2);
		await back(order, token);
		expect(await ended(order, token)).toMatchObject({ waits: 'immovable' });
		expect(await movesOf(order)).toEqual([]);
		expect(await tokenBalance(world.anvil, token, world.payer)).toBe(0n);
	});

	it('no row of D1 sends a listed asset, or anything to an address that no command has sealed', async () => {
		const order = await world.newOrder();
		await call(world.anvil, String(assetOf('USDCERC20').contract), callData.mint(order.from.address, AMOUNT));
		await world.service.sql("UPDATE orders SET status = 'EXPIRED' WHERE id = ?", order.id);
		const token = await arrived(order);
		await back(order, token);
		expect(await ended(order, token)).toMatchObject({ waits: null });
		const listed = String(assetOf('USDCERC20').contract).toLowerCase();
		const forge = async (token: string, to: string) => {
			await world.service.sql(
				`INSERT OR REPLACE INTO unlisted_tokens (network, address, token, order_id, amount, found_at, to_address, to_seal, asked_at)
				 SELECT 'Ethereum', pay_in_address, ?2, id, '1', 0, ?3, seal, ?4 FROM orders WHERE id = ?1`,
				order.id,
				token,
				to,
				Date.now(),
			);
			return ended(order, token, true);
		};
		expect(await forge(token, ELSEWHERE)).toMatchObject({ waits: 'immovable' });
		await call(world.anvil, token, callData.mint(order.from.address, AMOUNT));
		await world.anvil.mine(2);
		expect(await forge(token, ELSEWHERE)).toMatchObject({ waits: 'refused' });
		expect(await forge(listed, ELSEWHERE)).toMatchObject({ waits: expect.any(String) });
		expect(await tokenBalance(world.anvil, token, ELSEWHERE)).toBe(0n);
		expect(await tokenBalance(world.anvil, 'USDCERC20' as AssetId, ELSEWHERE)).toBe(0n);
	});
});
