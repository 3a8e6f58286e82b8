/**
 * What a client network has spent of its minute, and what is stored of it: never less than was spent, whenever the object
 * that keeps it ends (book: contract, "Limits").
 */
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { NetworkBudget, type Spent } from '../../src/partners/gate/network-budget.ts';

const START = 1_800_000_000_000;
const MINUTE = 60_000;
const LIMIT = 60;
/** After so long without a call, what was really spent is stored. */
const QUIET_MILLISECONDS = 4_000;

beforeEach(() => void vi.useFakeTimers({ now: START, toFake: ['Date', 'setTimeout'] }));
afterEach(() => void vi.useRealTimers());

const pass = (milliseconds: number) => void vi.advanceTimersByTime(milliseconds);

/** A budget and each state that it stored; `stored`: what an earlier life of its object left. */
function budgetWith(stored: readonly Spent[] = []) {
	const writes: (readonly Spent[])[] = [];
	const budget = new NetworkBudget((spent) => writes.push(spent));
	budget.restore(stored, Date.now());
	const spend = (weight = 1, perMinute = LIMIT) => budget.spend(Date.now(), { weight, perMinute });
	return { budget, writes, spend, last: () => writes.at(-1) };
}

/** As it is reserved at `at`. */
const reserved = (at: number, weight = LIMIT): Spent => ({ at, weight, isReserved: true });

describe('what is stored', () => {
	it('is the first call by itself, then the whole budget, and nothing for the calls that follow', () => {
		const { writes, spend } = budgetWith();
		expect(spend()).toBeNull();
		expect(writes).toEqual([[{ at: START, weight: 1 }]]);
		pass(10);
		for (let call = 1; call < LIMIT; call++) expect(spend()).toBeNull();
		expect(writes).toEqual([[{ at: START, weight: 1 }], [reserved(START + 10)]]);
		expect(spend()).toBe(60);
		expect(writes).toHaveLength(2);
	});

	it('is one call of sixty where a call says nothing else', () => {
		const { budget, last } = budgetWith();
		budget.spend(START);
		expect(last()).toEqual([{ at: START, weight: 1 }]);
		budget.spend(START);
		expect(last()).toEqual([reserved(START, 60)]);
	});

	it('is the budget that the call names', () => {
		const { spend, last } = budgetWith();
		spend(5, 300);
		expect(last()).toEqual([{ at: START, weight: 5 }]);
		spend(5, 300);
		expect(last()).toEqual([reserved(START, 300)]);
	});

	it('is what was really spent, once no call came for some seconds', () => {
		const { writes, spend, last } = budgetWith();
		spend();
		pass(1_000);
		spend();
		pass(QUIET_MILLISECONDS - 1);
		spend();
		pass(QUIET_MILLISECONDS - 1);
		expect(writes).toHaveLength(2);
		pass(1);
		expect(writes).toHaveLength(3);
		expect(last()).toEqual(
			[START, START + 1_000, START + 1_000 + QUIET_MILLISECONDS - 1].map((at) => ({ at, weight: 1 })),
		);
	});

	it('is the whole budget again with the next call after that', () => {
		const { writes, spend, last } = budgetWith();
		spend();
		spend();
		pass(QUIET_MILLISECONDS);
		spend();
		expect(last()).toEqual([reserved(START + QUIET_MILLISECONDS)]);
		pass(QUIET_MILLISECONDS);
		expect([writes.length, last()?.length]).toEqual([5, 2]);
	});

	it('is nothing for a call that is refused', () => {
		const { writes, spend } = budgetWith();
		expect([spend(61), writes]).toEqual([60, []]);
	});
});

describe('an object that wakes', () => {
	it('goes on with what was spent, and stores nothing', () => {
		const { writes, spend } = budgetWith([
			{ at: START - 50_000, weight: 20 },
			{ at: START - 10_000, weight: 39 },
		]);
		expect([writes.length, spend(), spend(20), spend(21)]).toEqual([0, null, 10, 50]);
		expect(writes).toEqual([
			[
				{ at: START - 50_000, weight: 20 },
				{ at: START - 10_000, weight: 39 },
				{ at: START, weight: 1 },
			],
		]);
	});

	it('counts what was reserved as spent from now on, and stores that, so that the next one counts from then', () => {
		const first = budgetWith([reserved(START - 30_000)]);
		expect([first.spend(), first.writes]).toEqual([60, [[{ at: START, weight: LIMIT }]]]);
		pass(40_000);
		const second = budgetWith(first.last());
		expect([second.spend(), second.writes]).toEqual([20, []]);
		pass(20_000);
		expect(budgetWith(first.last()).spend()).toBeNull();
	});

	it('never lets a network have more than its budget in any minute, whenever it ends', () => {
		const step = fc.record({ calls: fc.nat(8), wait: fc.nat(9_000), ends: fc.boolean() });
		fc.assert(
			fc.property(fc.array(step, { minLength: 1, maxLength: 60 }), (steps) => {
				const admitted: number[] = [];
				let life = budgetWith();
				let stored: readonly Spent[] = [];
				for (const { calls, wait, ends } of steps) {
					for (let call = 0; call < calls; call++) if (life.spend() === null) admitted.push(Date.now());
					stored = life.last() ?? stored;
					if (ends) vi.clearAllTimers();
					pass(wait);
					if (ends) life = budgetWith(stored);
				}
				const inMinuteFrom = (start: number) => admitted.filter((at) => at >= start && at < start + MINUTE).length;
				expect(Math.max(0, ...admitted.map(inMinuteFrom))).toBeLessThanOrEqual(LIMIT);
			}),
			{ numRuns: 300 },
		);
	});
});

describe('a budget that is not used any more', () => {
	it('is one with nothing spent in the last minute, and nothing to store', () => {
		const { budget, spend } = budgetWith();
		expect(budget.isUnused(START)).toBe(true);
		spend();
		expect([budget.isUnused(START + MINUTE - 1), budget.isUnused(START + MINUTE)]).toEqual([false, true]);
		spend();
		expect(budget.isUnused(START + MINUTE)).toBe(false);
		pass(QUIET_MILLISECONDS);
		expect(budget.isUnused(START + MINUTE)).toBe(true);
	});
});
