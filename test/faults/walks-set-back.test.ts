/**
 * D1 is set back to before orders were paid or sent back. What is planned for them then is refused by the signer, whose
 * journal knows the payment: the operator does what is printed, and each order ends with the payment that it got.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { copyDatabaseFile, databaseFile } from '../support/database-file.ts';
import { paidTo, payoutsTo } from '../support/earnings.ts';
import { operatorOf } from '../support/operator.ts';
import { type CreatedOrder, create, LTC_REFUND, readOrder, untilStatus } from '../support/orders.ts';
import { type Credentials, createPartner, signed } from '../support/partner.ts';
import { eventually, startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let partner: Credentials;
const { json, run, refusal } = operatorOf(() => service);
const orders: Record<string, CreatedOrder> = {};
const orderOf = (name: string): CreatedOrder => orders[name] as CreatedOrder;
const until = (name: string, status: string) => untilStatus(service, partner, orderOf(name), status);
const deposit = (name: string, more: Record<string, unknown> = {}) =>
	service.operator('sandbox/deposit', { orders: [orderOf(name).id], ...more });

/** What each is at the moment to which D1 is set back, and what comes after it. */
const PAID = 'NEW, then paid';
const REFUNDED = 'EMERGENCY, then sent back';
const EXCHANGED = 'EMERGENCY, then exchanged';
const CROSSED = 'EMERGENCY, then sent back, then exchanged again';
const NAMES = [PAID, REFUNDED, EXCHANGED, CROSSED];

async function choose(name: string): Promise<void> {
	const { id, token } = orderOf(name);
	const answer = await signed(service, partner, '/api/v1/emergency', { id, token, choice: 'EXCHANGE' });
	expect(answer.code, answer.text).toBe(0);
}

beforeAll(async () => {
	service = await startTestService();
	partner = await createPartner(service, { weightPerMinute: 1_000_000, afftaxBps: 100 });
	for (const [i, name] of NAMES.entries()) {
		const toAddress = `0x${(i + 1).toString(16).padStart(40, 'beef')}`;
		const { data, text } = await create(service, partner, { toAddress });
		expect(data?.id, text).toBeTruthy();
		orders[name] = data;
	}
	for (const name of [REFUNDED, EXCHANGED, CROSSED]) await deposit(name, { amount: '0.3' });
	for (const name of [REFUNDED, EXCHANGED, CROSSED]) await until(name, 'EMERGENCY');
	const earlier = join(service.stateDirectory, 'earlier');
	await copyDatabaseFile(databaseFile(service), earlier);
	await deposit(PAID);
	await json('order', 'refund', orderOf(REFUNDED).id);
	await json('order', 'refund', orderOf(CROSSED).id);
	await choose(EXCHANGED);
	for (const name of [PAID, EXCHANGED]) await until(name, 'DONE');
	for (const name of [REFUNDED, CROSSED]) await until(name, 'EXPIRED');
	await service.local.stop();
	await copyDatabaseFile(earlier, databaseFile(service));
	service = await startTestService({}, service.stateDirectory);
	await json('sandbox', 'price', 'LTC', '90');
}, 120_000);
afterAll(async () => {
	await service?.local.stop();
	rmSync(service.stateDirectory, { recursive: true, force: true });
});

interface Row {
	readonly area: string;
	readonly subject: string;
	readonly cause: string;
	readonly todo: string;
}

/** What `attention` says of the order's transaction. */
const toldOf = (name: string): Promise<Row> =>
	eventually(`${name} to be named`, async () => {
		const rows = await service.operator<Row[]>('attention');
		return rows.find(({ area, cause }) => area === 'transaction' && cause.includes(`${orderOf(name).id} `));
	});

