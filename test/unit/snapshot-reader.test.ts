/** What an isolate knows of a snapshot, and how its calls fetch it together without depending on one another. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { SnapshotReader, type SnapshotSource } from '../../src/pricing/snapshot-reader.ts';

interface Snapshot {
	readonly at: number;
}

const START = 1_800_000_000_000;
const FRESH_MILLISECONDS = 1_000;
const USABLE_MILLISECONDS = 30_000;
/** A trip or a refresh that takes longer counts as lost. */
const LOST_MILLISECONDS = 10_000;

beforeEach(() => void vi.useFakeTimers({ now: START }));
afterEach(() => void vi.useRealTimers());

/** An isolate with nothing in memory, an empty KV, and a RateBook that answers each question when it is told to. */
function isolate() {
	const asked: ((snapshot: Snapshot) => void)[] = [];
	const source = {
		CACHE: { get: () => Promise.resolve(null) },
		RATE_BOOK: { getByName: () => null },
	} as unknown as SnapshotSource;
	const reader = new SnapshotReader<Snapshot>({
		key: 'market',
		freshMilliseconds: FRESH_MILLISECONDS,
		ask: () => new Promise((answer) => asked.push(answer)),
	});
	const background: Promise<unknown>[] = [];
	return { asked, background, read: () => reader.read(source, Date.now(), (work) => background.push(work)) };
}

const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds);

it('is answered without a promise while memory has one that may be used', async () => {
	const { asked, read } = isolate();
	const first = read();
	await pass(0);
	asked[0]?.({ at: START });
	expect(await first).toEqual({ at: START });
	await pass(USABLE_MILLISECONDS - 1);
	expect(read()).toEqual({ at: START });
	await pass(1);
	expect(read()).toBeInstanceOf(Promise);
});

it('calls that come together ask RateBook once', async () => {
	const { asked, read } = isolate();
	const all = Promise.all([read(), read(), read()]);
	await pass(0);
	asked[0]?.({ at: START });
	await pass(50);
	expect(await all).toEqual([{ at: START }, { at: START }, { at: START }]);
	expect(asked.length).toBe(1);
});

it('a request that ends while it fetches keeps nobody waiting for its answer', async () => {
	const { asked, read } = isolate();
	// RateBook is asked, and who asked is gone: nothing ever goes on there.
	void read();
	await pass(0);
	const later = read();
	await pass(10);
	asked[1]?.({ at: START });
	await pass(50);
	expect(await later).toEqual({ at: START });
});

it('a refresh whose request ended is begun again after ten seconds, and one at a time goes on', async () => {
	const { asked, background, read } = isolate();
	const first = read();
	await pass(0);
	asked[0]?.({ at: START });
	await first;
	await pass(FRESH_MILLISECONDS);
	const before = background.length;
	for (let call = 0; call < 3; call++) expect(read()).toEqual({ at: START });
	expect([asked.length, background.length - before]).toEqual([2, 1]);
	await pass(LOST_MILLISECONDS);
	read();
	expect(asked.length).toBe(3);
	asked[2]?.({ at: Date.now() });
	await pass(0);
	expect(read()).toEqual({ at: START + FRESH_MILLISECONDS + LOST_MILLISECONDS });
});
