/** A payer asks for something on the order's page: a refund, or a lost payment, or the signed promise: who is told, what goes by itself, what is refused. */
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { type PromiseKeys, type SignedPromise, verifyPromise } from '../../src/sdk/index.ts';
import { browserForFile, openPage, overflows, PHONE, seriousIn } from '../support/browser.ts';
import { CabinetVisitor } from '../support/cabinet.ts';
import { signIn } from '../support/console-visit.ts';
import { type CreatedOrder, create, LTC_REFUND, readOrder, untilStatus } from '../support/orders.ts';
import { type Credentials, createPartner, signed } from '../support/partner.ts';
import { eventually, serviceForFile } from '../support/service.ts';

const SUPPORT = 'help@exchange.example';
const service = serviceForFile({ SUPPORT_CONTACT: SUPPORT }, { pages: true });
browserForFile();
let partner: Credentials;
beforeAll(async () => {
	partner = await createPartner(service.current(), { name: 'Coins & Co', weightPerMinute: 1_000_000 });
	await operator('partner/update', { id: partner.id, payerDecides: true });
});

const operator = <T = Record<string, unknown>>(command: string, input: unknown = {}) =>
	service.current().operator<T>(command, input);
const newOrder = async (more = {}) => (await create(service.current(), partner, more)).data;
const deposit = ({ id }: CreatedOrder, more = {}) => operator('sandbox/deposit', { orders: [id], ...more });
const until = (order: CreatedOrder, status: string) => untilStatus(service.current(), partner, order, status);

/** What the page says to the payer who sends this form. */
async function post({ id, token }: Pick<CreatedOrder, 'id' | 'token'>, fields: Record<string, string>) {
	const response = await fetch(`${service.current().url}/o/${id}`, {
		method: 'POST',
		headers: { authorization: `Bearer ${token}` },
		body: new URLSearchParams(fields),
	});
	return { status: response.status, text: (await response.text()).replaceAll('\u00A0', ' ') };
}
const askRefund = (order: Pick<CreatedOrder, 'id' | 'token'>) => post(order, { action: 'refund' });

interface Shown {
	readonly internal: { readonly refundAskedAt: string | null; readonly refundAskedBy: string | null };
	readonly payouts: readonly { readonly id: string; readonly kind: string; readonly state: string }[];
	readonly reports: readonly { readonly txId: string; readonly says: string }[];
}
const show = ({ id }: CreatedOrder) => operator<Shown>('order/show', { id });
const isAsked = async (order: CreatedOrder) => (await show(order)).internal.refundAskedAt !== null;

interface Row {
	readonly subject: string;
	readonly cause: string;
	readonly todo: string;
	readonly of?: readonly string[];
}
const rowOf = async ({ id }: CreatedOrder) =>
	(await operator<Row[]>('attention')).find(({ subject, of }) => subject === id || of?.includes(id));

async function emergencyOf(amount: string): Promise<CreatedOrder> {
	const order = await newOrder();
	await deposit(order, { amount });
	await until(order, 'EMERGENCY');
	return order;
}

