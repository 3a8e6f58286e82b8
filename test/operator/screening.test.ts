/**
 * The screening hook (book: run, "Screening"): nothing moves before the operator's service accepts, and partners
 * see EMERGENCY and nothing else of it.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { payoutsTo } from '../support/earnings.ts';
import { operatorOf } from '../support/operator.ts';
import { ordersForFile } from '../support/order-life.ts';
import { type CreatedOrder, ETH_RECIPIENT, LTC_REFUND } from '../support/orders.ts';
import { signed } from '../support/partner.ts';
import { eventually, startTestService, type TestService } from '../support/service.ts';
import { type Manner, startWebhookReceiver, verify, type WebhookReceiver } from '../support/webhook-receiver.ts';

const SECRET = 'the secret that the operator shares with the screening';
let screening: WebhookReceiver;
let service: TestService;
beforeAll(async () => {
	screening = await startWebhookReceiver();
	service = await startTestService({ SCREENING_URL: screening.url, SCREENING_SECRET: SECRET });
});
afterAll(async () => {
	await service?.local.stop();
	await screening?.close();
});

const current = () => service;
const { newOrder, read, until, deposit, history, age, partner } = ordersForFile({ current });
const { json } = operatorOf(current);

interface Asked {
	readonly id: string;
	readonly type: string;
	readonly data: Readonly<Record<string, string>>;
}
const askedOf = (order: CreatedOrder): Asked[] =>
	screening.received.map(({ json: body }) => body as Asked).filter(({ data }) => data['orderId'] === order.id);
const verdict = (text: string): Manner => ({ status: 200, body: JSON.stringify({ verdict: text }) });
/** Answers by subject; what is not named is accepted. */
const answer = (bySubject: Readonly<Record<string, Manner>>) =>
	screening.answer(({ json: body }) => bySubject[(body as Asked).data['subject'] ?? ''] ?? verdict('accept'));
beforeEach(async () => {
	// What the tests before hold stays held, however long they took.
	await service.sql('UPDATE screenings SET next_ask_at = NULL');
	screening.clear();
	answer({});
});

const paid = async () => (await payoutsTo(service, 'Ethereum', ETH_RECIPIENT)).length;
const refunded = async () => (await payoutsTo(service, 'Litecoin', LTC_REFUND)).length;
/** As if the time to ask again had come. */
const askAgainNow = (order: CreatedOrder) =>
	service.sql('UPDATE screenings SET next_ask_at = 1 WHERE order_id = ? AND next_ask_at IS NOT NULL', order.id);
async function attentionOf(order: CreatedOrder) {
	const rows = await service.operator<{ subject: string; cause: string; todo: string }[]>('attention');
	return rows.find(({ subject }) => subject === order.id);
}

/** What the operator is told of an order that screening holds or wants sent back. */
const held = (order: CreatedOrder) =>
	eventually('it to be held', async () => {
		const row = await attentionOf(order);
		return row?.cause.includes('screening holds it') && row;
	});

const errorOf = (command: string, input: Record<string, unknown>): Promise<string> =>
	service.operator(command, input).then(
		(data) => `not refused: ${JSON.stringify(data)}`,
		(error: Error) => error.message,
	);
const refused = (order: CreatedOrder) => errorOf('order/refund', { id: order.id });
const decide = (order: CreatedOrder, by: string, reason: string) =>
	service.operator('order/screen', { id: order.id, verdict: by, reason });

