/** Calls of one isolate that share trips: each is answered once, whatever becomes of the others. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { JoinedCalls } from '../../src/platform/joined.ts';

/** A place that answers what it is asked, doubled, when it is told to. */
class Far {
	readonly trips: { readonly asked: readonly number[]; arrive(answers?: number): void; fail(error: Error): void }[] =
		[];
	readonly background: Promise<unknown>[] = [];
	readonly #joined = new JoinedCalls<number, number>();

	ask(asked: number, to = 'there'): Promise<number> {
		return this.#joined.ask(to, asked, {
			background: (work) => void this.background.push(work),
			send: (all) =>
				new Promise((resolve, fail) => {
					const arrive = (answers = all.length) => resolve(all.slice(0, answers).map((each) => each * 2));
					this.trips.push({ asked: all, arrive, fail });
				}),
		});
	}

	readonly sent = () => this.trips.map(({ asked }) => asked);
}

const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);

/** As workerd does it: a promise that another request resolves, its own request notices in a turn of its own. */
function inItsOwnPlace<T>(): PromiseWithResolvers<T> {
	let resolve: (value: T | PromiseLike<T>) => void = () => undefined;
	const promise = new Promise<T>((resolved) => {
		resolve = (value) => setTimeout(() => resolved(value), 0);
	});
	return { promise, resolve, reject: resolve };
}

describe.each([
	['a request that is woken goes on in its own place', inItsOwnPlace],
	['a request that is woken goes on in the turn of the one that woke it', null],
])('where %s', (_, withResolvers) => {
	/** Until those who were woken have gone on: in the wrong place a timer of their own says that they may. */
	const gone = () => pass(withResolvers ? 1 : 20);
	let far: Far;
	beforeEach(() => {
		vi.useFakeTimers();
		if (withResolvers) vi.spyOn(Promise, 'withResolvers').mockImplementation(withResolvers);
		far = new Far();
	});
	afterEach(() => {
		vi.useRealTimers();
		vi.restoreAllMocks();
	});

	it('a call that finds no trip under way leaves at once and alone, and leaves nothing behind', async () => {
		const call = far.ask(1);
		expect(far.sent()).toEqual([[1]]);
		far.trips[0]?.arrive();
		expect(await call).toBe(2);
		await gone();
		await Promise.all(far.background);
		expect(vi.getTimerCount()).toBe(0);
		far.ask(2);
		expect(far.sent()).toEqual([[1], [2]]);
	});

	it('calls that come during a trip make the next one together, in the order of arrival, and each gets its own answer', async () => {
		const calls = [1, 2, 3, 4].map((asked) => far.ask(asked));
		expect(far.sent()).toEqual([[1]]);
		far.trips[0]?.arrive();
		await gone();
		expect(far.sent()).toEqual([[1], [2, 3, 4]]);
		// Each trip goes on when the client of the one that carries it is gone.
		expect(far.background.length).toBe(2);
		far.trips[1]?.arrive();
		await gone();
		expect(await Promise.all(calls)).toEqual([2, 4, 6, 8]);
		await Promise.all(far.background);
		expect(vi.getTimerCount()).toBe(0);
	});

	it('nobody waits longer than ten milliseconds for a trip that is under way', async () => {
		const calls = [1, 2, 3].map((asked) => far.ask(asked));
		await pass(11);
		expect(far.sent()).toEqual([[1], [2, 3]]);
		far.trips[1]?.arrive();
		await gone();
		expect(await Promise.all(calls.slice(1))).toEqual([4, 6]);
	});

	it('calls to different places do not wait for each other', () => {
		far.ask(1, 'here');
		far.ask(2, 'there');
		expect(far.sent()).toEqual([[1], [2]]);
	});

	it('no trip has more than 64 calls, and nobody stays behind', async () => {
		const calls = Array.from({ length: 200 }, (_, i) => far.ask(i));
		for (let trip = 0; trip < 5; trip++) {
			far.trips[trip]?.arrive();
			await gone();
		}
		expect(far.sent().map(({ length }) => length)).toEqual([1, 64, 64, 64, 7]);
		await pass(100);
		expect(await Promise.all(calls)).toEqual(calls.map((_, i) => i * 2));
	});

	it('a trip that fails, or brings too few answers, fails for those that have none, and for nobody else', async () => {
		const outcomes = Promise.allSettled([1, 2, 3].map((asked) => far.ask(asked)));
		far.trips[0]?.fail(new Error('the first is lost'));
		await gone();
		const later = Promise.allSettled([far.ask(4)]);
		far.trips[1]?.fail(new Error('the second is lost'));
		await gone();
		far.trips[2]?.arrive(0);
		await gone();
		expect(await outcomes).toEqual([
			{ status: 'rejected', reason: new Error('the first is lost') },
			{ status: 'rejected', reason: new Error('the second is lost') },
			{ status: 'rejected', reason: new Error('the second is lost') },
		]);
		expect(await later).toEqual([{ status: 'rejected', reason: new RangeError('0 answers, none for 0') }]);
		expect(far.sent()).toEqual([[1], [2, 3], [4]]);
	});

	it('who is on a trip that never ends is told so, is not sent again, and the next call goes without it', async () => {
		far.ask(1);
		const outcomes = [2, 3].map((asked) => far.ask(asked).catch((error: unknown) => String(error)));
		await pass(30_000);
		// The one that carries the other waits for its own trip, like a call alone.
		expect(await Promise.race(outcomes)).toBe('Error: a trip that was shared with other calls is lost');
		expect(far.sent()).toEqual([[1], [2, 3]]);
		far.ask(4);
		expect(far.sent()).toEqual([[1], [2, 3], [4]]);
	});
});

it('nothing goes on in the turn of another request, also where two trips come back in one turn', async () => {
	vi.useFakeTimers();
	const far = new Far();
	const [first, , second] = [far.ask(1, 'here'), far.ask(2, 'here'), far.ask(3, 'there'), far.ask(4, 'there')];
	for (const { arrive } of far.trips) arrive();
	expect(await Promise.all([first, second])).toEqual([2, 6]);
	expect(far.sent()).toEqual([[1], [3]]);
	await pass(10);
	expect(far.sent()).toEqual([[1], [3], [2], [4]]);
	vi.useRealTimers();
});
