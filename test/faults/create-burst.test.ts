/** A burst of orders on one network, right after the start: each is created, with its own address. */
import { beforeAll, describe, expect, it } from 'vitest';
import { type CreatedOrder, create } from '../support/orders.ts';
import { type Answer, type Credentials, createPartner } from '../support/partner.ts';
import { serviceForFile } from '../support/service.ts';

/** Orders at once, burst after burst: together many times a full stock. */
const BURSTS = [300, 200];
const ORDERS = 500;
const PARTNERS = 10;

const file = serviceForFile();
let partners: Credentials[];

beforeAll(async () => {
	await file.current().operator('site/update', { dailyCapUsd: 1_000_000_000 });
	partners = await Promise.all(
		Array.from({ length: PARTNERS }, () => createPartner(file.current(), { weightPerMinute: 1_000_000 })),
	);
});

describe('a burst of creates on one network', () => {
	it('of 300 at once from ten partners, and 200 more, none fails, and none is refused because addresses ran out', async () => {
		const answers: Answer<CreatedOrder>[] = [];
		for (const length of BURSTS) {
			const burst = Array.from({ length }, (_, i) => create(file.current(), partners[i % PARTNERS] as Credentials));
			answers.push(...(await Promise.all(burst)));
		}
		const codes = Map.groupBy(answers, ({ code }) => code);
		expect([...codes].map(([code, { length }]) => [code, length])).toEqual([[0, ORDERS]]);
		expect(new Set(answers.map(({ data }) => data.from.address)).size).toBe(ORDERS);
	});
});
