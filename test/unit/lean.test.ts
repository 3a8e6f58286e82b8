/** The base fee as the reserves lean it (book: networks, "Prices that lean"). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assetOf } from '../../src/catalog/assets.ts';
import type { LeanBounds } from '../../src/catalog/settings.ts';
import { renderFeed } from '../../src/pricing/feed.ts';
import { assetLean, feesOf } from '../../src/pricing/lean.ts';
import type { Market } from '../../src/pricing/market.ts';
import { marketOf, NOW } from '../support/rows.ts';

const [LTC, ETH] = [assetOf('LTC'), assetOf('ETH')];
const COIN = 100_000_000n;
const NONE: LeanBounds = { surchargeBps: 0, discountBps: 0 };

interface Reserves {
	/** Satoshi of LTC, of which the operator wants 100 coins. */
	readonly ltc: bigint;
	/** Wei of ETH, of which they want 10 coins. */
	readonly eth?: bigint;
	readonly bounds?: LeanBounds;
	readonly ethBounds?: LeanBounds;
	readonly baseFeeBps?: number;
}

function leaning({ ltc, eth = 10n * 10n ** 18n, bounds = NONE, ethBounds = NONE, baseFeeBps = 50 }: Reserves): Market {
	const market = marketOf({ reserves: { LTC: String(ltc), ETH: String(eth) } });
	const targets = { LTC: '100', ETH: '10' };
	return { ...market, settings: { ...market.settings, baseFeeBps, targets, leans: { LTC: bounds, ETH: ethBounds } } };
}

const paidOut = (market: Market) => feesOf(market, { from: ETH, to: LTC }, 0, NOW).baseFeeBps;
const paidIn = (market: Market) => feesOf(market, { from: LTC, to: ETH }, 0, NOW).baseFeeBps;

describe('the base fee', () => {
	const bounds = { surchargeBps: 100, discountBps: 40 };

	it.each<[string, bigint, number, number]>([
		['at the target stays as it is', 100n * COIN, 50, 50],
		['of an empty wallet leans as far as it may', 0n, 150, 10],
		['halfway leans half', 50n * COIN, 100, 30],
		[
			'of a third too little is rounded in the customer’s favour, and the discount in the house’s',
			6_700_000_000n,
			83,
			37,
		],
		['a satoshi below the target is not moved yet', 100n * COIN - 1n, 50, 50],
		['beyond the target leans the other way', 150n * COIN, 30, 100],
		['of twice the target leans as far as it may', 200n * COIN, 10, 150],
		['of a reserve that a node makes up leans no farther', 10n ** 30n, 10, 150],
	])('%s', (_, ltc, out, into) => {
		const market = leaning({ ltc, bounds });
		expect([paidOut(market), paidIn(market)]).toEqual([out, into]);
	});

	it('is lowered to zero at most: no order is dealt better than at the market', () => {
		expect(paidIn(leaning({ ltc: 0n, bounds: { surchargeBps: 0, discountBps: 500 } }))).toBe(0);
		expect(paidIn(leaning({ ltc: 0n, bounds: { surchargeBps: 0, discountBps: 500 }, baseFeeBps: 0 }))).toBe(0);
	});

	it('adds up both reserves, within the larger bound of the two', () => {
		const ethBounds = { surchargeBps: 60, discountBps: 10 };
		// LTC is short and paid out, ETH is long and paid in.
		expect(paidOut(leaning({ ltc: 75n * COIN, eth: 15n * 10n ** 18n, bounds, ethBounds }))).toBe(50 + 25 + 30);
		expect(paidOut(leaning({ ltc: 0n, eth: 20n * 10n ** 18n, bounds, ethBounds }))).toBe(50 + 100);
		// And back: both discounts.
		expect(paidIn(leaning({ ltc: 0n, eth: 20n * 10n ** 18n, bounds, ethBounds }))).toBe(50 - 40);
		expect(paidIn(leaning({ ltc: 75n * COIN, eth: 15n * 10n ** 18n, bounds, ethBounds }))).toBe(50 - 10 - 5);
	});

	it('leaves the partner’s margin as it is', () => {
		expect(feesOf(leaning({ ltc: 0n, bounds }), { from: ETH, to: LTC }, 30, NOW)).toEqual({
			baseFeeBps: 150,
			leanBps: 100,
			afftaxBps: 30,
		});
	});

	it('counts what is free: coins that are owed lean it as if they were gone', () => {
		const market = leaning({ ltc: 100n * COIN, bounds });
		const owing = marketOf({ reserves: { LTC: String(150n * COIN) }, owed: { LTC: String(50n * COIN) } });
		expect(assetLean({ ...market, networks: owing.networks }, LTC, NOW)).toEqual({ paidOut: 0, paidIn: 0 });
	});

	it('does not lean while the network is silent, without a target, or for a target of zero', () => {
		const market = leaning({ ltc: 0n, bounds });
		const upright = { paidOut: 0, paidIn: 0 };
		expect(assetLean({ ...market, networks: {} }, LTC, NOW)).toEqual(upright);
		for (const targets of [{}, { LTC: '0' }])
			expect(assetLean({ ...market, settings: { ...market.settings, targets } }, LTC, NOW)).toEqual(upright);
	});

	it('without a surcharge and a discount is the operator’s, and the feed the same to the byte', async () => {
		const plain = marketOf({ reserves: { LTC: '1', ETH: '1' } });
		const market = { ...plain, settings: { ...plain.settings, targets: { LTC: '100', ETH: '10' } } };
		const unbound = { ...market, settings: { ...market.settings, leans: { LTC: NONE, ETH: NONE } } };
		expect(feesOf(unbound, { from: ETH, to: LTC }, 7, NOW)).toEqual({ baseFeeBps: 50, leanBps: 0, afftaxBps: 7 });
		const [feed, ...others] = await Promise.all([plain, market, unbound].map((each) => renderFeed(each, NOW)));
		for (const { xml } of others) expect(xml).toBe(feed?.xml);
	});
});

