/** How long a signature waits for price sources. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Prices } from '../../src/pricing/prices.ts';
import { PriceWatch } from '../../src/signer/price-watch.ts';

const NOW = 1_800_000_000_000;
const at = (usd: string): Prices => ({ LTC: { usd, at: Date.now() } });

beforeEach(() => void vi.useFakeTimers({ now: NOW }));
afterEach(() => void vi.useRealTimers());

/** Prices `age` milliseconds old, and sources that answer 99 after `takes` milliseconds. */
async function watchOf(age: number, takes: number) {
	let delay = 0;
	let asked = 0;
	const watch = new PriceWatch(async () => {
		asked += 1;
		if (delay === 0) return at('95');
		await new Promise((answer) => setTimeout(answer, delay));
		return at('99');
	});
	await watch.current();
	delay = takes;
	await vi.advanceTimersByTimeAsync(age);
	return { watch, asked: () => asked };
}

/** The price that a signature gets, and how long it waited, milliseconds. */
async function signature(watch: PriceWatch): Promise<[string | undefined, number]> {
	const started = Date.now();
	const ended = watch
		.current()
		.then((prices): [string | undefined, number] => [prices['LTC']?.usd, Date.now() - started]);
	await vi.advanceTimersByTimeAsync(10_000);
	return ended;
}

describe('a signature', () => {
	it.each([
		['uses fresh prices at once', 5_000, 100, '95', 0],
		['waits for quick sources', 6_000, 100, '99', 100],
		['waits a moment for slow ones, while prices are not old', 15_000, 1_000, '95', 250],
		['waits a little longer when prices are old', 16_000, 1_000, '99', 1_000],
		['waits no longer when the sources hang', 16_000, 60_000, '95', 1_500],
	])('%s', async (_, age, takes, usd, waited) => {
		const { watch } = await watchOf(age, takes);
		expect(await signature(watch)).toEqual([usd, waited]);
	});

	it('does not wait when another has just waited in vain, and one refresh serves them all', async () => {
		const { watch, asked } = await watchOf(16_000, 60_000);
		const waits = Promise.all(
			Array.from({ length: 20 }, async () => {
				await watch.current();
				return Date.now();
			}),
		);
		await vi.advanceTimersByTimeAsync(2_000);
		await waits;
		const before = Date.now();
		await watch.current();
		expect(Date.now()).toBe(before);
		expect(asked()).toBe(2);
	});

	it('waits for new prices when the present ones are in doubt', async () => {
		const { watch } = await watchOf(0, 1_000);
		watch.doubt();
		expect(await signature(watch)).toEqual(['99', 1_000]);
	});

	it('waits as long as it takes when there are no prices', async () => {
		const watch = new PriceWatch(async () => {
			await new Promise((answer) => setTimeout(answer, 4_000));
			return at('99');
		});
		expect(await signature(watch)).toEqual(['99', 4_000]);
	});
});
