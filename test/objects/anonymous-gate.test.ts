/** The gate of anonymous calls, inside its Durable Object: what it writes of each network, and what it remembers. */
import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
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

const NETWORK = '192.0.2.0/24';
const NEIGHBOUR = '192.0.3.0/24';

const called = (object: AnonymousGate, network = NETWORK): number | null | undefined =>
	object.admitAll([{ network }])[0];

const admitted = (object: AnonymousGate, calls: number, network = NETWORK): number =>
	Array.from({ length: calls }, () => called(object, network)).filter((wait) => wait === null).length;

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
	const wait = await inside(gate, (object) => called(object));
	expect(wait).toBeGreaterThan(50);
	expect(wait).toBeLessThanOrEqual(60);
});

it('counts what it had reserved for one minute from when it woke, however often it sleeps in it', async () => {
	takeTimers();
	const gate = gates.getByName('ended, then slept');
	await inside(gate, (object) => expect(admitted(object, 3)).toBe(3));
	await end(gate);
	await inside(gate, (object) => expect(called(object)).toBe(60));
	vi.setSystemTime(Date.now() + 40_000);
	await evictDurableObject(gate);
	await inside(gate, (object) => expect(called(object)).toBe(20));
	vi.setSystemTime(Date.now() + 20_000);
	await evictDurableObject(gate);
	await inside(gate, (object) => expect(admitted(object, 3)).toBe(3));
	await end(gate);
});

it('judges calls that come together one by one, each by its own network', async () => {
	await runInDurableObject(gates.getByName('together'), (object) => {
		const light = { network: NETWORK, spent: { weight: 5, perMinute: 10 } };
		const heavy = { network: NETWORK, spent: { weight: 6, perMinute: 10 } };
		expect(object.admitAll([light, heavy, light, light, { network: NEIGHBOUR }])).toEqual([null, 60, null, 60, null]);
	});
});

it('tells the networks of its block apart when it wakes', async () => {
	takeTimers();
	const gate = gates.getByName('apart');
	await inside(gate, (object) => {
		expect([admitted(object, 3), admitted(object, LIMIT, NEIGHBOUR)]).toEqual([3, LIMIT]);
		vi.advanceTimersByTime(PAUSE_MILLISECONDS);
	});
	await evictDurableObject(gate);
	await inside(gate, (object) => expect([admitted(object, LIMIT), called(object, NEIGHBOUR)]).toEqual([LIMIT - 3, 51]));
	await end(gate);
});

it('deletes what a network has spent a minute after that, and everything when none has spent anything', async () => {
	takeTimers();
	const gate = gates.getByName('deleted');
	const stored = () =>
		runInDurableObject(gate, async (_, { storage }) => {
			const names = [...(await storage.list()).keys()];
			return { names, hasAlarm: (await storage.getAlarm()) !== null };
		});
	const minute = () => vi.setSystemTime(Date.now() + 60_001);
	await inside(gate, (object) => expect(called(object)).toBeNull());
	vi.setSystemTime(Date.now() + 30_000);
	await inside(gate, (object) => expect(called(object, NEIGHBOUR)).toBeNull());
	expect(await stored()).toEqual({ names: [NETWORK, NEIGHBOUR], hasAlarm: true });
	vi.setSystemTime(Date.now() + 30_001);
	expect(await runDurableObjectAlarm(gate)).toBe(true);
	expect(await stored()).toEqual({ names: [NEIGHBOUR], hasAlarm: true });
	minute();
	expect(await runDurableObjectAlarm(gate)).toBe(true);
	expect(await stored()).toEqual({ names: [], hasAlarm: false });
	await inside(gate, (object) => expect(called(object)).toBeNull());
	expect(await stored()).toEqual({ names: [NETWORK], hasAlarm: true });
});

it('keeps its alarm when it wakes', async () => {
	takeTimers();
	const gate = gates.getByName('alarm');
	const alarm = () => runInDurableObject(gate, (_, { storage }) => storage.getAlarm());
	await inside(gate, (object) => expect(called(object)).toBeNull());
	const first = await alarm();
	vi.advanceTimersByTime(PAUSE_MILLISECONDS);
	await evictDurableObject(gate);
	await inside(gate, (object) => expect(called(object, NEIGHBOUR)).toBeNull());
	expect([first === null, await alarm()]).toEqual([false, first]);
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
		await inside(gate, (object) => expect(called(object)).toBeNull());
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
