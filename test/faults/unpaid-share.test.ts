/**
 * One partner tries to take up the whole daily cap with orders that they never pay, so that everybody else is refused.
 * What a partner's orders hold beyond their final deposits may take up only a share of the cap (book: contract,
 * "Orders"). D1's triggers keep the count, so concurrent creates respect it too.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { type CreatedOrder, create, untilStatus } from '../support/orders.ts';
import { type Answer, type Credentials, createPartner } from '../support/partner.ts';
import { eventually, serviceForFile } from '../support/service.ts';

const file = serviceForFile();
let attacker: Credentials;
let other: Credentials;

/** The maximum of the pair LTC to ETH, an order of 50 000 USD; and one of 95 USD. */
const MOST = '526.31578947';
const LITTLE = '1';

beforeAll(async () => {
	[attacker, other] = (await Promise.all(
		[1, 2].map(() => createPartner(file.current(), { weightPerMinute: 1_000_000 })),
	)) as [Credentials, Credentials];
});

const order = (by: Credentials, amount: string): Promise<Answer<CreatedOrder>> =>
	create(file.current(), by, { amount });

/** The stored counters, and the same sums computed from the orders. */
async function counters() {
	const kept = 'SELECT partner_id, day, usd_cents, orders FROM unpaid_volume WHERE orders > 0 ORDER BY partner_id, day';
	const counted = `SELECT partner_id, cap_day AS day, sum(usd_cents - paid_cents) AS usd_cents, count(*) AS orders FROM orders
		WHERE holds_cap = 1 AND usd_cents > paid_cents GROUP BY partner_id, cap_day ORDER BY partner_id, cap_day`;
	return Promise.all([kept, counted].map((statement) => file.current().sql(statement)));
}

async function expectExactCounters(): Promise<void> {
	const [kept, counted] = await counters();
	expect(kept).toEqual(counted);
}

describe('a partner that pays nothing', () => {
	const held: CreatedOrder[] = [];

	it('takes up a quarter of the daily cap at most, and another partner’s orders are accepted', async () => {
		const answers = await Promise.all(Array.from({ length: 12 }, () => order(attacker, MOST)));
		held.push(...answers.filter(({ code }) => code === 0).map(({ data }) => data));
		expect(held.length).toBe(5);
		for (const { code, status } of answers.filter(({ code }) => code !== 0)) expect([code, status]).toEqual([8, 400]);
		expect((await order(attacker, LITTLE)).code).toBe(8);
		expect((await order(other, MOST)).code).toBe(0);
		await eventually('the log to name the share', async () =>
			file
				.current()
				.logged('refused')
				.some(({ reason }) => String(reason).includes('share of the daily cap')),
		);
		await expectExactCounters();
	});

	it('may order again once one is paid, expires or is deleted', async () => {
		const [paid, expired, deleted] = held as [CreatedOrder, CreatedOrder, CreatedOrder];
		await file.current().operator('sandbox/deposit', { orders: [paid.id] });
		await untilStatus(file.current(), attacker, paid, 'DONE');
		expect((await order(attacker, MOST)).code).toBe(0);
		expect((await order(attacker, LITTLE)).code).toBe(8);

		await file.current().sql('UPDATE orders SET expires_at = ? WHERE id = ?', Date.now() - 1000, expired.id);
		await untilStatus(file.current(), attacker, expired, 'EXPIRED');
		expect((await order(attacker, MOST)).code).toBe(0);
		expect((await order(attacker, LITTLE)).code).toBe(8);

		await file.current().operator('order/delete', { id: deleted.id });
		expect((await order(attacker, MOST)).code).toBe(0);
		expect((await order(attacker, LITTLE)).code).toBe(8);
		await expectExactCounters();
	});

	it('may have one order at a time when the share is smaller than an order', async () => {
		const small = await createPartner(file.current());
		await file.current().operator('site/update', { unpaidShareBps: 0 });
		try {
			const { data: first } = await order(small, '2');
			expect((await order(small, LITTLE)).code).toBe(8);
			await file.current().operator('sandbox/deposit', { orders: [first.id] });
			await untilStatus(file.current(), small, first, 'DONE');
			expect((await order(small, LITTLE)).code).toBe(0);
			expect(await file.current().operator('site/show')).toMatchObject({ unpaidShareBps: 0 });
		} finally {
			await file.current().operator('site/update', { unpaidShareBps: 2500 });
		}
		await expectExactCounters();
	});

	it('gets its share of the cap that the operator sets', async () => {
		const busy = await createPartner(file.current());
		// A quarter of 1 600 000 USD is eight orders of 50 000.
		await file.current().operator('site/update', { dailyCapUsd: 1_600_000 });
		for (let i = 0; i < 8; i++) expect((await order(busy, MOST)).code).toBe(0);
		expect((await order(busy, MOST)).code).toBe(8);
	});
});

describe('a partner that pays next to nothing, in no block', () => {
	const unpaid = async () =>
		(
			await file
				.current()
				.sql<{ cents: number | null }>(
					'SELECT sum(usd_cents) AS cents FROM unpaid_volume WHERE partner_id = ?',
					miser.id,
				)
		)[0]?.cents ?? 0;
	let miser: Credentials & { readonly id: string };

	beforeAll(async () => {
		const { operator, sql } = file.current();
		await sql("UPDATE orders SET holds_cap = 0 WHERE status = 'NEW'");
		await operator('site/update', { dailyCapUsd: 1_000_000 });
		const credentials = await createPartner(file.current(), { weightPerMinute: 1_000_000 });
		const [row] = await sql<{ id: string }>('SELECT id FROM partners ORDER BY created_at DESC LIMIT 1');
		miser = { ...credentials, id: String(row?.id) };
	});

	it('takes no more of the cap than one that pays nothing: the other partners’ orders are accepted', async () => {
		const held: CreatedOrder[] = [];
		for (let i = 0; i < 12; i++) {
			const { code, data } = await order(miser, MOST);
			if (code !== 0) continue;
			held.push(data);
			await file.current().operator('sandbox/deposit', { orders: [data.id], amount: '0.003', confirmations: 0 });
			await untilStatus(file.current(), miser, data, 'PENDING');
		}
		expect(held.length).toBe(5);
		expect((await order(other, MOST)).code).toBe(0);
		await expectExactCounters();

		// What was in the mempool is dropped: the order gives its share back at once, and not after 24 hours.
		const [first, second] = held as [CreatedOrder, CreatedOrder];
		const before = await unpaid();
		await file.current().operator('sandbox/drop', { order: first.id });
		await eventually('the share to come back', async () => (await unpaid()) < before - 4_999_000);
		expect((await order(miser, LITTLE)).code).toBe(0);

		// A final deposit of a tenth of a coin is what it counts with, and no more.
		await file.current().operator('sandbox/confirm', { orders: [second.id] });
		await untilStatus(file.current(), miser, second, 'EMERGENCY');
		expect((await order(miser, MOST)).code).toBe(0);
		await expectExactCounters();
	});
});
