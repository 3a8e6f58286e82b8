/**
 * Part seven: what do open pages of orders cost the API? A thousand pages of as many orders ask every four seconds whether
 * their order has changed, and the signed `price` is measured in hello worlds before, while and after they do.
 */
import { type CreatedOrder, createBody } from '../support/orders.ts';
import { signed } from '../support/partner.ts';
import { startHello } from './hello.ts';
import { perSecond, startLoadGenerator } from './load.ts';
import { CREATE_BODIES, untilPoolsHold } from './orders.ts';
import type { RatioPlan } from './ratios.ts';
import { median } from './report.ts';
import { type Benched, withService } from './started.ts';
import { PRICE_BODY, type Traffic } from './traffic.ts';

export const OPEN_PAGES = 1_000;
/** Of the pay-in addresses of a network, before each hundred orders. */
const FREE_ADDRESSES = 60;
const AT_ONCE = 100;
const NETWORKS = 25;
const WARM_UP_MILLISECONDS = 1_000;
/** All pages have asked once. */
const SETTLE_MILLISECONDS = 5_000;
/** As `pages/browser/order.js`. */
const POLL_MILLISECONDS = 4_000;

export interface PagesCost {
	/** Of `price` to hello world, without and with the pages. */
	readonly closed: number;
	readonly open: number;
	/** Answers to pages, and how many of them said that nothing has changed. */
	readonly answers: number;
	readonly unchanged: number;
}

export function measurePages(plan: RatioPlan): Promise<PagesCost> {
	return withService(
		async (benched) => {
			const orders = await createOrders(benched);
			const before = await ratioOf(benched, plan);
			const pages = openPages(benched, orders);
			await new Promise((settled) => setTimeout(settled, SETTLE_MILLISECONDS));
			const open = await ratioOf(benched, plan);
			const counted = await pages.close();
			const after = await ratioOf(benched, plan);
			// The machine is never quiet: both sides of the measurement count.
			return { closed: (before + after) / 2, open, ...counted };
		},
		{ pages: true },
	);
}

async function createOrders({ service, partner }: Benched): Promise<CreatedOrder[]> {
	const orders: CreatedOrder[] = [];
	while (orders.length < OPEN_PAGES) {
		await untilPoolsHold(service, FREE_ADDRESSES);
		const made = Array.from({ length: AT_ONCE }, async (_, n) => {
			const i = orders.length + n;
			const body = CREATE_BODIES[i % CREATE_BODIES.length] ?? JSON.stringify(createBody());
			const headers = { 'idempotency-key': `bench-page-${i}` };
			const answer = await signed<CreatedOrder>(service, partner, '/api/v1/create', JSON.parse(body), { headers });
			if (!answer.data) throw new Error(`create: ${answer.text}`);
			return answer.data;
		});
		orders.push(...(await Promise.all(made)));
	}
	return orders;
}

/** From 25 networks, each with fewer pages than its budget allows. Spread over the time between two polls. */
function openPages({ service }: Benched, orders: readonly CreatedOrder[]) {
	const counted = { answers: 0, unchanged: 0 };
	let isOpen = true;
	const follow = async ({ id, token }: CreatedOrder, i: number) => {
		let version = '';
		await pause((i / orders.length) * POLL_MILLISECONDS);
		while (isOpen) {
			const headers = { authorization: `Bearer ${token}`, 'cf-connecting-ip': `100.64.${i % NETWORKS}.1` };
			const response = await fetch(`${service.url}/o/${id}/state`, {
				headers: { ...headers, 'if-none-match': version },
			});
			await response.text();
			if (response.status !== 200 && response.status !== 304) throw new Error(`a page was answered ${response.status}`);
			counted.answers += 1;
			if (response.status === 304) counted.unchanged += 1;
			else version = response.headers.get('etag') ?? '';
			await pause(POLL_MILLISECONDS);
		}
	};
	const pages = Promise.all(orders.map(follow));
	return {
		async close() {
			isOpen = false;
			await pages;
			return counted;
		},
	};
}

const pause = (milliseconds: number) => new Promise((passed) => setTimeout(passed, milliseconds));

async function ratioOf({ port, partner }: Benched, { rounds, milliseconds }: RatioPlan): Promise<number> {
	const hello = await startHello();
	const generator = startLoadGenerator();
	const price: Traffic = { kind: 'signed', partner, path: '/api/v1/price', bodies: [PRICE_BODY] };
	const run = async (traffic: Traffic, to: number, duration = milliseconds) =>
		perSecond(await generator.run({ port: to, traffic, milliseconds: duration, atMost: Number.POSITIVE_INFINITY }));
	try {
		await run(price, port, WARM_UP_MILLISECONDS);
		const ratios: number[] = [];
		let before = await run({ kind: 'hello' }, hello.port);
		for (let round = 0; round < rounds; round++) {
			const found = await run(price, port);
			const after = await run({ kind: 'hello' }, hello.port);
			ratios.push(found / ((before + after) / 2));
			before = after;
		}
		return median(ratios);
	} finally {
		await generator.stop();
		await hello.stop();
	}
}
