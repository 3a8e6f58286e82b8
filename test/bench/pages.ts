/**
 * Part seven: what do open pages of orders cost the API? A thousand pages of as many orders ask every four seconds whether
 * their order has changed, and the signed `price` is measured in hello worlds before, while and after they do.
 */
import type { CreatedOrder } from '../support/orders.ts';
import { CREATE_BODIES, makeOrder, untilPoolsHold } from './orders.ts';
import { measureEach, type RatioPlan } from './ratios.ts';
import { type Benched, withService } from './started.ts';
import { PRICE_BODY } from './traffic.ts';

export const OPEN_PAGES = 1_000;
/** Of the pay-in addresses of a network, before each hundred orders. */
const FREE_ADDRESSES = 60;
const AT_ONCE = 100;
const NETWORKS = 25;
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
		const made = Array.from({ length: AT_ONCE }, (_, i) =>
			makeOrder(service, partner, JSON.parse(CREATE_BODIES[(orders.length + i) % CREATE_BODIES.length] ?? '{}')),
		);
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

async function ratioOf(benched: Benched, plan: RatioPlan): Promise<number> {
	const traffic = { kind: 'signed', partner: benched.partner, path: '/api/v1/price', bodies: [PRICE_BODY] } as const;
	const [, price] = await measureEach(benched, plan, [{ endpoint: 'signed price', traffic }]);
	return price?.ratio ?? Number.NaN;
}
