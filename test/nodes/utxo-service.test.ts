/**
 * Reorganised, replaced and double-spent deposits on the real service (book: contract, "Orders"): "a deposit that
 * is dropped leaves the order PENDING", "a partner-facing status never goes back", and nothing is credited twice.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { followRunbook } from '../support/follow-runbook.ts';
import { isInstalled } from '../support/nodes.ts';
import { type CreatedOrder, create, readOrder, untilStatus } from '../support/orders.ts';
import { eventually } from '../support/service.ts';
import { flood } from '../support/utxo-flood.ts';
import { FINAL, startUtxoService, type UtxoService } from '../support/utxo-service.ts';

/** Addresses are made and registered before the first order, which takes long on a busy machine. */
const SETUP_MILLISECONDS = 300_000;

describe.skipIf(!isInstalled('litecoind'))('a Litecoin deposit', () => {
	let world: UtxoService;

	beforeAll(async () => {
		world = await startUtxoService();
	}, SETUP_MILLISECONDS);
	afterAll(() => world?.stop());

	async function newOrder(): Promise<CreatedOrder> {
		const { data, text } = await create(world.service, world.partner, { refundAddress: world.refundAddress });
		expect(data?.id, text).toBeTruthy();
		return data;
	}

	const status = async (order: CreatedOrder) => (await readOrder(world.service, world.partner, order)).status;
	const untilIs = (order: CreatedOrder, wanted: string) =>
		untilStatus(world.service, world.partner, order, wanted, 30_000);

	/** Of the deposits on record, oldest first. */
	const deposits = (order: CreatedOrder) =>
		world.service.sql<{ tx_id: string; state: string; amount: string }>(
			'SELECT tx_id, state, amount FROM deposits WHERE order_id = ? ORDER BY first_seen_at',
			order.id,
		);

	/** The agent polls every second, so that anything that would go wrong has happened by now. */
	const twoLooks = () => new Promise((wait) => setTimeout(wait, 2_500));

	/** Every status that a webhook sent to the partner, in order. */
	function told(order: CreatedOrder): string[] {
		const events = world.receiver.received
			.map(({ json }) => json as { data: { sequence: number; order: { id: string; status: string } } })
			.filter(({ data }) => data.order.id === order.id)
			.toSorted((a, b) => a.data.sequence - b.data.sequence);
		return events.map(({ data }) => data.order.status);
	}

	async function expectPaidOnce(order: CreatedOrder, amount: string): Promise<void> {
		const done = await untilIs(order, 'DONE');
		expect(done.from.tx.amount).toBe(amount);
		const payouts = await world.service.sql('SELECT id FROM transactions WHERE order_id = ?', order.id);
		expect(payouts).toHaveLength(1);
		const credited = await world.service.sql<{ amount: string }>(
			"SELECT amount FROM ledger_entries WHERE order_id = ? AND cause = 'settled' AND account = 'wallet'",
			order.id,
		);
		expect(credited).toEqual([{ amount: String(Number(amount) * 100_000_000) }]);
		await eventually('the last webhook', async () => told(order).includes('DONE'));
		expect(told(order)).toEqual(['PENDING', 'EXCHANGE', 'DONE']);
	}

	it('and coins that nothing has to join: a consolidation that somebody wrote is dropped by itself', async () => {
		const { sql, hotAddress, logged } = world.service;
		const id = crypto.randomUUID();
		await sql(
			`INSERT INTO transactions (id, kind, network, asset, to_address, amount, usd_cents, state, planned_at, next_attempt_at, attempts)
			 VALUES (?, 'consolidation', 'Litecoin', 'LTC', ?, '1', 0, 'planned', 0, 0, 4)`,
			...[id, await hotAddress('Litecoin')],
		);
		await world.wake();
		await eventually(
			'it to be dropped',
			async () => (await sql('SELECT 1 FROM transactions WHERE id = ?', id)).length === 0,
		);
		const refused = logged('signing_refused').filter(({ payoutId }) => payoutId === id);
		expect(refused.map(({ kind }) => kind)).toEqual(['consolidation-not-due']);
	});

	it('whose block is reorganised away stays PENDING, and is credited once when it is mined again', async () => {
		const order = await newOrder();
		const txId = String(await world.node.rpc('sendtoaddress', order.from.address, '2'));
		const blocks = await world.node.mine(FINAL - 1);
		await untilIs(order, 'PENDING');

		await world.node.rpc('invalidateblock', blocks[0]);
		await twoLooks();
		expect(await status(order)).toBe('PENDING');
		// The other branch holds it one block later, and is longer.
		await world.node.rpc('generateblock', world.refundAddress, []);
		await world.node.mine(FINAL - 1);
		await twoLooks();
		expect(await status(order)).toBe('PENDING');
		expect(await deposits(order)).toEqual([{ tx_id: txId, state: 'seen', amount: '200000000' }]);

		await world.node.mine(1);
		await expectPaidOnce(order, '2');
		expect(await deposits(order)).toEqual([{ tx_id: txId, state: 'final', amount: '200000000' }]);
	});

	/** Pays an order so that the payment can be replaced by one that does not pay it. */
	async function payReplaceably(order: CreatedOrder): Promise<{ txId: string; rival: string }> {
		const { node } = world;
		const txId = String(await node.rpc('sendtoaddress', order.from.address, '2', '', '', false, true));
		const { decoded } = (await node.rpc('gettransaction', txId, true, true)) as {
			decoded: { vin: { txid: string; vout: number }[] };
		};
		const coins = decoded.vin.map(({ txid, vout }) => ({ txid, vout }));
		const raw = await node.rpc('createrawtransaction', coins, [{ [world.refundAddress]: '1.5' }]);
		const { hex } = (await node.rpc('signrawtransactionwithwallet', raw)) as { hex: string };
		return { txId, rival: hex };
	}

	it('that is replaced in the mempool leaves the order PENDING and credits nothing; another one is paid for', async () => {
		const order = await newOrder();
		const { txId, rival } = await payReplaceably(order);
		await untilIs(order, 'PENDING');
		await world.node.rpc('sendrawtransaction', rival, 0);
		await eventually('the deposit to be dropped', async () => (await deposits(order))[0]?.state === 'gone');
		await world.node.mine(FINAL + 1);
		await twoLooks();
		expect(await status(order)).toBe('PENDING');
		expect(await deposits(order)).toEqual([{ tx_id: txId, state: 'gone', amount: '200000000' }]);
		expect(await world.service.sql('SELECT id FROM transactions WHERE order_id = ?', order.id)).toEqual([]);

		await world.node.rpc('sendtoaddress', order.from.address, '2');
		await world.node.mine(FINAL);
		await expectPaidOnce(order, '2');
	});

	it('that a longer branch double-spends after confirmations is not credited, and the order does not go back', async () => {
		const order = await newOrder();
		const { txId, rival } = await payReplaceably(order);
		const blocks = await world.node.mine(FINAL - 1);
		await untilIs(order, 'PENDING');
		await twoLooks();
		await world.node.rpc('invalidateblock', blocks[0]);
		await world.node.rpc('generateblock', world.refundAddress, [rival]);
		await world.node.mine(FINAL);
		await eventually('the deposit to be dropped', async () => (await deposits(order))[0]?.state === 'gone');
		await world.node.mine(1);
		await twoLooks();
		expect(await status(order)).toBe('PENDING');
		expect(await deposits(order)).toEqual([{ tx_id: txId, state: 'gone', amount: '200000000' }]);
		expect(told(order)).toEqual(['PENDING']);
		expect(await world.service.sql('SELECT id FROM transactions WHERE order_id = ?', order.id)).toEqual([]);
		const { step, end } = followRunbook('A reorganisation', () => world.service);
		const NETWORK = 'Litecoin';
		await step('network update NETWORK --receive off --send off', { NETWORK });
		const takes = async () =>
			(await create(world.service, world.partner, { refundAddress: world.refundAddress })).code === 0;
		expect(await takes()).toBe(false);
		await step('network update NETWORK --confirmations N', { NETWORK, N: String(FINAL) });
		expect(await step('ledger check')).not.toContain('differs');
		await step('network update NETWORK --receive on --send on', { NETWORK });
		await end();
		await eventually('orders to be taken', takes);
	});

	it('of a hundred small outputs is joined into one in the background, and the ledger check knows what that cost', async () => {
		const order = await newOrder();
		await flood(world.node, order.from.address, { transactions: 1, outputs: 110, amount: 6_000n });
		await world.node.mine(FINAL);
		interface Row {
			readonly state: string;
			readonly amount: string;
			readonly fee: string | null;
			readonly raw: string;
		}
		const until = (state: string) =>
			eventually(`the consolidation to be ${state}`, async () => {
				const [row] = await world.service.sql<Row>("SELECT * FROM transactions WHERE kind = 'consolidation'");
				return row?.state === state && row;
			});
		const sent = await until('sent');
		const { vin } = (await world.node.rpc('decoderawtransaction', sent.raw)) as { vin: unknown[] };
		expect(vin).toHaveLength(110);
		await world.node.mine(FINAL);
		await world.service.sql("UPDATE transactions SET next_attempt_at = 0 WHERE kind = 'consolidation'");
		const { amount, fee } = await until('final');
		expect(BigInt(amount) + BigInt(fee ?? 0)).toBe(110n * 6_000n);
		const { wallets } = await world.service.operator<{ wallets: { asset: string; result: string }[] }>('ledger/check');
		expect(wallets.find(({ asset }) => asset === 'LTC')).toMatchObject({ result: 'ok', difference: '0' });
		expect(await world.service.sql("SELECT * FROM reserve_entries WHERE network = 'Litecoin'")).toEqual([]);
	});
});
