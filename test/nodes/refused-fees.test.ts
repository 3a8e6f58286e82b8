/**
 * Payments that no node takes at the fee that they pay, on the real service and real nodes: "what we signed gets there or
 * is replaced". Ethereum runs on anvil, Litecoin on litecoind; the deposits are the sandbox's.
 */
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TEST_CHAIN_ID } from '../../src/chains/evm/params.ts';
import { toBaseUnits } from '../../src/money/units.ts';
import { type Anvil, type Relay, startAnvil, startRelay } from '../support/anvil.ts';
import { isInstalled } from '../support/nodes.ts';
import { type CreatedOrder, create, readOrder, untilStatus } from '../support/orders.ts';
import { type Credentials, createPartner } from '../support/partner.ts';
import { eventually, startTestService, type TestService, takeBeyondReserve } from '../support/service.ts';
import { FINAL, payoutOf, startUtxoService, type UtxoService } from '../support/utxo-service.ts';

const GWEI = 10n ** 9n;
const hex = (value: bigint): string => `0x${value.toString(16)}`;
/** Addresses are made and registered before the first order, which takes long on a busy machine. */
const SETUP_MILLISECONDS = 300_000;
const PATIENCE = 60_000;

describe.skipIf(!isInstalled('anvil'))('on Ethereum, while the base fee is above what was signed', () => {
	let anvil: Anvil;
	let relay: Relay;
	let service: TestService;
	let partner: Credentials;
	let hot = '';

	beforeAll(async () => {
		anvil = await startAnvil({ chainId: TEST_CHAIN_ID, automine: false });
		await setBaseFee(GWEI / 2n);
		relay = await startRelay(anvil.url);
		service = await startTestService({ NODE_URL_ETHEREUM: relay.url, NODE_POLL_SECONDS_ETHEREUM: '1' });
		partner = await createPartner(service, { weightPerMinute: 1_000_000 });
		await takeBeyondReserve(service, 'ETH');
		await eventually('orders to be taken', async () => (await create(service, partner)).code === 0, 200_000);
		hot = await service.hotAddress('Ethereum');
		await fill(10n * 10n ** 18n);
	}, SETUP_MILLISECONDS);
	afterAll(async () => {
		await service?.local.stop();
		await Promise.all([relay?.stop(), anvil?.stop()]);
		if (service) rmSync(service.stateDirectory, { recursive: true, force: true });
	});

	async function setBaseFee(wei: bigint): Promise<void> {
		await anvil.rpc('anvil_setNextBlockBaseFeePerGas', hex(wei));
		await anvil.mine(1);
	}
	const fill = (wei: bigint) => anvil.rpc('anvil_setBalance', hot, hex(wei));
	const balanceOf = async (address: string) => BigInt(String(await anvil.rpc('eth_getBalance', address, 'latest')));
	const nodeDown = () =>
		relay.intercept(({ method }) =>
			method === 'eth_sendRawTransaction' ? { error: { code: -32000, message: 'the node is busy' } } : undefined,
		);
	const nodeBack = () => relay.intercept(() => undefined);

	/** Its minimum follows the fees, so it is taken once a poll has read them. */
	async function paidOrder(toAddress: string): Promise<CreatedOrder> {
		const made = async () => {
			const { code, data } = await create(service, partner, { toAddress });
			return code === 0 && data;
		};
		const order = await eventually('the order to be taken', made, PATIENCE);
		await service.operator('sandbox/deposit', { orders: [order.id] });
		return order;
	}
	interface Row {
		readonly id: string;
		readonly state: string;
		readonly tx_id: string;
		readonly blocked_kind: string | null;
	}
	const payout = async ({ id }: CreatedOrder): Promise<Row> => {
		const [row] = await service.sql<Row>(
			'SELECT id, state, tx_id, blocked_kind FROM transactions WHERE order_id = ?',
			id,
		);
		if (!row) throw new Error('no payout');
		return row;
	};
	const older = async (id: string) =>
		(await service.sql<{ tx_id: string }>('SELECT tx_id FROM transaction_versions WHERE transaction_id = ?', id)).map(
			(version) => version.tx_id,
		);
	const look = ({ id }: CreatedOrder) =>
		service.sql('UPDATE transactions SET next_attempt_at = 0 WHERE order_id = ?', id);
	const todo = async ({ id }: Row) => {
		const rows = await service.operator<{ subject: string; cause: string; todo: string }[]>('attention');
		return rows.find(({ subject }) => subject === id);
	};

	async function signedWhileDown(...recipients: string[]): Promise<CreatedOrder[]> {
		nodeDown();
		const orders: CreatedOrder[] = [];
		for (const recipient of recipients) orders.push(await paidOrder(recipient));
		const signed = async () =>
			(await Promise.all(orders.map((order) => payout(order).catch(() => null)))).every(
				(row) => row?.state === 'signed',
			);
		await eventually('all payouts to be signed', signed, PATIENCE);
		return orders;
	}

	it('payments that were signed during an outage arrive at a higher fee, each once, and none waits for another', async () => {
		const recipients = ['0x00000000000000000000000000000000000fee01', '0x00000000000000000000000000000000000fee02'];
		const before = Number(await anvil.rpc('eth_getTransactionCount', hot, 'latest'));
		const orders = await signedWhileDown(...recipients);
		const first = await Promise.all(orders.map(payout));
		await setBaseFee(60n * GWEI);
		nodeBack();
		for (const order of orders) await look(order);
		for (const order of orders) await untilStatus(service, partner, order, 'DONE', PATIENCE);
		for (const [at, order] of orders.entries()) {
			const row = await payout(order);
			expect(row.tx_id).not.toBe(first[at]?.tx_id);
			expect(row.blocked_kind).toBeNull();
			expect(await older(row.id)).toEqual([first[at]?.tx_id]);
			expect((await readOrder(service, partner, order)).to.tx.id).toBe(row.tx_id);
		}
		await anvil.mine(1);
		for (const [at, recipient] of recipients.entries()) {
			const { to } = await readOrder(service, partner, orders[at] as CreatedOrder);
			expect(await balanceOf(recipient)).toBe(toBaseUnits(String(to.tx.amount), 18));
		}
		expect(Number(await anvil.rpc('eth_getTransactionCount', hot, 'latest'))).toBe(before + 2);
	});

	it('one that the node has dropped after it was sent is sent again at a higher fee', async () => {
		await setBaseFee(GWEI / 2n);
		const order = await paidOrder('0x00000000000000000000000000000000000fee03');
		await untilStatus(service, partner, order, 'DONE', PATIENCE);
		const { tx_id: txId, id } = await payout(order);
		await anvil.rpc('anvil_dropTransaction', txId);
		await setBaseFee(60n * GWEI);
		await look(order);
		const raised = await eventually('another version to be named', async () => {
			const row = await payout(order);
			return row.tx_id !== txId && (await readOrder(service, partner, order)).to.tx.id === row.tx_id && row;
		});
		expect(await older(id)).toEqual([txId]);
		await anvil.mine(20);
		await look(order);
		await eventually('the payout to be final', async () => (await payout(order)).state === 'final');
		expect((await payout(order)).tx_id).toBe(raised.tx_id);
	});

	it('above the signer’s ceiling, or above what the wallet holds, says why it waits, and goes on once that has passed', async () => {
		await setBaseFee(GWEI / 2n);
		const [order] = await signedWhileDown('0x00000000000000000000000000000000000fee04');
		if (!order) throw new Error('no order');
		const row = await payout(order);
		await setBaseFee(600n * GWEI);
		nodeBack();
		await look(order);
		const waiting = await eventually('the reason to be told', async () => {
			const found = await todo(row);
			return found?.cause.includes('more than the ceiling') && found;
		});
		expect(waiting.todo).toBe('it is tried again by itself');

		// The ceiling is passed, and the wallet has too little for the higher fee.
		await setBaseFee(60n * GWEI);
		await fill(10n ** 15n);
		await look(order);
		const short = await eventually('the lack of coins to be told', async () => {
			const found = await todo(row);
			return found?.cause.includes('is more than the wallet holds') && found;
		});
		expect(short.cause).toContain('fill the hot wallet');
		await fill(10n * 10n ** 18n);
		await look(order);
		await untilStatus(service, partner, order, 'DONE', PATIENCE);
		await anvil.mine(1);
		expect(await todo(await payout(order))).toBeUndefined();
	});
});

