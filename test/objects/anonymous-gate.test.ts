/** The gate of a network's anonymous calls, inside its Durable Object: what it writes, and what it remembers. */
import { evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { afterEach, expect, it, vi } from 'vitest';
import type { AnonymousGate } from '../../src/partners/gate/anonymous-gate.ts';
import { bindings } from './bindings.ts';

const LIMIT = 60;
/** Longer than a reservation stands, and shorter than the window. */
const PAUSE_MILLISECONDS = 9_000;

const gates = bindings.ANONYMOUS_GATE as unknown as DurableObjectNamespace<AnonymousGate>;

afterEach(() => {
	vi.useRealTimers();
});

/** Inside the object, so that its timers are ours. */
const inside = <R>(gate: DurableObjectStub<AnonymousGate>, work: (object: AnonymousGate) => R): Promise<R> =>
	runInDurableObject(gate, work);

const admitted = (object: AnonymousGate, calls: number): number =>
	Array.from({ length: calls }, () => object.admit()).filter((wait) => wait === null).length;

/** The objects that are made from now on have these timers. */
const takeTimers = () => vi.useFakeTimers({ toFake: ['Date', 'setTimeout'] });

/** Its timers end with it. */
async function end(gate: DurableObjectStub<AnonymousGate>): Promise<void> {
	const now = Date.now();
	// Sets the clock back as well.
	vi.clearAllTimers();
	vi.setSystemTime(now);
	await evictDurableObject(gate);
}

it('admits sixty calls at two writes, and refuses the others at none', async () => {
	const gate = gates.getByName('writes');
	const { calls, writes } = await runInDurableObject(gate, (object, { storage }) => {
		const put = vi.spyOn(storage, 'put');
		return { calls: admitted(object, LIMIT + 20), writes: put.mock.calls.length };
	});
	expect([calls, writes]).toEqual([LIMIT, 2]);
});

it('counts what it had reserved as spent when it ends before that was settled', async () => {
	takeTimers();
	const gate = gates.getByName('ended');
	await inside(gate, (object) => expect(admitted(object, 3)).toBe(3));
	await end(gate);
	const wait = await inside(gate, (object) => object.admit());
	expect(wait).toBeGreaterThan(50);
	expect(wait).toBeLessThanOrEqual(60);
});

it('loses nothing of the budget when it sleeps after a pause', async () => {
	takeTimers();
	const gate = gates.getByName('slept');
	await inside(gate, (object) => {
		expect(admitted(object, 3)).toBe(3);
		vi.advanceTimersByTime(PAUSE_MILLISECONDS);
	});
	await evictDurableObject(gate);
	await inside(gate, (object) => expect(admitted(object, LIMIT)).toBe(LIMIT - 3));
});

it('admits one call after each sleep, however often it sleeps', async () => {
	takeTimers();
	const gate = gates.getByName('often');
	for (let call = 0; call < 8; call++) {
		await inside(gate, (object) => expect(object.admit()).toBeNull());
		vi.advanceTimersByTime(PAUSE_MILLISECONDS);
		await evictDurableObject(gate);
	}
});

it('never admits more than sixty in any minute, whenever it ends', async () => {
	takeTimers();
	const gate = gates.getByName('any minute');
	const times: number[] = [];
	for (let second = 0; second < 150; second++) {
		await inside(gate, (object) => {
			const count = admitted(object, 4);
			times.push(...Array.from({ length: count }, () => Date.now()));
			vi.advanceTimersByTime(1_000);
		});
		if (second % 23 === 22) await end(gate);
	}
	const inMinuteFrom = (start: number) => times.filter((at) => at >= start && at < start + 60_000).length;
	expect(Math.max(...times.map(inMinuteFrom))).toBeLessThanOrEqual(LIMIT);
	expect(times.length).toBeGreaterThan(LIMIT);
});