/** The one command that the text names. */
function commandIn(text: string): string[] {
	const commands = [...text.matchAll(/`([a-z][^`]+)`/g)].map(([, command = '']) => command);
	expect(commands, text).toHaveLength(1);
	return String(commands[0]).split(' ');
}

const isQuiet = (name: string) =>
	eventually(`nothing to be said of ${name}`, async () => {
		const rows = await service.operator<Row[]>('attention');
		return !rows.some((row) => JSON.stringify(row).includes(orderOf(name).id));
	});

it('an order whose payout is planned again ends with the payout that it got, in the amount of then', async () => {
	const { cause, todo } = await toldOf(PAID);
	const [paid] = await payoutsTo(service, 'Ethereum', orderOf(PAID).to.address);
	expect(cause).toContain(`this order was paid already, by ${paid?.txId}: the database was set back`);
	expect(todo).toBe('do what the cause says');
	const [planned] = await service.sql<{ id: string }>(
		'SELECT id FROM transactions WHERE order_id = ?',
		orderOf(PAID).id,
	);
	// Who takes it back all the same is told the same.
	expect(await refusal('payout', 'give-up', String(planned?.id), '--reason', 'R')).toContain(
		commandIn(cause).join(' '),
	);
	expect((await run(...commandIn(cause))).stderr).toBe('');
	expect((await until(PAID, 'DONE')).to.tx.id).toBe(paid?.txId);
	await isQuiet(PAID);
	expect(await payoutsTo(service, 'Ethereum', orderOf(PAID).to.address)).toHaveLength(1);
});

it('an order that was sent back and is to be sent back again ends with the refund that it got', async () => {
	const asked = (await service.operator<Row[]>('attention')).find(({ subject }) => subject === orderOf(REFUNDED).id);
	expect(asked?.todo).toContain(`\`order refund ${orderOf(REFUNDED).id}\``);
	expect((await run('order', 'refund', orderOf(REFUNDED).id)).stderr).toBe('');
	const { cause } = await toldOf(REFUNDED);
	expect(cause).toContain('these deposits were paid for already, by ');
	expect((await run(...commandIn(cause))).stderr).toBe('');
	expect(cause).toContain((await until(REFUNDED, 'EXPIRED')).back.tx.id);
	await isQuiet(REFUNDED);
});

it.each([
	[EXCHANGED, 'is to be sent back', 'DONE'],
	[CROSSED, 'is to be exchanged', 'EXPIRED'],
])('%s: what %s gives way to what it got', async (name, _, end) => {
	if (end === 'DONE') expect((await run('order', 'refund', orderOf(name).id)).stderr).toBe('');
	else await choose(name);
	const { cause } = await toldOf(name);
	expect((await run(...commandIn(cause))).stderr).toBe('');
	await until(name, end);
	await isQuiet(name);
});

it('nothing was paid twice, the books agree, and the partner’s share is what was signed then', async () => {
	const times = await Promise.all(
		NAMES.map(async (name) => (await payoutsTo(service, 'Ethereum', orderOf(name).to.address)).length),
	);
	expect(times).toEqual([1, 0, 1, 0]);
	expect(await payoutsTo(service, 'Litecoin', LTC_REFUND)).toHaveLength(2);
	await eventually('the books to agree', async () => {
		const checked = await service.operator<{ differences: number; moving: number; unbalanced: unknown[] }>(
			'ledger/check',
		);
		return checked.differences + checked.moving + checked.unbalanced.length === 0;
	});
	await paidTo(service, partner, '0x00000000000000000000000000000000000ea12e', { asset: 'ETH' });
	const { payoutId } = await json<{ payoutId: string }>('earnings', 'pay-out', partner.id);
	await eventually('the partner’s share to be paid', async () => {
		const rows = await service.sql<{ state: string }>('SELECT state FROM transactions WHERE id = ?', payoutId);
		return rows[0]?.state === 'final' || rows[0]?.state === 'sent';
	});
	const views = await Promise.all(NAMES.map((name) => readOrder(service, partner, orderOf(name))));
	expect(views.map(({ status }) => status)).toEqual(['DONE', 'EXPIRED', 'DONE', 'EXPIRED']);
});
