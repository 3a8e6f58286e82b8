/** Who pays for an anonymous call: its client's network, whose gate is asked as seldom as can be (book: contract, "Limits"). */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type AnonymousGates, spendAnonymous } from '../../src/partners/gate/anonymous.ts';
import { KnownWaits } from '../../src/partners/gate/known-waits.ts';
import type { AnonymousCall, AnonymousGateRpc } from '../../src/ports/gates.ts';

const NOTHING_BEHIND = () => undefined;

/** `gateOf`: the object of a name. */
const gatesWith = (gateOf: (name: string) => unknown): AnonymousGates => ({
	anonymous: { getByName: gateOf } as unknown as DurableObjectNamespace<AnonymousGateRpc>,
	background: NOTHING_BEHIND,
});

describe('calls of networks in one block', () => {
	/** Gates that answer when they are told to, each network with its third byte. */
	function held() {
		const trips: [string, readonly AnonymousCall[]][] = [];
		const first = Promise.withResolvers<void>();
		const gates = gatesWith((name) => ({
			admitAll: async (calls: readonly AnonymousCall[]) => {
				trips.push([name, calls]);
				await first.promise;
				return calls.map(({ network }) => Number(network.split('.')[2]));
			},
		}));
		return { gates, trips, answer: first.resolve };
	}

	it('share trips to their gate, and each has the answer of its own network', async () => {
		const { gates, trips, answer } = held();
		const asked = [5, 6, 7, 6].map((third) => spendAnonymous(gates, 'shared', `203.0.${third}.1`));
		answer();
		expect(await Promise.all(asked)).toEqual([5, 6, 7, 6]);
		const carried = trips.map(([name, calls]) => [name, calls.map(({ network }) => network)]);
		expect(carried).toEqual([
			['shared 203.0.0.0/16', ['203.0.5.0/24']],
			['shared 203.0.0.0/16', ['203.0.6.0/24', '203.0.7.0/24', '203.0.6.0/24']],
		]);
	});

	it('share none with another block or another bucket', async () => {
		const { gates, trips, answer } = held();
		const asked = [
			spendAnonymous(gates, 'apart', '203.1.5.1'),
			spendAnonymous(gates, 'apart', '203.2.6.1'),
			spendAnonymous(gates, 'other', '203.1.7.1'),
		];
		answer();
		expect(await Promise.all(asked)).toEqual([5, 6, 7]);
		expect(trips.map(([name]) => name)).toEqual(['apart 203.1.0.0/16', 'apart 203.2.0.0/16', 'other 203.1.0.0/16']);
	});
});

it('spends what its caller names, or one call, and says where it only asks', async () => {
	const asked: AnonymousCall[] = [];
	const gates = gatesWith(() => ({
		admitAll: async (calls: readonly AnonymousCall[]) => calls.map((call) => asked.push(call) && null),
	}));
	await spendAnonymous(gates, 'sign-in', '192.0.2.1', { spent: { weight: 5, perMinute: 10 } });
	await spendAnonymous(gates, 'sign-in', '192.0.2.1');
	await spendAnonymous(gates, 'sign-in', '192.0.2.1', { isQuestion: true });
	expect(asked).toEqual([
		{ network: '192.0.2.0/24', spent: { weight: 5, perMinute: 10 } },
		{ network: '192.0.2.0/24', spent: undefined },
		{ network: '192.0.2.0/24', spent: undefined, isQuestion: true },
	]);
	expect(asked.map((call) => 'isQuestion' in call)).toEqual([false, false, true]);
});

describe('a network that has to wait', () => {
	afterEach(() => {
		vi.useRealTimers();
	});

	/** A network of its own, whose gate gives these answers in turn; an error is thrown. */
	function networkOf(third: number, ...answers: (number | null | Error)[]) {
		vi.useFakeTimers({ toFake: ['Date'] });
		const asked = vi.fn(async () => {
			const answer = answers.shift();
			if (answer instanceof Error) throw answer;
			return [answer];
		});
		const gates = gatesWith(() => ({ admitAll: asked }));
		const spend = (weight = 1, bucket = 'page') =>
			spendAnonymous(gates, bucket, `198.51.${third}.1`, { spent: { weight, perMinute: 60 } });
		return { asked, spend };
	}
	const pass = (milliseconds: number) => vi.setSystemTime(Date.now() + milliseconds);

	it('is refused without its gate until the last second, and told the rest; then the gate is asked again', async () => {
		const { asked, spend } = networkOf(1, 7, 5, null);
		expect(await spend()).toBe(7);
		for (const [milliseconds, rest] of [
			[0, 7],
			[1, 7],
			[999, 6],
			[4_998, 2],
		] as const) {
			pass(milliseconds);
			expect(await spend()).toBe(rest);
		}
		expect(asked).toHaveBeenCalledTimes(1);
		pass(2);
		expect(await spend()).toBe(5);
		pass(4_000);
		expect([await spend(), asked.mock.calls.length]).toEqual([null, 3]);
	});

	it('keeps no lighter call waiting, and none of another bucket or network', async () => {
		const { asked, spend } = networkOf(2, 7, null, null);
		expect([await spend(5), await spend(1), await spend(5, 'sign-in'), await spend(5)]).toEqual([7, null, null, 7]);
		expect(asked).toHaveBeenCalledTimes(3);
		expect(await networkOf(3, null).spend(5)).toBeNull();
	});

	it('waits two seconds where its gate has too many calls, and meets any other error of it', async () => {
		const busy = (overloaded: boolean) => Object.assign(new Error('busy'), { overloaded });
		const { asked, spend } = networkOf(4, busy(true), new Error('lost'), busy(false));
		expect([await spend(), await spend(), asked.mock.calls.length]).toEqual([2, 2, 1]);
		pass(1_000);
		await expect(spend()).rejects.toThrow('lost');
		await expect(spend()).rejects.toThrow('busy');
	});

	it('is remembered until a thousand others have to wait', async () => {
		const { asked, spend } = networkOf(5, ...Array<number>(1_002).fill(60));
		for (let i = 0; i < 1_000; i++) await spend(1, `bucket ${i}`);
		await spend(1, 'bucket 0');
		expect(asked).toHaveBeenCalledTimes(1_000);
		await spend(1, 'one more');
		await spend(1, 'bucket 1');
		expect(asked).toHaveBeenCalledTimes(1_001);
		await spend(1, 'bucket 0');
		expect(asked).toHaveBeenCalledTimes(1_002);
	});

	it('is remembered longer when it has to wait again', () => {
		const waits = new KnownWaits();
		const wait = (bucket: string) => waits.remember(bucket, undefined, 0, 60);
		for (const bucket of ['again', 'once', 'again']) wait(bucket);
		for (let i = 0; i < 999; i++) wait(`bucket ${i}`);
		expect([waits.of('again', undefined, 0), waits.of('once', undefined, 0)]).toEqual([60, null]);
	});
});