describe.skipIf(!isInstalled('litecoind'))('on Litecoin, while nodes ask for more than what was signed pays', () => {
	let world: UtxoService;
	let recipient = '';

	beforeAll(async () => {
		world = await startUtxoService(['2', '2', '2', '2']);
	}, SETUP_MILLISECONDS);
	afterAll(() => world?.stop());
	beforeEach(async () => {
		recipient = String(await world.node.rpc('getnewaddress', '', 'bech32'));
	});

	const payout = async (id: string) => {
		const [row] = await world.service.sql<{ id: string; state: string; tx_id: string }>(
			'SELECT id, state, tx_id FROM transactions WHERE order_id = ?',
			id,
		);
		return row;
	};
	const received = async () => toBaseUnits(String(await world.node.rpc('getreceivedbyaddress', recipient, 1)), 8);
	const look = (id: string) => world.service.sql('UPDATE transactions SET next_attempt_at = 0 WHERE order_id = ?', id);

	it('a payment that was dropped is sent again from the same coins, at what the node asks, and arrives once', async () => {
		const { order, txId, amount } = await payoutOf(world, recipient);
		// A mempool is not kept over this restart: what pays less than the new floor is dropped.
		await world.node.restart(['-minrelaytxfee=0.0002']);
		expect(await world.node.rpc('getrawmempool')).toEqual([]);
		await look(order.id);
		const raised = await eventually('another version', async () => {
			const shown = await readOrder(world.service, world.partner, order);
			return shown.to.tx.id !== txId && shown.to.tx.id;
		});
		expect(await world.node.rpc('getrawmempool')).toEqual([raised]);
		const inputs = async (raw: unknown) => {
			const { vin } = (await world.node.rpc('decoderawtransaction', raw)) as { vin: { txid: string; vout: number }[] };
			return vin.map(({ txid, vout }) => `${txid}:${vout}`);
		};
		const [older] = await world.service.sql<{ raw: string }>('SELECT raw FROM transaction_versions');
		const newer = await world.node.rpc('getrawtransaction', raised);
		expect(await inputs(newer)).toEqual(expect.arrayContaining(await inputs(older?.raw)));
		await world.node.mine(FINAL);
		expect(await received()).toBe(toBaseUnits(amount, 8));
	});

	it('a new payment starts at what the node asks, and is taken as it is', async () => {
		const { order, txId } = await payoutOf(world, recipient);
		const { vsize, fees } = (await world.node.rpc('getmempoolentry', txId)) as {
			vsize: number;
			fees: { base: string };
		};
		expect(Number(toBaseUnits(fees.base, 8)) / vsize).toBeGreaterThanOrEqual(20);
		const { id = '' } = (await payout(order.id)) ?? {};
		expect(await world.service.sql('SELECT tx_id FROM transaction_versions WHERE transaction_id = ?', id)).toEqual([]);
		await world.node.mine(FINAL);
	});
});
