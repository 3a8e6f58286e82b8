/**
 * A transaction that somebody names because its coins do not show, on two real EVM nodes (anvil): what it gave is found where the
 * look has not found it, tokens that are not listed are shown and stay out of the books, and what strangers claim is nothing.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { assetOf } from '../../src/catalog/assets.ts';
import { TEST_CHAIN_ID } from '../../src/chains/evm/params.ts';
import { toBaseUnits } from '../../src/money/units.ts';
import { straysView } from '../../src/orders/strays.ts';
import { type Anvil, fill, startAnvil } from '../support/anvil.ts';
import { isInstalled } from '../support/nodes.ts';
import type { CreatedOrder } from '../support/orders.ts';
import { endPauses } from '../support/pauses.ts';
import { PACE, SLOTS, type SweptEthereum, startSweptEthereum } from '../support/swept-ethereum.ts';
import { call, callData, installToken, installTokens } from '../support/tokens.ts';

const UNKNOWN_TOKEN = '0x7070707070707070707070707070707070707070';
const LYING_TOKEN = '0x7171717171717171717171717171717171717171';

interface Found {
	readonly looked: string[];
	readonly transaction?: {
		network: string;
		found: string;
		asset: string | null;
		token: string | null;
		amount: string;
	}[];
	readonly strays: { network: string; asset: string; came: string }[];
	readonly unlisted?: { network: string; token: string; smallestUnits: string; keptAt: string | null }[];
}

describe.skipIf(!isInstalled('anvil'))('a transaction that is named', { timeout: 300_000 }, () => {
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
		await installToken(world.anvil, 'USDCERC20', { address: UNKNOWN_TOKEN, symbol: 'USDC' });
		await installToken(world.anvil, 'USDCERC20', { address: LYING_TOKEN, name: 'LyingToken', symbol: 'USDC' });
	}, 300_000);
	afterAll(async () => {
		await world?.stop();
		await bsc?.stop();
	});

	const named = ({ id }: CreatedOrder, tx: string, more = {}) =>
		world.service.operator<Found>('order/find-stray', { id, tx, ...more });
	const expectEven = async () => {
		const { wallets } = await world.service.operator<{ wallets: { asset: string; result: string }[] }>('ledger/check');
		expect(wallets.filter(({ result }) => result === 'differs')).toEqual([]);
	};
	const attention = async () => {
		const rows = await world.service.operator<{ subject: string; cause: string; todo: string }[]>('attention');
		return (id: string) => rows.filter(({ subject }) => subject === id);
	};

	it('of an old order on another network is found there, and goes back', async () => {
		const order = await world.newOrder();
		// No look in turn comes by any more.
		await world.service.sql('UPDATE orders SET expires_at = 1000, status = ? WHERE id = ?', 'EXPIRED', order.id);
		const amount = toBaseUnits('400', 18);
		const txId = await call(bsc, String(assetOf('USDTBEP20').contract), callData.mint(order.from.address, amount));
		expect((await named(order, txId)).transaction).toContainEqual(
			expect.objectContaining({ network: 'BSC', found: 'no block holds it yet' }),
		);
		await bsc.mine(20);
		// As an explorer's page has it, in capitals.
		const found = await named(order, `https://bscscan.com/tx/0x${txId.slice(2).toUpperCase()}#eventlog`);
		expect(found.looked).toEqual(expect.arrayContaining(['Ethereum', 'BSC']));
		expect(found.transaction).toContainEqual(
			expect.objectContaining({ network: 'BSC', asset: 'USDTBEP20', amount: '400' }),
		);
		expect(found.transaction).toContainEqual(
			expect.objectContaining({ network: 'Ethereum', found: 'the node knows no such transaction' }),
		);
		expect(found.strays).toMatchObject([{ network: 'BSC', asset: 'USDTBEP20', came: '400' }]);
		// Named again, nothing more is recorded.
		expect((await named(order, txId)).strays).toMatchObject([{ came: '400' }]);
		await world.onAndOn('the return', async () => {
			await bsc.mine(PACE);
			await endPauses(world.service);
			await expectEven();
			const sent = "SELECT 1 FROM transactions WHERE kind = 'stray' AND state = 'final' AND pay_in_address = ?";
			return (await world.service.sql(sent, order.from.address)).length === 1;
		});
	});

	it('of a token that is not listed is shown to operator and partner, moves nothing, and is decided once', async () => {
		const order = await world.newOrder();
		const txId = await call(world.anvil, UNKNOWN_TOKEN, callData.mint(order.from.address, 500_000_000n));
		await world.anvil.mine(12);
		const found = await named(order, txId);
		expect(found.transaction).toContainEqual({
			network: 'Ethereum',
			found: 'a token that this service does not know',
			asset: null,
			token: UNKNOWN_TOKEN,
			amount: '500000000 smallest units',
		});
		expect(found.strays).toEqual([]);
		expect(found.unlisted).toMatchObject([{ network: 'Ethereum', token: UNKNOWN_TOKEN, smallestUnits: '500000000' }]);
		await expectEven();
		const [waiting] = (await attention())(order.id);
		expect(waiting?.cause).toContain(`a token that this service does not know came to its address on Ethereum`);
		expect(waiting?.todo).toContain(`\`order keep-stray ${order.id} ${UNKNOWN_TOKEN} --reason T\``);
		expect(await shown(order)).toEqual([
			{
				code: null,
				token: UNKNOWN_TOKEN,
				network: 'Ethereum',
				amount: '500000000',
				status: 'HELD',
				back: { address: world.payer.toLowerCase(), tx: { id: null, amount: null } },
			},
		]);
		await world.service.operator('order/keep-stray', { id: order.id, token: UNKNOWN_TOKEN, reason: 'worth nothing' });
		expect((await attention())(order.id)).toEqual([]);
		expect(await shown(order)).toMatchObject([{ status: 'KEPT' }]);
		expect(await world.service.sql('SELECT 1 FROM transactions WHERE pay_in_address = ?', order.from.address)).toEqual(
			[],
		);
	});

	const shown = async ({ id }: CreatedOrder) => {
		const [row] = await world.service.sql<{ strays: string }>('SELECT strays FROM orders WHERE id = ?', id);
		return straysView({ strays: JSON.parse(row?.strays ?? 'null'), refundAddress: world.payer.toLowerCase() });
	};

	it('that only claims to have paid, pays somebody else, or is none, is recorded nowhere', async () => {
		const order = await world.newOrder();
		const other = await world.newOrder();
		const lie = await call(world.anvil, LYING_TOKEN, callData.claim(order.from.address, 900_000_000n));
		const elsewhere = await call(world.anvil, UNKNOWN_TOKEN, callData.mint(other.from.address, 5n));
		await world.anvil.mine(12);
		for (const tx of [lie, elsewhere]) {
			const { transaction, unlisted } = await named(order, tx, { network: 'Ethereum' });
			expect(transaction).toMatchObject([
				{ asset: null, token: null, found: expect.stringContaining('gave the order’s address nothing') },
			]);
			expect(unlisted).toBeUndefined();
		}
		await expect(named(order, 'my payment')).rejects.toThrow(/no transaction id/);
		await expect(
			world.service.operator('order/keep-stray', { id: order.id, token: UNKNOWN_TOKEN, reason: 'none' }),
		).rejects.toThrow(/is known/);
		expect(await world.service.sql('SELECT 1 FROM strays WHERE order_id = ?', order.id)).toEqual([]);
	});

	it('of the order’s own asset is its payment, and no stray', async () => {
		const order = await world.newOrder();
		const txId = await call(
			world.anvil,
			String(assetOf('USDTERC20').contract),
			callData.mint(order.from.address, 300_000_000n),
		);
		await world.anvil.mine(12);
		const { transaction, strays } = await named(order, txId, { network: 'Ethereum' });
		expect(transaction).toMatchObject([
			{ asset: 'USDTERC20', amount: '300', found: expect.stringContaining('a payment of this order') },
		]);
		expect(strays).toEqual([]);
	});

	it('with tokens without end leaves ten rows of an order', async () => {
		const order = await world.newOrder();
		for (let made = 0; made < 12; made++) {
			const address = `0x${(0x7272 + made).toString(16).padStart(40, '0')}`;
			await installToken(world.anvil, 'USDCERC20', { address });
			const txId = await call(world.anvil, address, callData.mint(order.from.address, 1n));
			await world.anvil.mine(2);
			await named(order, txId, { network: 'Ethereum' });
		}
		const rows = await world.service.sql('SELECT 1 FROM unlisted_tokens WHERE order_id = ?', order.id);
		expect(rows).toHaveLength(10);
	});
});
