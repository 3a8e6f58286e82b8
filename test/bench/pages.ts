/**
 * Part seven: what do open pages of orders cost the API? A thousand streams of as many orders are opened, and the signed
 * `price` is measured in hello worlds before, while and after they are open.
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
/** All streams are registered, and some rounds have passed. */
const SETTLE_MILLISECONDS = 5_000;

export interface PagesCost {
	/** Of `price` to hello world, without and with the pages. */
	readonly closed: number;
	readonly open: number;
	/** Streams that were still open at the end. */
	readonly streams: number;
}

export function measurePages(plan: RatioPlan): Promise<PagesCost> {
	return withService(async (benched) => {
		const orders = await createOrders(benched);
		const before = await ratioOf(benched, plan);
		const abort = new AbortController();
		let streams = 0;
		for (let i = 0; i < orders.length; i += AT_ONCE) {
			const opened = orders.slice(i, i + AT_ONCE).map(async (order, n) => {
				const { body, status } = await openStream(benched, order, i + n, abort.signal);
				if (status !== 200 || !body) throw new Error(`a stream was answered ${status}`);
				streams += 1;
				drain(body).finally(() => {
					streams -= 1;
				});
			});
			await Promise.all(opened);
		}
		await new Promise((settled) => setTimeout(settled, SETTLE_MILLISECONDS));
		const open = await ratioOf(benched, plan);
		const stillOpen = streams;
		abort.abort();
		await new Promise((settled) => setTimeout(settled, SETTLE_MILLISECONDS));
		const after = await ratioOf(benched, plan);
		// The machine is never quiet: both sides of the measurement count.
		return { closed: (before + after) / 2, open, streams: stillOpen };
	});
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

/** From 25 networks: each opens fewer than its budget of a minute allows, and the gates of networks are not what is measured. */
const openStream = ({ service }: Benched, { id, token }: CreatedOrder, i: number, signal: AbortSignal) =>
	fetch(`${service.url}/o/${id}/events`, {
		headers: { authorization: `Bearer ${token}`, 'cf-connecting-ip': `100.64.${i % NETWORKS}.1` },
		signal,
	});

async function drain(body: ReadableStream<Uint8Array>): Promise<void> {
	const reader = body.getReader();
	for (let done = false; !done; )
		done = await reader.read().then(
			(read) => read.done,
			() => true,
		);
}

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
