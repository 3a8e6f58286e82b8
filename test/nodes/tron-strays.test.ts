/** Coins of another asset at an order's address on Tron go back: the service in workerd, Tron on the stand-in for a full node. */
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ageOrder, moveBent } from '../support/archived.ts';
import { isInstalled } from '../support/nodes.ts';
import { type CreatedOrder, create, LTC_REFUND, readOrder } from '../support/orders.ts';
import { type Credentials, createPartner } from '../support/partner.ts';
import { endPauses } from '../support/pauses.ts';
import { eventually, POLL_MILLISECONDS, startTestService, type TestService } from '../support/service.ts';
import { FOREIGN_TOKEN } from '../support/tron.ts';
import { CUSTOMER, startTronStandIn, type TronStandIn } from '../support/tron-stand-in.ts';
import { tokenCode } from '../support/tron-token.ts';

const TRX = 1_000_000n;
const REFUND = 'TNTaxKbS6KAfbWnZobDhBThTxnvq34yxZo';
/** Blocks on top until a payment is solidified. */
const SOLID = 19;
const WAIT_MILLISECONDS = 120_000;

describe.skipIf(!isInstalled('anvil'))('coins of another asset on Tron', { timeout: 3 * WAIT_MILLISECONDS }, () => {
	let tron: TronStandIn;
	let service: TestService;
	let partner: Credentials;

	beforeAll(async () => {
		tron = await startTronStandIn();
		await tron.mine(1);
		const variables = { NODE_URL_TRON: tron.url, NODE_CHAIN_TRON: 'regtest', NODE_POLL_SECONDS_TRON: '1' };
		service = await startTestService(variables);
		partner = await createPartner(service, { weightPerMinute: 1_000_000 });
		const hot = await service.hotAddress('Tron');
		await tron.setBalance(hot, 5_000n * TRX);
		await tron.issue(hot, 50_000n * TRX);
		const reserves = () => service.sql("SELECT DISTINCT asset FROM reserve_entries WHERE network = 'Tron'");
		await onAndOn('the reserve', async () => (await reserves()).length === 2);
		await eventually('Tron to take orders', () => ordered('TRX', '1000'), WAIT_MILLISECONDS);
	}, 3 * WAIT_MILLISECONDS);
	afterAll(async () => {
		await service?.local.stop();
		await tron?.stop();
		if (service) rmSync(service.stateDirectory, { recursive: true, force: true });
	});

	async function ordered(fromCcy: string, amount: string): Promise<CreatedOrder | null> {
		const terms = { fromCcy, toCcy: 'LTC', amount, toAddress: LTC_REFUND, refundAddress: REFUND };
		const { code, data } = await create(service, partner, terms);
		return code === 0 ? data : null;
	}
	const newOrder = (fromCcy: string, amount: string) =>
		eventually('an order', () => ordered(fromCcy, amount), WAIT_MILLISECONDS);

	/** While it waits, blocks come. */
	const onAndOn = <T>(what: string, probe: () => Promise<T | null | undefined | false>): Promise<T> =>
		eventually(
			what,
			async () => {
				const found = await probe();
				if (!found) await tron.mine(SOLID + 1);
				return found;
			},
			WAIT_MILLISECONDS,
			POLL_MILLISECONDS,
		);
	const look = (order: CreatedOrder) =>
		service
			.object<{ findStrays(network: string, orderId: string): Promise<boolean> }>('CHAIN_AGENT', 'Tron')
			.findStrays('Tron', order.id);
	const straysOf = (order: CreatedOrder) =>
		service.sql<{ asset: string; counted: string; taken: string; waits: string | null }>(
			'SELECT asset, counted, taken, waits FROM strays WHERE order_id = ? ORDER BY asset',
			order.id,
		);
	const found = (order: CreatedOrder) =>
		onAndOn('it to be found', async () => (await look(order)) && (await straysOf(order)).length > 0);
	const open = () => service.sql("SELECT kind, asset, state FROM transactions WHERE state <> 'final'");
	const wallets = async () => {
		const check = await service.operator<{ wallets: { asset: string; result: string }[] }>('ledger/check');
		return check.wallets.filter(({ asset }) => ['TRX', 'USDTTRC20'].includes(asset));
	};
	const expectNoDifference = async () =>
		expect((await wallets()).filter(({ result }) => result === 'differs')).toEqual([]);
	const isStatus = (order: CreatedOrder, status: string) => async () =>
		(await readOrder(service, partner, order)).status === status;

	/** What the refund address has more; the books are even before, all the while and afterwards. */
	async function returned(held: () => Promise<bigint>): Promise<bigint> {
		const before = await held();
		await expectNoDifference();
		const more = await onAndOn('the coins to go back', async () => {
			await expectNoDifference();
			await endPauses(service);
			return (await held()) > before && (await held()) - before;
		});
		await onAndOn('all to be final', async () => {
			await endPauses(service);
			return (await open()).length === 0;
		});
		expect(await wallets()).toMatchObject(Array(2).fill({ difference: '0', result: 'ok' }));
		return more;
	}
	const coins = () => tron.balanceOf(REFUND);
	const tokens = () => tron.tokenBalanceOf(REFUND);

	it('a stranger who pays young addresses without end makes no check differ', async () => {
		const order = await newOrder('TRX', '1000');
		const recorded = () => service.sql('SELECT tx_id FROM deposits WHERE order_id = ?', order.id);
		await tron.pay(order.from.address, 1n);
		await tron.mine(1);
		await eventually('the first to be recorded', async () => (await recorded()).length === 1, WAIT_MILLISECONDS);
		let isOver = false;
		const stream = (async () => {
			for (let paid = 2n; !isOver && paid < 90n; paid++) {
				await tron.pay(order.from.address, paid);
				await tron.mine(1);
				await new Promise((wait) => setTimeout(wait, 200));
			}
		})();
		try {
			for (let asked = 0; asked < 4; asked++) await expectNoDifference();
		} finally {
			isOver = true;
			await stream;
		}
		await onAndOn('all of them to be recorded', async () => {
			const [trx] = await wallets();
			return trx?.result === 'ok';
		});
	});

	it('gives TRX at the address of a USDT order back, less its cost', async () => {
		const order = await newOrder('USDTTRC20', '2500');
		await tron.pay(order.from.address, 900n * TRX);
		await tron.mine(1);
		await found(order);
		const back = await returned(coins);
		expect(back < 900n * TRX && back > 890n * TRX).toBe(true);
		expect((await readOrder(service, partner, order)).status).toBe('NEW');
		await tron.payToken(order.from.address, 2_500n * TRX);
		await onAndOn('its own deposit to be paid for', isStatus(order, 'DONE'));
		const done = await readOrder(service, partner, order);
		expect(done.from.tx.amount).toBe('2500');
	});

	it('gives USDT at the address of a TRX order back, once its own deposit was paid for', async () => {
		const order = await newOrder('TRX', '1000');
		await tron.payToken(order.from.address, 400n * TRX);
		await tron.mine(1);
		await found(order);
		await tron.mine(SOLID);
		expect(await service.sql('SELECT id FROM transactions WHERE pay_in_address = ?', order.from.address)).toEqual([]);
		await tron.pay(order.from.address, 1_000n * TRX);
		await onAndOn('its own deposit to be paid for', isStatus(order, 'DONE'));
		await service.sql('UPDATE strays SET due_at = 0 WHERE order_id = ?', order.id);
		await look(order);
		const back = await returned(tokens);
		expect(back < 400n * TRX && back > 380n * TRX).toBe(true);
	});

	it('sends gas to the address of a TRX order that has expired for the USDT there, and counts it as no deposit', async () => {
		const order = await newOrder('TRX', '1000');
		await tron.payToken(order.from.address, 300n * TRX);
		await tron.mine(1);
		await found(order);
		await service.sql("UPDATE orders SET status = 'EXPIRED' WHERE id = ?", order.id);
		await service.sql('UPDATE strays SET due_at = 0 WHERE order_id = ?', order.id);
		await look(order);
		const back = await returned(tokens);
		expect(back < 300n * TRX && back > 280n * TRX).toBe(true);
		const gas = "SELECT state FROM transactions WHERE kind = 'gas' AND pay_in_address = ?";
		expect(await service.sql(gas, order.from.address)).toEqual([{ state: 'final' }]);
		expect(await service.sql('SELECT amount FROM deposits WHERE order_id = ?', order.id)).toEqual([]);
		expect((await readOrder(service, partner, order)).status).toBe('EXPIRED');
		const whole = String(300n * TRX);
		expect(await straysOf(order)).toEqual([{ asset: 'USDTTRC20', counted: whole, taken: whole, waits: null }]);
	});

	it('shows a token that is not listed where its transaction is named, and sends it back whole where the operator asks', async () => {
		const order = await newOrder('TRX', '1000');
		await tron.setCode(FOREIGN_TOKEN, tokenCode());
		await tron.issue(CUSTOMER, 10n ** 12n, FOREIGN_TOKEN);
		const tx = await tron.payToken(order.from.address, 77n, FOREIGN_TOKEN);
		await tron.mine(SOLID + 1);
		const { unlisted, strays } = await service.operator<{ unlisted: unknown[]; strays: unknown[] }>(
			'order/find-stray',
			{ id: order.id, tx },
		);
		expect(unlisted).toMatchObject([{ network: 'Tron', token: FOREIGN_TOKEN, smallestUnits: '77' }]);
		expect(strays).toEqual([]);
		await expectNoDifference();
		expect(await service.sql('SELECT 1 FROM transactions WHERE pay_in_address = ?', order.from.address)).toEqual([]);
		await service.sql("UPDATE orders SET status = 'EXPIRED' WHERE id = ?", order.id);
		await service.operator('order/return-stray', {
			id: order.id,
			asset: FOREIGN_TOKEN,
			reason: 'the payer asks for it',
		});
		await onAndOn('the return', async () => {
			await expectNoDifference();
			await look(order);
			await service.sql("UPDATE transactions SET next_attempt_at = 0 WHERE state = 'sent'");
			const kept = 'SELECT 1 FROM unlisted_tokens WHERE kept_at IS NOT NULL AND order_id = ?';
			return (await service.sql(kept, order.id)).length === 1;
		});
		expect(await tron.tokenBalanceOf(REFUND, FOREIGN_TOKEN)).toBe(77n);
		expect(await service.sql('SELECT amount FROM deposits WHERE order_id = ?', order.id)).toEqual([]);
		expect(await wallets()).toMatchObject(Array(2).fill({ difference: '0', result: 'ok' }));
	});

	/** An order that was never paid and is over for long, and one that is younger. */
	async function overLongAgo(): Promise<CreatedOrder> {
		const order = await newOrder('USDTTRC20', '2500');
		await newOrder('USDTTRC20', '2500');
		await service.sql("UPDATE orders SET status = 'EXPIRED', holds_cap = 0 WHERE id = ?", order.id);
		await ageOrder(service, order.id, 40);
		return order;
	}

	it('records a payment to an order that is watched no more', async () => {
		const order = await overLongAgo();
		await tron.payToken(order.from.address, 70n * TRX);
		await onAndOn('the deposit', async () => {
			await expectNoDifference();
			const [deposit] = await service.sql('SELECT state FROM deposits WHERE order_id = ?', order.id);
			return deposit?.['state'] === 'final';
		});
		expect(await service.sql('SELECT * FROM overflows')).toEqual([]);
	});

	it('counts a payment to an archived order with what belongs to no order, and sweeps it when it is told to', async () => {
		const order = await overLongAgo();
		await moveBent(service, [order.id], { before: Date.now() });
		await tron.payToken(order.from.address, 400n * TRX);
		await tron.pay(order.from.address, 90n * TRX);
		await tron.mine(SOLID + 1);
		const { ofNoOrder } = await service.operator<{ ofNoOrder: unknown[] }>('order/find-stray', { id: order.id });
		expect(ofNoOrder).toEqual([
			{ network: 'Tron', asset: 'TRX', came: '90', atAddress: '90' },
			{ network: 'Tron', asset: 'USDTTRC20', came: '400', atAddress: '400' },
		]);
		await expectNoDifference();
		await service.operator('order/sweep', { id: order.id, reason: 'the payer asks for it' });
		await onAndOn('the sweeps', async () => {
			await service.sql('UPDATE overflows SET due_at = 0 WHERE due_at > 0');
			await endPauses(service);
			await expectNoDifference();
			return (await service.sql('SELECT 1 FROM overflows WHERE counted <> swept')).length === 0;
		});
		expect((await wallets()).map(({ result }) => result)).toEqual(['ok', 'ok']);
	});
});