describe('screening', () => {
	it('is asked about the deposit and the recipient, signed, and an accepted order is paid', async () => {
		const order = await newOrder();
		await deposit(order);
		const done = await until(order, 'DONE');
		const [about, recipient, ...more] = askedOf(order);
		expect(more).toEqual([]);
		expect(about).toEqual({
			id: `${order.id}:deposit:${done.from.tx.id}:${about?.data['position'] ?? ''}`.replace(/:$/, ''),
			type: 'screening.deposit',
			createdAt: expect.any(String),
			data: {
				orderId: order.id,
				subject: 'deposit',
				network: 'Litecoin',
				asset: 'LTC',
				amount: '2',
				address: order.from.address,
				txId: done.from.tx.id,
				position: expect.any(String),
			},
		});
		const where = { orderId: order.id, subject: 'recipient', network: 'Ethereum', asset: 'ETH' };
		expect(recipient?.data).toEqual({ ...where, address: ETH_RECIPIENT });
		expect(screening.received.every((received) => verify(received, SECRET))).toBe(true);
		expect(screening.received[0]?.headers['x-partner-webhook-id']).toBe(about?.id);
		expect(await history(order)).toEqual(['NEW', 'PENDING', 'EXCHANGE', 'DONE']);
	});

	it('a hold is PENDING for the partner, since there is no choice to make', async () => {
		answer({ recipient: verdict('hold') });
		const order = await newOrder();
		const before = await paid();
		await deposit(order);
		const told = await held(order);
		expect(told).toMatchObject({
			cause: expect.stringMatching(
				/^PENDING: screening holds it: recipient 0x\w+: the screening service answered hold; it is asked again at 20/,
			),
			todo: expect.stringContaining(`order screen ${order.id} accept|hold|refund --reason`),
		});
		const view = await read(order);
		expect(view).toMatchObject({
			status: 'PENDING',
			emergency: { status: [], choice: 'NONE' },
			to: { tx: { id: null } },
			from: { tx: { id: expect.any(String), amount: '2' } },
		});
		expect(JSON.stringify(view)).not.toMatch(/screen|hold/i);
		const choice = { id: order.id, token: order.token, choice: 'EXCHANGE' };
		expect(await signed(service, partner(), '/api/v1/emergency', choice)).toMatchObject({
			code: 1,
			msg: 'order not in emergency state',
		});
		expect(await paid()).toBe(before);
	});

	it('is asked again on a schedule, and what it accepts then goes on by itself', async () => {
		answer({ recipient: verdict('hold') });
		const order = await newOrder();
		await deposit(order);
		await held(order);
		answer({});
		await askAgainNow(order);
		await until(order, 'DONE');
		expect(await history(order)).toEqual(['NEW', 'PENDING', 'EXCHANGE', 'DONE']);
		expect(askedOf(order).map(({ type }) => type)).toEqual([
			'screening.deposit',
			'screening.recipient',
			'screening.recipient',
		]);
	});

	const BIG = JSON.stringify({ verdict: 'accept', more: 'x'.repeat(5_000) });
	const USELESS: readonly [Manner, RegExp][] = [
		[{ status: 503, body: '{"verdict":"accept"}' }, /HTTP 503/],
		[{ status: 307, headers: { location: '/' }, body: '{"verdict":"accept"}' }, /HTTP 307/],
		[{ status: 200, body: 'accept' }, /its answer is not/],
		[verdict('ok'), /its answer is not/],
		[{ status: 200, body: BIG }, /larger than 4096 bytes/],
		['hang-up', /no answer/],
		['silence', /no answer within 5 seconds/],
	];

	it('another status, a redirect, no JSON, an unknown verdict, too much, no connection and silence hold, and the operator is told', async () => {
		const before = await paid();
		const placed = await Promise.all(USELESS.map(() => newOrder()));
		screening.answer(({ json: body }) => {
			const { orderId, subject } = (body as Asked).data;
			const which = placed.findIndex(({ id }) => id === orderId);
			return (subject === 'deposit' && USELESS[which]?.[0]) || verdict('accept');
		});
		await service.operator('sandbox/deposit', { orders: placed.map(({ id }) => id) });
		const told = await Promise.all(placed.map(held));
		const views = await Promise.all(placed.map(read));
		expect(views.map(({ status }) => status)).toEqual(placed.map(() => 'PENDING'));
		for (const [i, [, because]] of USELESS.entries()) expect(told[i]?.cause).toMatch(because);
		expect(await paid()).toBe(before);
	});

	it('refund sends the deposit back to the refund address, which is asked about too', async () => {
		answer({ deposit: verdict('refund') });
		const before = await refunded();
		const order = await newOrder();
		await deposit(order);
		expect(await until(order, 'EXPIRED')).toMatchObject({ back: { tx: { id: expect.any(String) } } });
		expect(await history(order)).toEqual(['NEW', 'PENDING', 'EXPIRED']);
		expect(askedOf(order).at(-1)?.data).toMatchObject({ subject: 'refund', network: 'Litecoin', address: LTC_REFUND });
		expect(await refunded()).toBe(before + 1);
		expect(await service.operator('ledger/check')).toMatchObject({ differences: 0, unbalanced: [] });
	});

	it('no refund goes to an address that it holds, not by itself and not by the operator’s command', async () => {
		answer({ deposit: verdict('refund'), refund: verdict('hold') });
		const before = await refunded();
		const order = await newOrder();
		await deposit(order);
		await held(order);
		const told = await eventually('it to be asked', async () => {
			const row = await attentionOf(order);
			return row?.cause.includes('refund address') && row;
		});
		expect(told.cause).toContain('the screening service answered hold');
		expect(await refused(order)).toMatch(/refund address ltc1\w+: the screening service answered hold/);
		expect(await refunded()).toBe(before);
	});

	it('a stray waits for a person, and goes to no address that it holds, not by the operator’s command either', async () => {
		answer({ deposit: verdict('refund'), refund: verdict('hold') });
		const terms = { fromCcy: 'USDTERC20', toCcy: 'LTC', amount: '500', toAddress: LTC_REFUND };
		const order = await newOrder({ ...terms, refundAddress: ETH_RECIPIENT });
		await deposit(order);
		await eventually('the refund address to be held', async () =>
			(await attentionOf(order))?.cause.includes('refund address'),
		);
		const before = await paid();
		await service.operator('sandbox/deposit', { orders: [order.id], asset: 'USDCERC20', amount: '300' });
		const stray = await eventually('the stray to wait', async () => {
			await service.operator('order/find-stray', { id: order.id });
			const rows = await service.operator<{ subject: string; cause: string; todo: string }[]>('attention');
			return rows.find(({ subject, cause }) => subject === order.id && cause.startsWith('USDCERC20 on Ethereum came'));
		});
		expect(stray.todo).toContain(`\`order return-stray ${order.id} USDCERC20 --reason R\``);
		const giveBack = { id: order.id, asset: 'USDCERC20', reason: 'attention said so' };
		expect(await errorOf('order/return-stray', giveBack)).toMatch(/screening holds 0x\w+: `--to` sends it to another/);
		expect(await paid()).toBe(before);
		const elsewhere = '0x1234567890123456789012345678901234567890';
		await service.operator('order/return-stray', { ...giveBack, to: elsewhere });
		await eventually(
			'it to be sent there',
			async () => (await payoutsTo(service, 'Ethereum', elsewhere)).length === 1,
			90_000,
		);
		expect(await paid()).toBe(before);
		expect(await service.operator('ledger/check')).toMatchObject({ differences: 0, unbalanced: [] });
	});

	it('a late deposit and a choice do not avoid it, and neither does the refund of a deposit after the payout', async () => {
		const order = await newOrder();
		await age(order, 3_700_000);
		await until(order, 'EXPIRED');
		answer({ deposit: verdict('hold') });
		await deposit(order);
		expect(await until(order, 'EMERGENCY')).toMatchObject({ emergency: { status: ['EXPIRED'] } });
		const choice = { id: order.id, token: order.token, choice: 'EXCHANGE' };
		expect(await signed(service, partner(), '/api/v1/emergency', choice)).toMatchObject({ code: 0 });
		await eventually('it to be held', async () => (await attentionOf(order))?.cause.includes('answered hold'));
		expect(await read(order)).toMatchObject({ status: 'EMERGENCY' });

		answer({});
		const done = await newOrder();
		await deposit(done);
		await until(done, 'DONE');
		answer({ deposit: verdict('hold') });
		await deposit(done, { amount: '1' });
		const second = await eventually('the second deposit', async () => (await attentionOf(done)) !== undefined);
		expect(second).toBe(true);
		expect(await refused(done)).toContain('the screening service answered hold');
	});

	it('the operator decides instead, with a reason, and a verdict of the service does not replace theirs', async () => {
		answer({ deposit: verdict('hold') });
		const order = await newOrder();
		await deposit(order);
		await held(order);
		const decided = await json<{ screening: unknown[] }>(
			'order',
			'screen',
			order.id,
			'hold',
			'--reason',
			'the police ask',
		);
		expect(decided.screening).toContainEqual(
			expect.objectContaining({ decidedBy: 'operator', note: 'the police ask' }),
		);
		expect(await refused(order)).toContain('the operator decided hold (the police ask)');
		const asked = askedOf(order).length;
		expect(await decide(order, 'accept', 'a friend')).toMatchObject({ verdict: 'accept' });
		await until(order, 'DONE');
		expect(askedOf(order)).toHaveLength(asked);
		const [entry] = await service.sql<{ changes: string }>(
			"SELECT changes FROM audit_log WHERE command = 'order screen' AND subject = ? ORDER BY at DESC",
			order.id,
		);
		expect(JSON.parse(entry?.changes ?? '')).toEqual({ verdict: 'accept', reason: 'a friend' });
		expect(await errorOf('order/screen', { id: order.id, verdict: 'refund', reason: 'too late' })).toContain(
			'no deposit of it is left',
		);
	});

	it('a refund that the operator decides needs no answer of the service', async () => {
		answer({ deposit: verdict('hold'), refund: 'hang-up' });
		const order = await newOrder();
		await deposit(order);
		await held(order);
		await decide(order, 'refund', 'they asked');
		await until(order, 'EXPIRED');
		expect(askedOf(order).some(({ data }) => data['subject'] === 'refund')).toBe(false);
	});

	const HOUR = 3_600_000;
	/** As if its deposit had become final so long ago. */
	const waited = (order: CreatedOrder) =>
		service.sql('UPDATE deposits SET last_seen_at = last_seen_at - ? WHERE order_id = ?', 72 * HOUR, order.id);

	it('what the service holds and nobody decides about goes back after 72 hours, once it accepts the refund address', async () => {
		answer({ deposit: verdict('hold'), recipient: 'hang-up', refund: verdict('hold') });
		const before = await refunded();
		const order = await newOrder();
		await deposit(order);
		await held(order);
		await waited(order);
		const told = await eventually('the refund address to be asked about', async () => {
			const row = await attentionOf(order);
			return row?.cause.includes('refund address') && row;
		});
		expect(told.cause).toContain('nobody decided about its hold in time');
		expect(await refunded()).toBe(before);
		answer({ deposit: verdict('hold') });
		await service.sql('UPDATE screenings SET at = 1 WHERE order_id = ?', order.id);
		expect(await until(order, 'EXPIRED')).toMatchObject({ back: { tx: { id: expect.any(String) } } });
		expect(await history(order)).toEqual(['NEW', 'PENDING', 'EXPIRED']);
	});

	it('what the operator holds stays until they decide again, however long that takes', async () => {
		answer({ deposit: verdict('hold') });
		const order = await newOrder();
		await deposit(order);
		await held(order);
		await decide(order, 'hold', 'the police ask');
		await waited(order);
		await new Promise((over) => setTimeout(over, 3_000));
		expect(await read(order)).toMatchObject({ status: 'PENDING' });
		expect(await attentionOf(order)).toMatchObject({
			cause: expect.stringContaining('the operator decided hold (the police ask)'),
			todo: expect.stringContaining('order screen'),
		});
		await decide(order, 'refund', 'they no longer ask');
		await until(order, 'EXPIRED');
	});

	it('a verdict that is stored while a payout is being planned stops it, whatever the poll has read', async () => {
		// The trigger plays a poll that has read before the operator decided.
		await service.sql(`CREATE TRIGGER decides BEFORE INSERT ON order_changes WHEN NEW.status = 'EXCHANGE'
			BEGIN UPDATE screenings SET verdict = 'hold', next_ask_at = NULL WHERE order_id = NEW.order_id; END`);
		const before = await paid();
		const order = await newOrder();
		await deposit(order);
		await eventually('the batch to fail', async () =>
			service.logged('moves_not_written').some((line) => JSON.stringify(line).includes('refused: screening')),
		);
		expect(await paid()).toBe(before);
		await service.sql('DROP TRIGGER decides');
		await until(order, 'DONE');
	});
});
