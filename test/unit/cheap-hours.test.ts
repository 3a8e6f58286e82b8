/** When a sweep goes and when it waits for cheap hours (book: networks, "Sweeping"). */
import { describe, expect, it } from 'vitest';
import { decimal } from '../../src/money/decimal.ts';
import { CheapHours, mayGoNow, neededNow } from '../../src/treasury/sweeps/cheap-hours.ts';
import { NOW } from '../support/rows.ts';

const HOUR = 3_600_000;
const GWEI = 10n ** 9n;
const USD = decimal('3200');
/** What moving a deposit of Ether costs at so many gwei. */
const at = (gwei: number) => 21_000n * BigInt(gwei) * GWEI;

/** The part of an object's storage that is used here. `restarted`: a new one over what is stored. */
function hours() {
	const stored = new Map<string, unknown>();
	const kv = {
		get: (name: string) => stored.get(name),
		put: (name: string, value: unknown) => stored.set(name, value),
	};
	const restarted = () => new CheapHours({ kv } as unknown as DurableObjectStorage);
	return { stored, restarted, found: restarted() };
}

/** Asked every ten seconds for so many hours from `start` on. */
function live(found: CheapHours, start: number, forHours: number, cost: bigint): boolean {
	let isCheap = false;
	for (let now = start; now < start + forHours * HOUR; now += 10_000) isCheap = found.areNow('ETH', cost, USD, now);
	return isCheap;
}

describe('hours are cheap', () => {
	it('while nothing dearer or cheaper was ever seen', () => {
		expect(live(hours().found, NOW, 30, at(20))).toBe(true);
	});

	it('in the cheapest quarter of the last day, and not in the rest', () => {
		const { found } = hours();
		live(found, NOW, 6, at(5));
		live(found, NOW + 6 * HOUR, 18, at(20));
		const day = NOW + 24 * HOUR - 1;
		expect([4, 5, 6, 20].map((gwei) => found.areNow('ETH', at(gwei), USD, day))).toEqual([true, true, false, false]);
	});

	it('again where the price stays: what is a day old no longer counts', () => {
		const { found } = hours();
		live(found, NOW, 24, at(1));
		expect(live(found, NOW + 24 * HOUR, 5, at(20))).toBe(false);
		expect(live(found, NOW + 29 * HOUR, 14, at(20))).toBe(true);
	});

	it('not because the agent was started again', () => {
		const { found, restarted } = hours();
		live(found, NOW, 12, at(1));
		expect(restarted().areNow('ETH', at(20), USD, NOW + 12 * HOUR)).toBe(false);
	});

	it('always where moving a deposit costs less than a cent', () => {
		const { found } = hours();
		live(found, NOW, 12, 1n);
		const cost = 3_124_999_999_999n;
		expect(found.areNow('ETH', cost, USD, NOW + 12 * HOUR)).toBe(true);
		expect(found.areNow('ETH', cost + 1n, USD, NOW + 12 * HOUR)).toBe(false);
		expect(found.areNow('ETH', cost, null, NOW + 12 * HOUR)).toBe(false);
	});

	it('by 144 samples at most', () => {
		const { found, stored } = hours();
		live(found, NOW, 72, at(3));
		expect([...stored.values()].map((samples) => (samples as unknown[]).length)).toEqual([144]);
	});
});

describe('a sweep', () => {
	const DEAR = { isCheap: false, needed: [] } as const;
	const order = { fromAsset: 'USDTERC20' } as const;
	const fresh = { order, candidate: { waitsSince: null }, sweeps: [] };
	const move = { state: 'final', plannedAt: 1, finalAt: 1, txId: 'ours', settledTxId: null } as const;
	const waiting = (forHours: number) => ({ ...fresh, candidate: { waitsSince: NOW - forHours * HOUR } });

	it.each([
		['waits in dear hours', fresh, DEAR, false],
		['goes in cheap hours', fresh, { ...DEAR, isCheap: true }, true],
		['goes where its coins are needed', fresh, { ...DEAR, needed: ['USDTERC20'] as const }, true],
		['waits where other coins are needed', fresh, { ...DEAR, needed: ['ETH'] as const }, false],
		['waits for almost a day', waiting(23.99), DEAR, false],
		['goes after a day', waiting(24), DEAR, true],
		['goes once gas was brought for it', { ...fresh, sweeps: [{ ...move, kind: 'gas' as const }] }, DEAR, true],
		[
			'waits where that gas never came',
			{ ...fresh, sweeps: [{ ...move, kind: 'gas' as const, settledTxId: 'ours' }] },
			DEAR,
			false,
		],
	])('%s', (_, facts, timing, goes) => {
		expect(mayGoNow(facts, timing, NOW)).toBe(goes);
	});
});

describe('coins are needed', () => {
	const ASSETS = ['ETH', 'USDTERC20'] as const;

	it.each([
		['not where nothing is owed', {}, {}, []],
		[
			'where the wallet holds less than twice what it owes',
			{ USDTERC20: 19n, ETH: 1_000n },
			{ USDTERC20: 10n },
			['USDTERC20'],
		],
		['not where it holds twice that', { USDTERC20: 20n, ETH: 1_000n }, { USDTERC20: 10n }, []],
		['where the fees of the next payments are not there', { USDTERC20: 20n, ETH: 39n }, { USDTERC20: 10n }, ['ETH']],
		['with the fees of the next payments', { ETH: 1_039n }, { ETH: 500n }, ['ETH']],
	])('%s', (_, held, owed, needed) => {
		expect(neededNow(ASSETS, held, owed, 1n)).toEqual(needed);
	});
});
