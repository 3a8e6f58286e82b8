/**
 * Part three: with many orders open, how long does it take from deposits that become final together to orders that are
 * DONE? The time runs from before the command that makes the deposits is sent until a poll of the bench sees the order
 * DONE, so that neither end flatters the service.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestService } from '../support/service.ts';
import { startLoadGenerator } from './load.ts';
import { CREATE_BODIES } from './orders.ts';
import { median } from './report.ts';
import { type Benched, withService } from './started.ts';

export const OPEN_ORDERS = 1_000;
/** How many deposits one command makes. */
export const DEPOSITS = 200;

/** Milliseconds. */
export interface DepositTimes {
	/** Until the command had returned. */
	readonly command: number;
	readonly median: number;
	readonly slowest: number;
}

const POLL_MILLISECONDS = 25;
const SETTLE_MILLISECONDS = 2_000;
const DEADLINE_MILLISECONDS = 60_000;

/** @throws when not all orders are DONE within a minute. */
export function measureDeposits(): Promise<DepositTimes> {
	return withService(async (benched) => {
		await createOrders(benched, OPEN_ORDERS);
		await sleep(SETTLE_MILLISECONDS);
		return settleDeposits(benched.service);
	});
}

/** Pays the oldest orders that are open, and follows them until all are DONE. */
export async function settleDeposits(service: TestService): Promise<DepositTimes> {
	const oldest = "SELECT id FROM orders WHERE status = 'NEW' ORDER BY created_at, id LIMIT ?";
	const orders = (await service.sql<{ id: string }>(oldest, DEPOSITS)).map(({ id }) => id);
	const started = performance.now();
	const since = () => performance.now() - started;
	const depositing = service.operator('sandbox/deposit', { orders }).then(since);
	const doneAfter = await watchUntilDone(service, new Set(orders), since);
	return { command: await depositing, median: median(doneAfter), slowest: Math.max(...doneAfter) };
}

/** Over all nine networks in turn, LTC to ETH among them. */
export async function createOrders({ partner, port }: Benched, count: number): Promise<void> {
	const generator = startLoadGenerator();
	try {
		const traffic = {
			kind: 'signed',
			partner,
			path: '/api/v1/create',
			bodies: CREATE_BODIES,
			idempotent: true,
		} as const;
		await generator.run({ port, traffic, milliseconds: DEADLINE_MILLISECONDS, atMost: count });
	} finally {
		await generator.stop();
	}
}

/** For each order the milliseconds after which it was first seen DONE. */
async function watchUntilDone(
	service: TestService,
	orders: ReadonlySet<string>,
	since: () => number,
): Promise<number[]> {
	const doneAfter = new Map<string, number>();
	while (doneAfter.size < orders.size) {
		const done = await service.sql<{ id: string }>("SELECT id FROM orders WHERE status = 'DONE'");
		const now = since();
		for (const { id } of done) if (orders.has(id) && !doneAfter.has(id)) doneAfter.set(id, now);
		if (now > DEADLINE_MILLISECONDS)
			throw new Error(`only ${doneAfter.size} of ${orders.size} orders were DONE in time`);
		await sleep(POLL_MILLISECONDS);
	}
	return [...doneAfter.values()];
}
