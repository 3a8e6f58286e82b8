/** Calls of one isolate that travel together: each is answered once, whatever becomes of the others. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Together } from '../../src/together.ts';

/** A place that answers what it is asked, doubled, when it is told to. */
class Far {
	readonly trips: { readonly asked: readonly number[]; arrive(): void; fail(error: Error): void }[] = [];
	readonly background: Promise<unknown>[] = [];
	readonly #together = new Together<number, number>();

	ask(asked: number, to = 'there'): Promise<number> {
		return this.#together.ask(to, asked, {
			background: (work) => void this.background.push(work),
			send: (all) =>
				new Promise((resolve, fail) => {
					this.trips.push({ asked: all, arrive: () => resolve(all.map((each) => each * 2)), fail });
				}),
		});
	}

	readonly sent = () => this.trips.map(({ asked }) => asked);
}

let far: Far;
beforeEach(() => {
	vi.useFakeTimers();
	far = new Far();
});
afterEach(() => {
	vi.useRealTimers();
});

const turns = () => vi.advanceTimersByTimeAsync(0);

it('a call that finds no trip under way goes at once and alone, and leaves nothing behind', async () => {
	const call = far.ask(1);
	expect(far.sent()).toEqual([[1]]);
	far.trips[0]?.arrive();
	expect(await call).toBe(2);
	await Promise.all(far.background);
	expect(vi.getTimerCount()).toBe(0);
});

it('calls that arrive during a trip make the next one together, and each gets its own answer', async () => {
	const calls = [1, 2, 3, 4].map((asked) => far.ask(asked));
	expect(far.sent()).toEqual([[1]]);
	far.trips[0]?.arrive();
	await turns();
	expect(far.sent()).toEqual([[1], [2, 3, 4]]);
	far.trips[1]?.arrive();
	expect(await Promise.all(calls)).toEqual([2, 4, 6, 8]);
	await Promise.all(far.background);
	expect(vi.getTimerCount()).toBe(0);
});

it('calls to different places do not wait for each other', async () => {
	far.ask(1, 'here');
	far.ask(2, 'there');
	expect(far.sent()).toEqual([[1], [2]]);
});

it('no trip has more than 64 travellers, and nobody stays behind', async () => {
	const calls = Array.from({ length: 200 }, (_, i) => far.ask(i));
	for (let trip = 0; trip < 5; trip++) {
		far.trips[trip]?.arrive();
		await turns();
	}
	expect(far.sent().map(({ length }) => length)).toEqual([1, 64, 64, 64, 7]);
	expect(await Promise.all(calls)).toEqual(calls.map((_, i) => i * 2));
});

it('a trip that fails fails for each that travelled, and for nobody else', async () => {
	const outcomes = Promise.allSettled([1, 2, 3].map((asked) => far.ask(asked)));
	far.trips[0]?.fail(new Error('the first is lost'));
	await turns();
	const later = far.ask(4);
	far.trips[1]?.fail(new Error('the second is lost'));
	await turns();
	far.trips[2]?.arrive();
	expect(await later).toBe(8);
	expect(await outcomes).toEqual([
		{ status: 'rejected', reason: new Error('the first is lost') },
		{ status: 'rejected', reason: new Error('the second is lost') },
		{ status: 'rejected', reason: new Error('the second is lost') },
	]);
});

it('who waits for a trip that never ends makes the next one, and nobody travels twice', async () => {
	far.ask(1);
	const calls = [2, 3].map((asked) => far.ask(asked));
	await vi.advanceTimersByTimeAsync(2_000);
	expect(far.sent()).toEqual([[1], [2, 3]]);
	far.trips[1]?.arrive();
	expect(await Promise.all(calls)).toEqual([4, 6]);
	const last = far.ask(4);
	far.trips.at(-1)?.arrive();
	expect(await last).toBe(8);
});

it('who is on a trip that never ends is told so', async () => {
	far.ask(1);
	const outcome = far.ask(2).catch((error: unknown) => String(error));
	far.trips[0]?.arrive();
	await vi.advanceTimersByTimeAsync(40_000);
	expect(await outcome).toBe('Error: the trip took too long');
	expect(far.sent()).toEqual([[1], [2]]);
});