describe('whatever the reserves and the bounds are, the base fee', () => {
	const bps = fc.integer({ min: 0, max: 500 });
	const bounds = fc.record({ surchargeBps: bps, discountBps: bps });
	const coins = fc.bigInt({ min: 0n, max: 400n * COIN });
	const cases = fc.record({
		ltc: coins,
		eth: fc.bigInt({ min: 0n, max: 40n * 10n ** 18n }),
		bounds,
		ethBounds: bounds,
		baseFeeBps: fc.integer({ min: 0, max: 2000 }),
	});

	it('stays within the bounds, and at zero or above', () => {
		fc.assert(
			fc.property(cases, (given) => {
				const market = leaning(given);
				const { baseFeeBps, bounds: own, ethBounds: other } = given;
				for (const pair of [
					{ from: ETH, to: LTC },
					{ from: LTC, to: ETH },
				]) {
					const { baseFeeBps: fee, leanBps } = feesOf(market, pair, 0, NOW);
					expect(fee - leanBps).toBe(baseFeeBps);
					expect(Number.isSafeInteger(fee)).toBe(true);
					expect(fee).toBeLessThanOrEqual(baseFeeBps + Math.max(own.surchargeBps, other.surchargeBps));
					const least = baseFeeBps - Math.max(own.discountBps, other.discountBps);
					expect(fee).toBeGreaterThanOrEqual(Math.max(0, least));
				}
			}),
		);
	});

	it('of orders that are paid out never falls when the reserve does, and that of orders that fill it never rises', () => {
		fc.assert(
			fc.property(cases, coins, (given, more) => {
				const [less, fuller] = [leaning(given), leaning({ ...given, ltc: given.ltc + more })];
				expect(paidOut(less)).toBeGreaterThanOrEqual(paidOut(fuller));
				expect(paidIn(less)).toBeLessThanOrEqual(paidIn(fuller));
			}),
		);
	});

	it('never jumps: a five-hundredth of the target moves it by two basis points at most', () => {
		fc.assert(
			fc.property(cases, (given) => {
				const [here, there] = [leaning(given), leaning({ ...given, ltc: given.ltc + COIN / 5n })];
				expect(paidOut(here) - paidOut(there)).toBeLessThanOrEqual(2);
				expect(paidIn(there) - paidIn(here)).toBeLessThanOrEqual(2);
			}),
		);
	});
});