describe('the signed promise', () => {
	it('is a file that the payer saves, with or without the script, and checks elsewhere', async () => {
		const order = await newOrder();
		const { url } = service.current();
		const published = (await (await fetch(`${url}/.well-known/partner-exchange-keys.json`)).json()) as PromiseKeys;
		const trusted = published.keys[0]?.publicKey ?? '';
		const expected = { id: order.id, from: { address: order.from.address }, to: { address: order.to.address } };
		const wrong = await post({ ...order, token: 'wrong' }, { action: 'promise' });
		expect([wrong.status, wrong.text.includes('data:application/json')]).toEqual([404, false]);
		const { page, problems, close } = await openPage(`${url}/o/${order.id}#${order.token}`, PHONE);
		await page.getByRole('button', { name: 'Get the signed promise' }).click();
		const [download] = await Promise.all([
			page.waitForEvent('download'),
			page.getByRole('link', { name: 'Save the signed promise (JSON)' }).click(),
		]);
		const saved = JSON.parse(readFileSync(await download.path(), 'utf8')) as SignedPromise;
		expect([await overflows(page), await seriousIn(page), problems]).toEqual([false, [], []]);
		await close();
		const form = new URLSearchParams({ action: 'promise', token: order.token ?? '' });
		const text = await (await fetch(`${url}/o/${order.id}`, { method: 'POST', body: form })).text();
		const [, file = ''] = /data:application\/json;charset=utf-8,([^"]+)/.exec(text) ?? [];
		const withoutScript = JSON.parse(decodeURIComponent(file)) as SignedPromise;
		for (const promise of [saved, withoutScript])
			expect((await verifyPromise(promise, { trusted, expected })).payments).toEqual([]);
	});
});

describe('a refund that the payer asks for', () => {
	it('is told to the operator and the partner, and goes to the refund address of create by one command', async () => {
		const order = await emergencyOf('0.1');
		const wrong = await askRefund({ ...order, token: 'wrong' });
		// Whom to ask stands there too.
		expect([wrong.status, wrong.text.includes(SUPPORT)]).toEqual([404, true]);
		expect(await isAsked(order)).toBe(false);
		const { page, problems, close } = await openPage(`${service.current().url}/o/${order.id}#${order.token}`, PHONE);
		await page.getByRole('button', { name: 'Ask to have it returned' }).click();
		await page.getByText('You have asked to have your coins returned').waitFor();
		expect([await overflows(page), await seriousIn(page), problems]).toEqual([false, [], []]);
		await close();
		await askRefund(order);
		expect((await show(order)).internal).toMatchObject({ refundAskedBy: 'payer' });
		const row = await rowOf(order);
		expect(row?.cause).toContain('the payer asked for a refund at ');
		expect(row?.todo).toBe(`\`order refund ${order.id}\``);
		// The operator reads it first, and beside the order what its payer reads and the button that ends it.
		const { visitor: atConsole } = await signIn(service.current(), service.current().local.secrets.OPERATOR_TOKEN);
		expect((await atConsole.get('/operator')).html).toMatch(/<title>\(\d+\) Attention/);
		const beside = (await atConsole.get(`/operator/orders/${order.id}`)).html;
		for (const said of ['What the payer reads', 'We received', `href="/operator/command/order/refund?id=${order.id}"`])
			expect(beside).toContain(said);
		expect(beside).not.toContain('`');
		const visitor = await new CabinetVisitor(service.current()).enter(partner.id);
		expect((await visitor.get('/cabinet/orders')).text).toContain('Refund asked for');
		expect((await visitor.get(`/cabinet/orders/${order.id}`)).text).toContain('Your customer asked for it');
		// Nothing goes by itself where the operator has not said so.
		expect((await readOrder(service.current(), partner, order)).status).toBe('EMERGENCY');
		await operator('order/refund', { id: order.id });
		const { back } = await until(order, 'EXPIRED');
		expect([back.address, back.tx.id]).toEqual([LTC_REFUND, expect.any(String)]);
		expect(await isAsked(order)).toBe(false);
	});

	it('goes by itself up to the worth that the operator sets, and from the partner’s cabinet as well', async () => {
		const [small, large, theirs] = [await emergencyOf('0.1'), await emergencyOf('1000'), await emergencyOf('0.2')];
		await operator('site/update', { askedRefundUsd: 100 });
		await askRefund(large);
		await askRefund(small);
		const visitor = await new CabinetVisitor(service.current()).enter(partner.id);
		const asked = await visitor.confirmed('/cabinet/orders/refund', 'refund', { id: theirs.id });
		expect([asked.status, asked.location]).toEqual([303, `/cabinet/orders/${theirs.id}`]);
		for (const order of [small, theirs]) expect((await until(order, 'EXPIRED')).back.tx.id).toEqual(expect.any(String));
		expect([(await readOrder(service.current(), partner, large)).status, await isAsked(large)]).toEqual([
			'EMERGENCY',
			true,
		]);
		const again = await visitor.confirmed('/cabinet/orders/refund', 'refund', { id: theirs.id });
		expect([again.status, again.text.includes('no deposit of this order is here')]).toEqual([403, true]);
		await operator('site/update', { askedRefundUsd: 0 });
	});

	it('ends where EXCHANGE is chosen, by the partner or the payer', async () => {
		const [byPartner, byPayer] = [await emergencyOf('0.1'), await emergencyOf('0.1')];
		for (const order of [byPartner, byPayer]) await askRefund(order);
		const choice = { id: byPartner.id, token: byPartner.token, choice: 'EXCHANGE' };
		expect((await signed(service.current(), partner, '/api/v1/emergency', choice)).code).toBe(0);
		await post(byPayer, { action: 'exchange' });
		for (const order of [byPartner, byPayer]) expect(await isAsked(order)).toBe(false);
	});

	it('takes back a payout that is not signed, by the commands that attention names, and none that is', async () => {
		const order = await newOrder({ toCcy: 'ETHOP' });
		await operator('network/update', { name: 'Optimism', send: false });
		await deposit(order);
		await until(order, 'EXCHANGE');
		await askRefund(order);
		const [payout] = (await show(order)).payouts;
		const first = await rowOf(order);
		expect(first?.cause).toContain(`the payout is not signed yet: \`payout give-up ${payout?.id} --reason R\``);
		await operator('payout/give-up', { id: payout?.id, reason: 'the payer asked for it' });
		expect((await rowOf(order))?.todo).toBe(`\`order refund ${order.id}\``);
		await operator('order/refund', { id: order.id });
		expect((await until(order, 'EXPIRED')).back.tx.id).toEqual(expect.any(String));
		await operator('network/update', { name: 'Optimism', send: true });
		const done = await newOrder();
		await deposit(done);
		await until(done, 'DONE');
		expect((await askRefund(done)).text).toContain('Your payout has already been signed or sent');
		expect(await isAsked(done)).toBe(false);
		const kinds = (await show(order)).payouts.map(({ kind }) => kind);
		expect(kinds).toEqual(['refund']);
	});

	it('is for coins that came after the payout too, and not for an order that nothing came to', async () => {
		const [more, none] = [await newOrder(), await newOrder()];
		await deposit(more);
		await until(more, 'DONE');
		await deposit(more, { amount: '0.25' });
		await eventually('the request to be taken', async () => {
			await askRefund(more);
			return isAsked(more);
		});
		expect((await askRefund(none)).text).toContain('There are no coins of this order here');
		expect(await isAsked(none)).toBe(false);
		await operator('order/refund', { id: more.id });
		await eventually('the refund to be sent', async () =>
			(await show(more)).payouts.some(
				({ kind, state }) => kind === 'refund' && (state === 'sent' || state === 'final'),
			),
		);
		expect((await readOrder(service.current(), partner, more)).status).toBe('DONE');
	});
});

describe('a payment that the payer reports as lost', () => {
	it('is kept with what the networks say, five of an order, and shown until the operator has looked', async () => {
		const order = await newOrder();
		const idOf = (i: number) => String(i).padStart(64, 'a');
		for (let i = 0; i < 7; i++) await post(order, { action: 'named', tx: idOf(i) });
		await post(order, { action: 'named', tx: idOf(6) });
		const { reports } = await show(order);
		expect(reports.map(({ txId }) => txId)).toEqual([6, 5, 4, 3, 2].map(idOf));
		const row = await rowOf(order);
		expect(row?.cause).toContain(`its payer reports the transaction ${idOf(6)} as lost`);
		expect(row?.todo).toContain(`\`order find-stray ${order.id} --tx ${idOf(6)}\``);
		await operator('order/find-stray', { id: order.id, tx: idOf(6) });
		expect(await rowOf(order)).toBeUndefined();
		expect((await show(order)).reports).toHaveLength(5);
	});
});

describe('a payer who is told', () => {
	it('asks for it by a click, and hears of the end from the browser while they look elsewhere; the receipt is for the books', async () => {
		const order = await newOrder();
		const { page, close } = await openPage(`${service.current().url}/o/${order.id}#${order.token}`, {
			permissions: ['notifications'],
		});
		await page.evaluate(`
			window.told = [];
			window.Notification = class {
				static requestPermission = async () => 'granted';
				constructor(title, { body }) { window.told.push(body); }
			};
			Object.defineProperty(document, 'hidden', { get: () => window.away === true });
		`);
		await page.getByRole('button', { name: 'Tell me when there is news' }).click();
		await page.getByText('This browser will tell you').waitFor();
		await page.evaluate('window.away = true');
		await deposit(order);
		await until(order, 'DONE');
		// A page that nobody looks at asks once a minute; what comes back online asks at once.
		await eventually('the page to hear of it', async () => {
			await page.evaluate('window.dispatchEvent(new Event("online"))');
			return (await page.locator('h1').textContent())?.startsWith('Sent: ');
		});
		expect(await page.evaluate('window.told')).toEqual([expect.stringMatching(/^Sent: 0\.\d+\sETH$/)]);
		await page.getByText('We never message you first').waitFor();
		const receipt = page.getByRole('link', { name: 'Receipt as a table (CSV)' });
		const [, csv = ''] = String(await receipt.getAttribute('href')).split(',');
		const rows = new Map(
			decodeURIComponent(csv)
				.split('\r\n')
				.map((line) => line.split(',') as [string, string]),
		);
		expect(rows.get('host')).toBe(new URL(service.current().url).host);
		expect(rows.get('paid_amount')).toBe('2');
		for (const name of ['created_at', 'paid_at', 'sent_at'])
			expect(rows.get(name)).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
		expect(rows.get('sent_transaction')).toBe((await readOrder(service.current(), partner, order)).to.tx.id);
		await close();
	});
});
