/** What comes to addresses of ours and belongs to no deposit on record is in the books, on a real litecoind. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type LyingNode, startLyingNode } from '../support/lying-node.ts';
import { isInstalled } from '../support/nodes.ts';
import { type CreatedOrder, create } from '../support/orders.ts';
import { eventually } from '../support/service.ts';
import { flood } from '../support/utxo-flood.ts';
import { startUtxoService, type UtxoService } from '../support/utxo-service.ts';

const SETUP_MILLISECONDS = 300_000;
/** Blocks after which a poll lists a payment no more. */
const SETTLED = 13;
const DUST = 200n;

interface Wallet {
	readonly asset: string;
	readonly result: string;
	readonly difference: string | null;
}

describe.skipIf(!isInstalled('litecoind'))('coins of no order', () => {
	let world: UtxoService;
	let proxy: LyingNode;

	beforeAll(async () => {
		world = await startUtxoService([], async (url) => {
			proxy = await startLyingNode((_call, told) => told, url);
			return proxy.url;
		});
	}, SETUP_MILLISECONDS);
	afterAll(async () => {
		await world?.stop();
		await proxy?.stop();
	});

	async function newOrder(): Promise<CreatedOrder> {
		const { data, text } = await create(world.service, world.partner, { refundAddress: world.refundAddress });
		expect(data?.id, text).toBeTruthy();
		return data;
	}
	const litecoin = async () =>
		(await world.service.operator<{ wallets: Wallet[] }>('ledger/check')).wallets.find(({ asset }) => asset === 'LTC');
	const untilAgrees = () =>
		eventually('the books to agree', async () => (await litecoin())?.difference === '0', 30_000);
	/** The hot wallet may have joined its coins meanwhile: what that costs is known once it is final. */
	const untilAgreesInBlocks = () =>
		eventually(
			'the books to agree',
			async () => {
				await world.node.mine(1);
				return (await litecoin())?.difference === '0';
			},
			60_000,
		);
	const sum = async () =>
		(await world.service.sql('SELECT counted, open, booked FROM unattributed WHERE asset = ?', 'LTC'))[0];
	const named = async () =>
		(await world.service.operator<{ subject: string; amount: string; todo: string }[]>('attention')).filter(
			({ todo }) => todo.includes('book-unattributed'),
		);

	test('the dust beyond what is recorded of one order is one sum, which agrees from the first block on', async () => {
		const order = await newOrder();
		await flood(world.node, order.from.address, { transactions: 1, outputs: 103, amount: DUST, mined: true });
		await eventually('the dust to be seen', async () => (await sum())?.['open'] === String(3n * DUST));
		await untilAgrees();
		expect(await named()).toEqual([]);
		await world.node.mine(SETTLED);
		await eventually('the dust to be counted', async () => (await sum())?.['counted'] === String(3n * DUST));
		expect(await sum()).toEqual({ counted: String(3n * DUST), open: '0', booked: '0' });
		await untilAgrees();
		await world.node.mine(SETTLED);
		await untilAgrees();
		expect(await named()).toMatchObject([{ subject: 'LTC', amount: '0.000006 LTC' }]);
	});

	test('a payment to an order whose row is archived is counted once', async () => {
		const order = await newOrder();
		await world.service.sql('DELETE FROM order_changes WHERE order_id = ?', order.id);
		await world.service.sql('DELETE FROM orders WHERE id = ?', order.id);
		const before = BigInt(String((await sum())?.['counted']));
		await world.node.rpc('sendtoaddress', order.from.address, '1.5');
		await eventually('the payment to be seen', async () => (await sum())?.['open'] === '150000000');
		await untilAgrees();
		await world.node.mine(SETTLED);
		await eventually('the payment to be counted', async () => (await sum())?.['open'] === '0');
		expect(BigInt(String((await sum())?.['counted'])) - before).toBe(150_000_000n);
		await untilAgrees();
	});

	test('is booked as reserve by a command, at most as much as there is', async () => {
		const book = (amount: string) =>
			world.service.operator('treasury/book-unattributed', { asset: 'LTC', amount, reason: 'nobody asked' });
		await expect(book('1.500007')).rejects.toThrow('only 1.500006 LTC');
		expect(await book('1.5')).toMatchObject({ booked: '1.5', left: '0.000006' });
		await untilAgrees();
		await expect(book('1.5')).rejects.toThrow('only 0.000006 LTC');
		expect(await named()).toMatchObject([{ amount: '0.000006 LTC' }]);
		const { assets } = await world.service.operator<{ assets: { asset: string; reserve: string }[] }>('treasury/show');
		expect(assets.find(({ asset }) => asset === 'LTC')?.reserve).toBe('1.5');
	});

	test('are no difference while a stranger sends without end, and replaces what they sent', async () => {
		const order = await newOrder();
		await untilAgrees();
		let isOver = false;
		const stream = (async () => {
			const { rpc, mine } = world.node;
			const pay = async () => {
				const replaced = await rpc('sendtoaddress', order.from.address, '0.0001', '', '', false, true);
				await rpc('sendtoaddress', order.from.address, '0.0002');
				await rpc('bumpfee', replaced);
				await new Promise((wait) => setTimeout(wait, 100));
			};
			// Its coins wait for a block now and then.
			while (!isOver) await pay().catch(() => mine(1));
		})();
		try {
			for (let asked = 0; asked < 4; asked++) expect(await litecoin()).not.toMatchObject({ result: 'differs' });
		} finally {
			isOver = true;
			await stream;
		}
		await untilAgrees();
	});

	test('of which a stranger sends the hot wallet a thousand at once are compared; what no node answers for is an incident', async () => {
		const { operator, sql, hotAddress, local } = world.service;
		const hourly = async () => {
			await sql('UPDATE periodic_checks SET due_at = 0');
			await local.runScheduled();
			return sql<{ subject: string }>("SELECT subject FROM incidents WHERE kind = 'books-unchecked'");
		};
		await untilAgrees();
		expect(await hourly()).toEqual([]);
		await flood(world.node, await hotAddress('Litecoin'), { transactions: 1, outputs: 1_001, amount: 50n * DUST });
		await untilAgrees();
		proxy.behave(({ method }, told) => (method === 'getblockchaininfo' ? 'nothing' : told));
		await eventually('it to be unchecked', async () => (await litecoin())?.result === 'unchecked');
		expect(await hourly()).toEqual([]);
		expect(await hourly()).toEqual([{ subject: 'LTC' }]);
		const rows = await operator<{ area: string; subject: string }[]>('attention');
		expect(rows).toContainEqual(
			expect.objectContaining({ area: 'incident', cause: expect.stringMatching(/^books-unchecked/) }),
		);
		proxy.behave((_call, told) => told);
		await world.node.mine(2 * SETTLED);
		await untilAgreesInBlocks();
		expect(await hourly()).toEqual([]);
	});

	test('is found again where the database is set back, and counted once', async () => {
		const order = await newOrder();
		const rows = await world.service.sql('SELECT * FROM unattributed');
		const [mark] = await world.service.sql(
			"SELECT cursor, settled, writes FROM arrival_marks WHERE network = 'Litecoin'",
		);
		await world.node.rpc('sendtoaddress', order.from.address, '0.00003');
		await world.node.mine(2 * SETTLED);
		await untilAgreesInBlocks();
		await world.service.sql('DELETE FROM deposits WHERE order_id = ?', order.id);
		await world.service.sql(
			"UPDATE arrival_marks SET cursor = ?, settled = ?, writes = ? WHERE network = 'Litecoin'",
			mark?.['cursor'],
			mark?.['settled'],
			mark?.['writes'],
		);
		await world.node.mine(1);
		await eventually('the deposit to be found again', async () => {
			const found = await world.service.sql('SELECT * FROM deposits WHERE order_id = ?', order.id);
			return found.length === 1;
		});
		expect(await world.service.sql('SELECT * FROM unattributed')).toEqual(rows);
	});
});
