/** A public sandbox (book: contract, "A public sandbox"; deploy, "A public sandbox"). */
import { describe, expect, it } from 'vitest';
import { browserForFile, flawsOf, openPage } from '../support/browser.ts';
import { type CreatedOrder, create, createBody, PRICE, untilStatus } from '../support/orders.ts';
import { type Answer, type Bend, type Credentials, call, createPartner, signed } from '../support/partner.ts';
import { serviceForFile, sharedService } from '../support/service.ts';

/** Two more than the tests before that one need. */
const MOST = 7;
const service = serviceForFile({ SANDBOX_VISITORS: String(MOST) }, { pages: true });
const ordinary = sharedService();
const KEYS = '/api/v1/sandbox/keys';
const DEPOSIT = '/api/v1/sandbox/deposit';

type Visit = Credentials & { readonly expiresAt: number; readonly orders: number };
const visit = () => call<Visit>(service.current(), KEYS, {});
const send = <T = Record<string, unknown>>(by: Credentials, path: string, body: unknown, bend: Bend = {}) =>
	signed<T>(service.current(), by, path, body, bend);
const reason = ({ headers }: Answer<unknown>) => headers.get('x-refusal-reason');

async function visited(): Promise<Visit> {
	const { data, text } = await visit();
	expect(text).toContain('"code":0');
	return data;
}

let shared: Promise<Visit> | null = null;
/** Visitors are few: those who leave no trace for others share one. */
const ofFile = (): Promise<Visit> => {
	shared ??= visited();
	return shared;
};

