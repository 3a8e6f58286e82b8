/**
 * The daily cap counts what was paid, whatever was quoted: a large order of which little is paid takes up little, and a
 * small one to which much is paid takes up much (book: contract, "Orders").
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { type CreatedOrder, create, untilStatus } from '../support/orders.ts';
import { type Answer, type Credentials, createPartner } from '../support/partner.ts';
import { serviceForFile } from '../support/service.ts';

const file = serviceForFile();
let partner: Credentials;

/** LTC, 95 USD each, to ETH: orders of 49 970 USD, of 95 USD, and the least that a pair takes. */
const [MOST, LITTLE, LEAST] = ['526', '1', '0.5'];
const HALF_A_CENT = 0.005;

beforeAll(async () => {
	partner = await createPartner(file.current(), { weightPerMinute: 1_000_000 });
});

const order = (amount: string): Promise<Answer<CreatedOrder>> => create(file.current(), partner, { amount });

async function ordered(amount: string): Promise<CreatedOrder> {
	const { data, text } = await order(amount);
	expect(data?.id, text).toBeTruthy();
	return data;
}

async function paid(placed: CreatedOrder, amount: string, status: string): Promise<void> {
	await file.current().operator('sandbox/deposit', { orders: [placed.id], amount });
	await untilStatus(file.current(), partner, placed, status);
}

/** USD that today's orders take of the cap. They are what the orders say, and the unpaid ones what those say. */
async function volume(): Promise<number> {
	const { sql } = file.current();
	const [row] = await sql<{ kept: number; counted: number }>(
		`SELECT (SELECT sum(usd_cents) FROM daily_volume) AS kept,
			(SELECT sum(usd_cents) FROM orders WHERE holds_cap = 1) AS counted`,
	);
	const unpaid = await sql<{ kept: number; counted: number }>(
		`SELECT coalesce((SELECT sum(usd_cents) FROM unpaid_volume), 0) AS kept,
			coalesce((SELECT sum(usd_cents - paid_cents) FROM orders WHERE holds_cap = 1), 0) AS counted`,
	);
	expect([row?.kept, unpaid[0]?.kept]).toEqual([row?.counted, unpaid[0]?.counted]);
	return (row?.kept ?? 0) / 100;
}

/** By how much `act` changes what counts. */
async function change(act: () => Promise<unknown>): Promise<number> {
	const before = await volume();
	await act();
	return (await volume()) - before;
}

describe('in the daily cap', () => {
	it('a small order to which much is paid counts with what was paid', async () => {
		const placed = await ordered(LITTLE);
		expect(await change(() => paid(placed, MOST, 'DONE'))).toBeCloseTo(525 * 95, HALF_A_CENT);
	});

	it('a large order of which little is paid counts with that', async () => {
		const placed = await ordered(MOST);
		expect(await change(() => paid(placed, LITTLE, 'DONE'))).toBeCloseTo(-525 * 95, HALF_A_CENT);
	});

	it('too little counts with that, and with all of it once more is paid', async () => {
		const placed = await ordered(MOST);
		expect(await change(() => paid(placed, '0.1', 'EMERGENCY'))).toBeCloseTo(-525.9 * 95, HALF_A_CENT);
		expect(await change(() => paid(placed, LITTLE, 'DONE'))).toBeCloseTo(95, HALF_A_CENT);
	});

	it('too much, which nobody is paid for yet, counts with what was quoted', async () => {
		const placed = await ordered(LITTLE);
		expect(await change(() => paid(placed, '1000', 'EMERGENCY'))).toBe(0);
	});
});

it('a partner who pays the least for many large orders does not take up the cap of the others', async () => {
	const used = await volume();
	await file.current().operator('site/update', { dailyCapUsd: Math.ceil(used + 2 * 526 * 95) });
	for (let i = 0; i < 4; i++) await paid(await ordered(MOST), LEAST, 'DONE');
	expect((await order(MOST)).code).toBe(0);
});
