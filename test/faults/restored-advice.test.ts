/**
 * After a restore and after a lost journal, what a person is told is safe to follow to the letter: the signer itself
 * refuses to take back, send back or confirm an older order while the chain may hold an older payment of it, and names
 * the one command that is right.
 */
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { earn, paidTo, payoutsTo } from '../support/earnings.ts';
import { LIVES_VARIABLES, planWithdrawal, WITHDRAWN_TO } from '../support/lives.ts';
import { operatorOf } from '../support/operator.ts';
import { type CreatedOrder, create, LTC_REFUND, readOrder, untilStatus } from '../support/orders.ts';
import { type Credentials, createPartner, signed } from '../support/partner.ts';
import { commandsIn } from '../support/printed-commands.ts';
import { restoredAfter } from '../support/restored.ts';
import { eventually, startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let partner: Credentials;
const { json, refusal } = operatorOf(() => service);

let recipients = 0;
async function newOrder(): Promise<CreatedOrder> {
	const toAddress = `0x${(++recipients).toString(16).padStart(40, 'f1a0')}`;
	const { data, text } = await create(service, partner, { toAddress });
	expect(data?.id, text).toBeTruthy();
	return data;
}
const send = (on: boolean) => service.operator('network/update', { name: 'Ethereum', send: on });
const paidOf = ({ to }: CreatedOrder) => payoutsTo(service, 'Ethereum', to.address);
const returnedOf = async () => (await payoutsTo(service, 'Litecoin', LTC_REFUND)).length;
const rowOf = async ({ id }: CreatedOrder): Promise<string> =>
	String((await service.sql<{ id: string }>('SELECT id FROM transactions WHERE order_id = ?', id))[0]?.id);

async function planned(): Promise<CreatedOrder> {
	const order = await newOrder();
	await send(false);
	await service.operator('sandbox/deposit', { orders: [order.id] });
	await untilStatus(service, partner, order, 'EXCHANGE');
	return order;
}

let order: CreatedOrder;
let unpaid: CreatedOrder;

describe('an order whose payout was planned at the backup and sent after it', () => {
	beforeAll(async () => {
		service = await startTestService();
		partner = await createPartner(service, { weightPerMinute: 1_000_000 });
		unpaid = await newOrder();
		order = await planned();
		service = await restoredAfter(service, async () => {
			await send(true);
			await untilStatus(service, partner, order, 'DONE');
		});
	}, 180_000);
	afterAll(async () => {
		await service?.local.stop();
		rmSync(service.stateDirectory, { recursive: true, force: true });
	});

	it('is listed by `restored show` although its network is switched off, with the one command that is right', async () => {
		const id = await rowOf(order);
		const [payment] = await paidOf(order);
		const right = `restored paid ${id} --tx-id ${payment?.txId} --reason R`;
		const shown = await json<{ waiting: Record<string, unknown>[] }>('restored', 'show');
		expect(shown.waiting).toMatchObject([{ order: order.id, transaction: id, onChain: payment?.txId, do: right }]);
		const rows = await service.operator<{ subject: string; todo: string }[]>('attention');
		const todos = rows.filter(({ subject }) => subject === id).map(({ todo }) => todo);
		expect(todos).toEqual(['`restored show` says what the chain has of it and what to do: nothing else is safe']);
		const shownOrder = JSON.stringify(await json('order', 'show', order.id));
		expect(shownOrder).not.toContain('give-up');
	});

	it('is not given up, refunded or confirmed: each refusal names that command', async () => {
		const id = await rowOf(order);
		const [payment] = await paidOf(order);
		const right = `restored paid ${id} --tx-id ${payment?.txId} --reason R`;
		expect(await refusal('payout', 'give-up', id, '--reason', 'attention said so')).toContain(right);
		expect(await refusal('restored', 'confirm', order.id)).toContain(right);
		expect(await refusal('order', 'refund', order.id)).toContain(right);
		await send(true);
		expect(await refusal('payout', 'give-up', id, '--reason', 'attention said so')).toContain(right);
		expect(await returnedOf()).toBe(0);
		expect(await paidOf(order)).toHaveLength(1);
		await json('restored', 'paid', id, '--tx-id', String(payment?.txId), '--reason', 'R');
		await untilStatus(service, partner, order, 'DONE');
		expect(await paidOf(order)).toHaveLength(1);
	});

	it('and one that the chain shows nothing of is paid once it is confirmed', async () => {
		await service.operator('sandbox/deposit', { orders: [unpaid.id] });
		const shown = await eventually('it to wait', async () => {
			const found = await json<{ waiting: { order: string; onChain: string; do: string }[] }>('restored', 'show');
			return found.waiting.find((row) => row.order === unpaid.id && row.onChain === 'nothing');
		});
		expect(shown.do).toBe(`restored confirm ${unpaid.id}`);
		await json('restored', 'confirm', unpaid.id);
		await untilStatus(service, partner, unpaid, 'DONE');
		expect(await paidOf(unpaid)).toHaveLength(1);
		expect((await readOrder(service, partner, order)).status).toBe('DONE');
	});
});

describe('earnings that were owed at the backup and paid after it', () => {
	const EARNINGS = '0xf1a0f1a0f1a0f1a0f1a0f1a0f1a0f1a0f1a0ea12';
	const paidOut = () => payoutsTo(service, 'Ethereum', EARNINGS);
	const payOut = (...more: string[]) => json<{ state: string }>('earnings', 'pay-out', partner.id, ...more);

	beforeAll(async () => {
		service = await startTestService();
		partner = await createPartner(service, { weightPerMinute: 1_000_000, afftaxBps: 200 });
		await paidTo(service, partner, EARNINGS, { asset: 'ETH' });
		await earn(service, partner, { toAddress: '0xf1a0f1a0f1a0f1a0f1a0f1a0f1a0f1a0f1a0ea13' });
		service = await restoredAfter(service, async () => {
			await payOut();
			await eventually('the earnings to be paid', async () => (await paidOut()).length === 1);
		});
	}, 180_000);
	afterAll(async () => {
		await service?.local.stop();
		rmSync(service.stateDirectory, { recursive: true, force: true });
	});

	it('are not paid again by who confirms what belongs to no order: the refusal names the command that books them', async () => {
		const [payment] = await paidOut();
		const right = `earnings pay-out ${partner.id} --tx-id ${payment?.txId}`;
		expect(await refusal('restored', 'confirm', '--own')).toContain(right);
		// Also where the service has planned them again meanwhile, which the signer lets wait.
		await payOut();
		expect(await refusal('restored', 'confirm', '--own')).toContain(right);
		expect(await paidOut()).toHaveLength(1);
	});

	it('and once they are booked, the rest goes on', async () => {
		const [payment] = await paidOut();
		const [row] = await service.sql<{ id: string }>("SELECT id FROM transactions WHERE state = 'planned'");
		await json('payout', 'give-up', String(row?.id), '--reason', 'paid after the backup');
		await payOut('--tx-id', String(payment?.txId));
		await json('restored', 'confirm', '--own');
		expect(await paidOut()).toHaveLength(1);
		expect(await service.sql("SELECT id FROM transactions WHERE state = 'planned'")).toEqual([]);
	});
});

describe('a payment of an amount that tells nothing, to an address of an order', () => {
	const RECIPIENT = '0xf1a0f1a0f1a0f1a0f1a0f1a0f1a0f1a0f1a0ab17';
	let chosen: CreatedOrder;
	let waits: CreatedOrder;
	const shown = async ({ id }: CreatedOrder) => {
		const { waiting } = await json<{ waiting: { order: string; onChain: string; do: string }[] }>('restored', 'show');
		return waiting.find((row) => row.order === id);
	};

	beforeAll(async () => {
		service = await startTestService();
		partner = await createPartner(service, { weightPerMinute: 1_000_000 });
		chosen = await newOrder();
		waits = (await create(service, partner, { toAddress: RECIPIENT })).data;
		for (const { id } of [chosen, waits]) await service.operator('sandbox/deposit', { orders: [id], amount: '0.1' });
		for (const each of [chosen, waits]) await untilStatus(service, partner, each, 'EMERGENCY');
		service = await restoredAfter(service, async () => {
			await service.operator('sandbox/price', { coin: 'LTC', usd: '1000' });
			const { id, token } = chosen;
			await signed(service, partner, '/api/v1/emergency', { id, token, choice: 'EXCHANGE' });
			await untilStatus(service, partner, chosen, 'DONE');
			// An order that the backup does not know pays the recipient of one that it knows.
			const { data: other } = await create(service, partner, { toAddress: RECIPIENT });
			await service.operator('sandbox/deposit', { orders: [other.id] });
			await untilStatus(service, partner, other, 'DONE');
		});
	}, 240_000);
	afterAll(async () => {
		await service?.local.stop();
		rmSync(service.stateDirectory, { recursive: true, force: true });
	});

	it.each([
		['its own, at a price of later', () => chosen],
		['another order’s', () => waits],
	])('is left to a person: no command runs as it is printed, and nothing is paid (%s)', async (_, which) => {
		const [payment] = await paidOf(which());
		const row = await shown(which());
		expect(row).toMatchObject({ onChain: payment?.txId, do: expect.stringContaining('a person must find out') });
		expect(commandsIn(String(row?.do))).toEqual([]);
		for (const [, line = ''] of String(row?.do).matchAll(/`([^`]+)`/g)) await refusal(...line.split(' '));
		expect(await refusal('restored', 'confirm', which().id)).toContain('restored show');
		expect(await refusal('order', 'refund', which().id)).toContain('restored show');
		expect(await paidOf(which())).toHaveLength(1);
		expect(await returnedOf()).toBe(0);
	});

	it('and goes on by what the person has found out: booked, or named as none of it', async () => {
		const [payment] = await paidOf(chosen);
		await json('restored', 'paid', chosen.id, '--tx-id', String(payment?.txId), '--reason', 'R');
		await untilStatus(service, partner, chosen, 'DONE');
		expect(await paidOf(chosen)).toHaveLength(1);
		const [other] = await paidOf(waits);
		await json('restored', 'confirm', waits.id, '--not', String(other?.txId));
		await json('order', 'refund', waits.id);
		await untilStatus(service, partner, waits, 'EXPIRED');
		expect(await paidOf(waits)).toHaveLength(1);
		expect(await returnedOf()).toBe(1);
	});
});

describe('withdrawals that were made after the backup', () => {
	const withdrawn = () => payoutsTo(service, 'Ethereum', WITHDRAWN_TO);
	const withdraw = (amount: string, ...more: string[]) =>
		json<{ state: string }>('treasury', 'withdraw', 'ETH', '--amount', amount, ...more);
	const isFinal = (count: number) =>
		eventually('the withdrawal to be final', async () => {
			const rows = await service.sql("SELECT 1 FROM transactions WHERE kind = 'withdrawal' AND state = 'final'");
			return rows.length === count;
		});

	beforeAll(async () => {
		service = await startTestService(LIVES_VARIABLES);
		partner = await createPartner(service, { weightPerMinute: 1_000_000 });
		await send(false);
		await planWithdrawal(service);
		service = await restoredAfter(
			service,
			async () => {
				await send(true);
				await isFinal(1);
				await withdraw('2.5');
				await isFinal(2);
			},
			LIVES_VARIABLES,
		);
	}, 240_000);
	afterAll(async () => {
		await service?.local.stop();
		rmSync(service.stateDirectory, { recursive: true, force: true });
	});

	it('are each named with the command that books it, before what belongs to no order goes on', async () => {
		const booked: string[] = [];
		for (const name of ['restored paid', 'treasury withdraw']) {
			const said = await refusal('restored', 'confirm', '--own');
			const [line = ''] = commandsIn(said).map((each) => each.line);
			expect(line, said).toContain(name);
			await json(...line.split(' '));
			booked.push(line);
			await isFinal(booked.length);
		}
		expect(booked[1]).toMatch(/^treasury withdraw ETH --amount 2\.5 --to cold --tx-id 0x/);
		// Repeated, each books nothing twice.
		await json(...String(booked[0]).split(' '));
		expect(await refusal(...String(booked[1]).split(' '))).toContain('known already');
		// What is none is not, and nothing stays planned.
		const none = ['treasury', 'withdraw', 'ETH', '--amount', '3', '--tx-id', `0x${'ab'.repeat(32)}`];
		expect(await refusal(...none)).toContain('nothing was booked');
		expect(await service.sql("SELECT 1 FROM transactions WHERE state <> 'final'")).toEqual([]);
		// Nor is one that the signer knows another time, where D1 has forgotten it.
		await planWithdrawal(service);
		const [{ id } = { id: '' }] = await service.sql<{ id: string }>(
			"SELECT id FROM transactions WHERE state = 'planned'",
		);
		const [, , , , known = ''] = String(booked[0]).split(' ');
		const again = ['restored', 'paid', id, '--tx-id', known, '--reason', 'the wrong one'];
		await service.sql("UPDATE transactions SET tx_id = 'forgotten' WHERE tx_id = ?", known);
		expect(await refusal(...again)).toContain(`${known} was signed for another payment`);
		await service.sql("UPDATE transactions SET tx_id = ? WHERE tx_id = 'forgotten'", known);
		await json('restored', 'confirm', '--own');
		await send(true);
		await isFinal(3);
		expect(await withdrawn()).toHaveLength(3);
		const { wallets } = await service.operator<{ wallets: { result: string }[] }>('ledger/check');
		expect(wallets.filter(({ result }) => result === 'differs')).toEqual([]);
		expect(await refusal(...none)).toContain('`ledger adjust ETH --amount AMOUNT --reason R`');
	});
});
