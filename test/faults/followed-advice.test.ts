/**
 * An operator who does to the letter what is printed, whatever it is, after a restore: orders that the backup caught at each
 * moment of their life, which then went on, at other prices. None is paid twice, and none waits for ever.
 */
import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { payoutsTo } from '../support/earnings.ts';
import { operatorOf } from '../support/operator.ts';
import { type CreatedOrder, create, LTC_REFUND, readOrder, untilStatus } from '../support/orders.ts';
import { type Credentials, createPartner, signed } from '../support/partner.ts';
import { restoredAfter } from '../support/restored.ts';
import { eventually, startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let partner: Credentials;
const { json, run } = operatorOf(() => service);
/** By their state at the backup, and what came of them afterwards. */
const orders: Record<string, CreatedOrder> = {};
const orderOf = (name: string): CreatedOrder => orders[name] as CreatedOrder;

let recipients = 0;
async function newOrder(name: string): Promise<void> {
	const toAddress = `0x${(++recipients).toString(16).padStart(40, 'beef')}`;
	const { data, text } = await create(service, partner, { toAddress });
	expect(data?.id, text).toBeTruthy();
	orders[name] = data;
}
const send = (name: string, on: boolean) => service.operator('network/update', { name, send: on });
const deposit = (name: string, more: Record<string, unknown> = {}) =>
	service.operator('sandbox/deposit', { orders: [orderOf(name).id], ...more });
const until = (name: string, status: string) => untilStatus(service, partner, orderOf(name), status);
const refund = (name: string) => service.operator('order/refund', { id: orderOf(name).id });
const paid = async (name: string) => (await payoutsTo(service, 'Ethereum', orderOf(name).to.address)).length;
const sentBack = async () => (await payoutsTo(service, 'Litecoin', LTC_REFUND)).length;

const NAMES = [
	...[
		'NEW, then paid',
		'NEW, then refunded',
		'PENDING, then paid',
		'DONE',
		'planned, then paid',
		'planned, then refunded',
	],
	...[
		'EMERGENCY, then refunded',
		'EMERGENCY, then exchanged',
		'EMERGENCY, still',
		'refund planned, then sent',
		'owed, still',
	],
];

async function live(): Promise<void> {
	for (const name of NAMES) await newOrder(name);
	await deposit('DONE');
	await until('DONE', 'DONE');
	const small = NAMES.filter((name) => name.startsWith('EMERGENCY') || name.startsWith('refund planned'));
	for (const name of small) await deposit(name, { amount: '0.1' });
	for (const name of small) await until(name, 'EMERGENCY');
	await send('Ethereum', false);
	await send('Litecoin', false);
	for (const name of ['planned, then paid', 'planned, then refunded', 'owed, still']) {
		await deposit(name);
		await until(name, 'EXCHANGE');
	}
	await refund('refund planned, then sent');
	await deposit('PENDING, then paid', { confirmations: 0 });
	await until('PENDING, then paid', 'PENDING');
}

const payoutOf = async (name: string): Promise<string> =>
	String(
		(await service.sql<{ id: string }>('SELECT id FROM transactions WHERE order_id = ?', orderOf(name).id))[0]?.id,
	);

/** What the backup does not know; after the restore prices are others. */
async function goOn(): Promise<void> {
	for (const name of ['planned, then refunded', 'owed, still'])
		await service.operator('payout/give-up', { id: await payoutOf(name), reason: 'to pay the others alone' });
	await refund('planned, then refunded');
	await refund('EMERGENCY, then refunded');
	await deposit('NEW, then paid');
	await deposit('NEW, then refunded', { amount: '0.1' });
	await service.operator('sandbox/confirm', { orders: [orderOf('PENDING, then paid').id] });
	const { id, token } = orderOf('EMERGENCY, then exchanged');
	const body = { id, token, choice: 'EXCHANGE' };
	expect((await signed(service, partner, '/api/v1/emergency', body)).code).toBe(0);
	for (const name of ['Ethereum', 'Litecoin']) await send(name, true);
	await until('NEW, then refunded', 'EMERGENCY');
	await refund('NEW, then refunded');
	for (const name of NAMES.filter((each) => each.endsWith('paid') || each.endsWith('exchanged')))
		await until(name, 'DONE');
	for (const name of NAMES.filter((each) => each.endsWith('refunded') || each.endsWith('sent')))
		await until(name, 'EXPIRED');
}

beforeAll(async () => {
	service = await startTestService();
	partner = await createPartner(service, { weightPerMinute: 1_000_000 });
	await live();
	service = await restoredAfter(service, goOn);
	await json('sandbox', 'price', 'LTC', '80');
}, 300_000);
afterAll(async () => {
	await service?.local.stop();
	rmSync(service.stateDirectory, { recursive: true, force: true });
});

const commandsIn = (text: string): string[] =>
	[...text.matchAll(/`([a-z][^`]+)`/g)].flatMap(([, command = '']) =>
		/^(order refund|payout give-up) \S{8,}|^network update/.test(command) ? [command] : [],
	);

/** What the last round was told, and how each command ended. */
let told: string[] = [];

/** One round: everything that `attention` and `restored show` name. Refusals are followed as well. */
async function follow(): Promise<number> {
	const attention = await service.operator<{ todo: string; cause: string }[]>('attention');
	const shown = await json<{ waiting: { do: string }[] }>('restored', 'show');
	const named = [
		...attention.flatMap(({ todo, cause }) => commandsIn(`${cause} ${todo}`)),
		...shown.waiting.map((row) => row.do).filter((text) => text.startsWith('restored ')),
	];
	told = [];
	for (const command of named) {
		const { stderr } = await run(...command.split(' '));
		told.push(`${command}: ${stderr || 'done'}`);
		for (const next of [...stderr.matchAll(/`(restored paid [^`]+)`/g)]) await run(...String(next[1]).split(' '));
	}
	return shown.waiting.length;
}

/** The orders that stay, what is planned for them, and all that `attention` says. */
async function left(): Promise<string> {
	const rows = await service.sql(
		`SELECT orders.id, status, kind, state, waits_kind, waits_facts, blocked_kind, blocked_facts, attempts
		 FROM orders LEFT JOIN transactions ON order_id = orders.id WHERE status NOT IN ('DONE', 'EXPIRED')`,
	);
	return JSON.stringify([rows, await service.operator('attention')]);
}

it('who follows every printed line to the letter pays nothing twice, and no order stays', async () => {
	await eventually(
		'nothing to wait',
		async () => {
			const waiting = await follow();
			const views = await Promise.all(NAMES.map((name) => readOrder(service, partner, orderOf(name))));
			return waiting === 0 && views.every(({ status }) => status === 'DONE' || status === 'EXPIRED');
		},
		240_000,
	).catch(async (error: Error) => {
		throw new Error(`${error.message}; the last round: ${told.join('; ')}; what is left: ${await left()}`);
	});
	const ends = await Promise.all(
		NAMES.map(async (name) => [name, (await readOrder(service, partner, orderOf(name))).status, await paid(name)]),
	);
	const refunded = ends.filter(([, status]) => status === 'EXPIRED').length;
	expect(ends.filter(([, status, times]) => times !== (status === 'DONE' ? 1 : 0))).toEqual([]);
	expect(await sentBack()).toBe(refunded);
}, 300_000);