describe('a visitor', () => {
	it('makes keys, an order and its deposit by calls alone, and follows it until DONE', async () => {
		const visitor = await visited();
		expect(visitor.expiresAt).toBeGreaterThan(Date.now() / 1000 + 86_000);
		const { data: order } = await create(service.current(), visitor);
		const paid = await send(visitor, DEPOSIT, { id: order.id });
		expect(paid.data).toMatchObject({ id: order.id, event: 'paid', txId: expect.stringMatching(/^[0-9a-f]{64}$/) });
		const done = await untilStatus(service.current(), visitor, order, 'DONE');
		expect(done.from.tx.id).toBe(paid.data['txId']);
	});

	it('plays a deposit that waits, that is confirmed, that disappears, and one that is too little', async () => {
		const visitor = await visited();
		const [waiting, fading, little] = await Promise.all([1, 2, 3].map(() => create(service.current(), visitor)));
		const [one, two, three] = [waiting, fading, little].map((created) => created?.data as CreatedOrder);
		if (!one || !two || !three) throw new Error('no orders');
		for (const { id } of [one, two]) await send(visitor, DEPOSIT, { id, confirmations: 0 });
		await send(visitor, DEPOSIT, { id: three.id, amount: '0.1' });
		for (const each of [one, two]) await untilStatus(service.current(), visitor, each, 'PENDING');
		await untilStatus(service.current(), visitor, three, 'EMERGENCY');
		expect((await send(visitor, DEPOSIT, { id: one.id, event: 'confirmed' })).code).toBe(0);
		expect((await send(visitor, DEPOSIT, { id: two.id, event: 'dropped' })).code).toBe(0);
		await untilStatus(service.current(), visitor, one, 'DONE');
		const gone = await send(visitor, DEPOSIT, { id: two.id, event: 'dropped' });
		expect([gone.code, reason(gone)]).toEqual([1, 'the order has no deposit that is not final']);
	});

	it('reads in a header why a call was refused, also where a signature is wrong', async () => {
		const visitor = await visited();
		const wrong = await send(visitor, '/api/v1/price', PRICE, { apiSecret: 'another' });
		expect([wrong.code, reason(wrong)]).toEqual([3, 'signature']);
		const body = await send(visitor, '/api/v1/price', { ...PRICE, amount: 'viel' });
		expect([body.code, reason(body)]).toEqual([1, 'the amount is not one of the asset']);
	});

	it.each([
		['5', 429],
		['10', 503],
		['11', 503],
		['99', 500],
	])('asks for code %s by X-Sandbox-Answer, and gets it with HTTP %i, and nothing is done', async (asked, status) => {
		const visitor = await ofFile();
		const bend = { headers: { 'x-sandbox-answer': asked } };
		const answer = await send(visitor, '/api/v1/create', createBody(), bend);
		expect([answer.code, answer.status]).toEqual([Number(asked), status]);
		expect((await send<{ orders: unknown[] }>(visitor, '/api/v1/orders', {})).data.orders).toEqual([]);
	});

	it('reaches no order of another partner, and makes no more deposits to an order than it may', async () => {
		const visitor = await ofFile();
		const other = await createPartner(service.current());
		const theirs = await create(service.current(), other);
		for (const event of ['paid', 'confirmed', 'dropped']) {
			const answer = await send(visitor, DEPOSIT, { id: theirs.data.id, event });
			expect([answer.code, reason(answer)]).toEqual([6, 'no such order']);
		}
		const { data: own } = await create(service.current(), other);
		for (let made = 0; made < 10; made++) {
			expect((await send(other, DEPOSIT, { id: own.id, amount: '0.000001', confirmations: 0 })).code).toBe(0);
		}
		const eleventh = await send(other, DEPOSIT, { id: own.id });
		expect([eleventh.code, reason(eleventh)]).toEqual([1, 'the order has 10 deposits, and may have no more here']);
	});

	it('makes and revokes keys as often as a visitor may, because the audit log is never deleted', async () => {
		const visitor = await ofFile();
		const change = (method: string, body: object) => send<{ id: string }>(visitor, '/api/v1/keys', body, { method });
		for (let made = 0; made < 10; made++) {
			const { data } = await change('POST', { kind: 'app', label: 'Wallet' });
			expect((await change('DELETE', { id: data.id })).code).toBe(0);
		}
		const more = await change('POST', { kind: 'app', label: 'Wallet' });
		expect([more.code, reason(more)]).toEqual([5, 'a visitor may make no more of it']);
		const rotated = await send(visitor, '/api/v1/keys/rotate', { rotate: ['webhookSecret'] });
		expect(rotated.code).toBe(5);
		expect((await send(visitor, '/api/v1/keys', '', { method: 'GET' })).code).toBe(0);
	});

	it('makes as many orders as a visitor may', async () => {
		const visitor = await ofFile();
		const [row] = await service
			.current()
			.sql<{ id: string }>('SELECT id FROM partners WHERE api_key = ?', visitor.apiKey);
		await service.current().sql('UPDATE partners SET weight_per_minute = 1000000 WHERE id = ?', row?.id);
		await service.current().operator('partner/update', { id: row?.id, weightPerMinute: 999_999 });
		const { data: first } = await create(service.current(), visitor);
		expect(first.status).toBe('NEW');
		const many = await Promise.all(Array.from({ length: 60 }, () => create(service.current(), visitor)));
		expect(many.filter(({ code }) => code === 0).length).toBeGreaterThanOrEqual(49);
		const last = await create(service.current(), visitor);
		expect([last.code, last.headers.get('retry-after'), reason(last)]).toEqual([
			5,
			'86400',
			'a visitor may make no more of it',
		]);
		const partner = await createPartner(service.current());
		expect((await create(service.current(), partner)).code).toBe(0);
	});
});

