/**
 * What a real litecoind lists of coins that leave MWEB, and of a coinbase that pays an address of ours. From block 432 on
 * no block of the regtest can be mined without a peg-in, so one is made first.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { jsonRpc } from '../../src/chains/rpc/json-rpc.ts';
import type { Litecoind } from '../support/litecoind.ts';
import { isInstalled } from '../support/nodes.ts';
import { create, untilStatus } from '../support/orders.ts';
import { eventually } from '../support/service.ts';
import { FINAL, startUtxoService, type UtxoService } from '../support/utxo-service.ts';
import { newWorld } from '../support/utxo-world.ts';

const SETUP_MILLISECONDS = 300_000;
const ACTIVE = 432;
const COIN = 100_000_000n;
const isDeep = ({ confirmations, immature }: { confirmations: number; immature?: true }): boolean =>
	!immature && confirmations >= FINAL;

/** A wallet whose coins are in MWEB, and the blocks that make it so. */
async function mwebWallet(node: Litecoind) {
	await jsonRpc([node.url]).call('createwallet', 'mweb');
	const wallet = jsonRpc([node.walletUrl('mweb')]);
	await node.mine(ACTIVE - 1 - Number(await node.rpc('getblockcount')));
	await node.rpc('sendtoaddress', await wallet.call('getnewaddress', '', 'mweb'), '100');
	await node.mine(2);
	return wallet;
}

describe.skipIf(!isInstalled('litecoind'))('coins that leave MWEB', () => {
	let service: UtxoService;
	let wallet: Awaited<ReturnType<typeof mwebWallet>>;

	beforeAll(async () => {
		service = await startUtxoService();
		wallet = await mwebWallet(service.node);
	}, SETUP_MILLISECONDS);
	afterAll(() => service?.stop());

	const checked = async () => {
		const { wallets } = await service.service.operator<{ wallets: { asset: string; result: string }[] }>(
			'ledger/check',
		);
		return wallets.find(({ asset }) => asset === 'LTC');
	};

	test('are one deposit, which waits for six blocks and then is spent like any other', async () => {
		const { node } = service;
		const world = await newWorld(node);
		const refs = async () => await world.deposits();
		await wallet.call('sendtoaddress', world.address(0), '3');
		expect(await refs()).toEqual([]);
		await node.mine(1);
		const [fresh] = await refs();
		expect(fresh).toMatchObject({ amount: 3n * COIN, confirmations: 1, immature: true });
		if (!fresh) throw new Error('no deposit');
		await node.mine(FINAL - 2);
		expect(await world.chain.depths([fresh])).toMatchObject([{ confirmations: FINAL - 1, immature: true }]);
		expect(await world.signer.finalAmount([fresh], ({ immature }) => !immature, [])).toBe(0n);
		expect(await world.chain.holdings('LTC', [])).toBe(3n * COIN);
		await node.mine(1);
		expect((await world.chain.depths([fresh]))[0]).not.toHaveProperty('immature');
		expect(await world.signer.finalAmount([fresh], isDeep, [])).toBe(3n * COIN);
		expect(await refs()).toHaveLength(1);
		const to = String(await node.rpc('getnewaddress'));
		await world.chain.broadcast((await world.sign({ to, amount: 2n * COIN })).raw);
	});

	test('finish an order, and the books agree from the first block on', async () => {
		const { node, partner } = service;
		const { data: order, text } = await create(service.service, partner, { refundAddress: service.refundAddress });
		if (!order) throw new Error(text);
		await wallet.call('sendtoaddress', order.from.address, '3');
		await node.mine(1);
		await untilStatus(service.service, partner, order, 'PENDING', 30_000);
		expect(await checked()).toMatchObject({ result: 'ok' });
		await node.mine(FINAL - 1);
		const done = await untilStatus(service.service, partner, order, 'DONE', 30_000);
		expect(done.from.tx.amount).toBe('3');
		expect(await checked()).toMatchObject({ result: 'ok' });
	});

	test('and a coinbase that pays an order is a deposit that waits until it can be spent', async () => {
		const { node, partner } = service;
		const { data: order, text } = await create(service.service, partner, { refundAddress: service.refundAddress });
		if (!order) throw new Error(text);
		await node.mine(1, order.from.address);
		await untilStatus(service.service, partner, order, 'PENDING', 30_000);
		await node.mine(20);
		await eventually('the books to agree', async () => (await checked())?.result === 'ok');
		await node.mine(80);
		const done = await untilStatus(service.service, partner, order, 'DONE', 60_000);
		expect(Number(done.from.tx.amount)).toBeGreaterThan(1);
	});
});