describe('the page that runs the examples', () => {
	browserForFile();

	it('makes keys, creates an order, pays it and reads that it is done, without a command', async () => {
		const { page, problems, close } = await openPage(`${service.current().url}/docs/try`);
		await page.getByRole('button', { name: 'Make test keys' }).click();
		await page.getByText('for 50 orders.').waitFor();
		const answer = page.locator('#response code');
		const run = async (operation: string, part: string) => {
			await page.locator('#operation').selectOption(operation);
			await page.getByRole('button', { name: 'Run', exact: true }).click();
			await expect.poll(() => answer.textContent(), { timeout: 20_000 }).toContain(part);
		};
		await run('price', '"code": 0');
		await run('create', '"status": "NEW"');
		await run('sandboxDeposit', '"event": "paid"');
		await expect
			.poll(async () => run('order', '"code": 0').then(() => answer.textContent()), { timeout: 20_000 })
			.toContain('"status": "DONE"');
		expect(await page.locator('#request code').textContent()).toMatch(
			/^POST \/api\/v1\/order\n[\s\S]*X-API-SIGN: [0-9a-f]{64}/,
		);
		await page.locator('#answer').selectOption('10');
		await run('price', 'x-refusal-reason: asked for by X-Sandbox-Answer');
		expect(await flawsOf(page, { byAxe: true, inTheDark: true })).toEqual([]);
		// Each refusal that was asked for is an error of the network to the browser.
		expect(problems.filter((each) => !each.includes('503'))).toEqual([]);
		await close();
	});

	it('says on a service that is no public sandbox that there are no keys', async () => {
		const { page, close } = await openPage(`${ordinary.current().url}/docs/try`);
		await page.getByRole('button', { name: 'Make test keys' }).click();
		await page.getByText('There are no test keys here.').waitFor();
		expect(await page.locator('#elsewhere').isVisible()).toBe(true);
		expect(await page.locator('.public-sandbox').isVisible()).toBe(false);
		await close();
	});
});

describe('the operator', () => {
	it('lets in as many visitors a day as they say, of those who come at once too', async () => {
		const { sql } = service.current();
		const answers = await Promise.all(Array.from({ length: 8 }, visit));
		const [{ n } = { n: 0 }] = await sql<{ n: number }>('SELECT count(*) AS n FROM visitors');
		expect(n).toBe(MOST);
		const refused = answers.filter(({ code }) => code === 5);
		expect(refused.length).toBe(6);
		expect(refused[0]?.headers.get('retry-after')).toBe('86400');
		// Nothing is left of those who were turned away.
		const [{ partners } = { partners: 0 }] = await sql<{ partners: number }>(
			"SELECT count(*) AS partners FROM partners WHERE name LIKE 'Visitor %'",
		);
		expect(partners).toBe(MOST);
	});

	it('ends a visit after a day: the keys are refused, and a partner without orders is deleted', async () => {
		const { sql, local } = service.current();
		await sql('UPDATE visitors SET began_at = began_at - 86400001');
		const fresh = await visited();
		expect((await send(fresh, '/api/v1/currencies', {})).code).toBe(0);
		await local.runScheduled();
		const left = await sql<{ partner_id: string; network: string; orders: number; enabled: number }>(
			`SELECT v.partner_id, network, enabled, (SELECT count(*) FROM orders WHERE partner_id = v.partner_id) AS orders
				FROM visitors v JOIN partners p ON p.id = v.partner_id WHERE ended_at IS NOT NULL`,
		);
		expect(left.length).toBeGreaterThan(0);
		expect(left.every(({ network, orders, enabled }) => network === '' && orders > 0 && enabled === 0)).toBe(true);
		const ended = await send(await ofFile(), '/api/v1/currencies', {});
		expect([ended.code, reason(ended)]).toEqual([4, 'partner disabled']);
		expect((await send(fresh, '/api/v1/currencies', {})).code).toBe(0);
	});
});

it('elsewhere the paths are unknown, no reason is told, and no answer can be asked for', async () => {
	const keys = await call(ordinary.current(), KEYS, {});
	expect([keys.code, keys.status, keys.headers.get('x-refusal-reason')]).toEqual([6, 404, null]);
	const partner = await createPartner(ordinary.current());
	const bend = { headers: { 'x-sandbox-answer': '10' } };
	const price = await signed(ordinary.current(), partner, '/api/v1/price', PRICE, bend);
	expect(price.code).toBe(0);
	const { data: order } = await create(ordinary.current(), partner);
	expect((await signed(ordinary.current(), partner, DEPOSIT, { id: order.id })).code).toBe(6);
});
