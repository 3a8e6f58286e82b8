/** What a final deposit is worth, and whether it is in bounds (book: contract, "Orders"). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { settle } from '../../src/orders/settlement.ts';
import type { OrderRow } from '../../src/orders/table.ts';
import { type MarketFacts, marketOf, NOW, orderRow } from '../support/rows.ts';

/** By default LTC and ETH cost 100 USD, and a pair accepts 40 to 50 000 USD. */
const litoshi = (coins: string): bigint => {
	const [whole = '0', fraction = ''] = coins.split('.');
	return BigInt(whole + fraction.padEnd(8, '0'));
};

const settled = (own: string, received: string, facts: MarketFacts = {}, more = {}) =>
	settle(orderRow({ fromAmount: own, ...more }), litoshi(received), marketOf(facts), NOW);

describe('a deposit between the order’s own amount and 1 % above it is in bounds, whatever the price is by then', () => {
	it.each([
		['its own amount', '0.4', '0.4', 'within'],
		['1 % above', '0.4', '0.404', 'within'],
		['a unit above 1 %', '0.4', '0.40400001', 'below'],
		['a unit below its own amount', '0.4', '0.39999999', 'below'],
	])('the price fell by half: %s', (_, own, received, bounds) => {
		expect(settled(own, received, { usd: { LTC: '50' } })?.bounds).toBe(bounds);
	});

	it.each([
		['its own amount', '500', '500', 'within'],
		['1 % above', '500', '505', 'within'],
		['a unit above 1 %', '500', '505.00000001', 'above'],
		['a unit below its own amount', '500', '499.99999999', 'above'],
	])('the price doubled: %s', (_, own, received, bounds) => {
		expect(settled(own, received, { usd: { LTC: '200' } })?.bounds).toBe(bounds);
	});
});

describe('any other amount is judged by its USD value at the live price, with 2 % tolerance at both ends', () => {
	it.each([
		['39.20 USD, 2 % below the floor', '0.392', 'within'],
		['a unit less', '0.39199999', 'below'],
		['the floor', '0.4', 'within'],
		['the ceiling', '500', 'within'],
		['51 000 USD, 2 % above the ceiling', '510', 'within'],
		['a unit more', '510.00000001', 'above'],
		['one unit', '0.00000001', 'below'],
	])('%s: %s LTC is %s', (_, received, bounds) => {
		expect(settled('1', received)?.bounds).toBe(bounds);
	});

	it('an absurdly large amount, which only a lying node reports, is above, and causes no error', () => {
		const absurd = settled('1', '9'.repeat(28));
		expect([absurd?.bounds, absurd?.usdCents]).toEqual(['above', Number.MAX_SAFE_INTEGER]);
	});

	it('the bounds are the pair’s current ones', () => {
		const pairs = { 'LTC>ETH': { active: true, minUsd: 1000, maxUsd: 2000 } };
		expect(settled('1', '5', { pairs })?.bounds).toBe('below');
		expect(settled('1', '15', { pairs })?.bounds).toBe('within');
		expect(settled('1', '25', { pairs })?.bounds).toBe('above');
	});

	it.each(['1', '01', '1.0', '1.00000000'])('the order’s own amount may be written %s', (own) => {
		expect(settled(own, '1', { usd: { LTC: '1' } })?.bounds).toBe('within');
	});
});

describe('a deposit worth more than the signer’s daily cap', () => {
	it.each([
		['within its cap, also when the signer’s prices are 2 % above ours', '9.8', 1000, '0', false],
		['a unit more', '9.80392157', 1000, '0', true],
		['the payout’s network fee counts as well', '9.8', 1000, '10000000000000000', true],
		['an order’s own amount, in bounds at any price', '10', 1000, '0', true],
		['the signer has not said its cap', '500', null, '0', false],
		['a signer without a cap signs nothing, which does not make this deposit too large', '1', 0, '0', false],
	])('%s: %s LTC with a cap of %s USD', (_, received, payoutCapUsd, fee, beyondSigner) => {
		expect(settled('10', received, { payoutCapUsd, fees: { ETH: fee } })).toMatchObject({ beyondSigner });
	});
});

describe('the live rate is taken when the deposit becomes final', () => {
	it('what is owed: received × rate − network fee, rounded down to the precision', () => {
		const usd = { LTC: '95', ETH: '3200' };
		expect(settled('2', '2', { usd, fees: { ETH: '50000000000000' } }, { afftaxBps: 100 })).toEqual({
			// 2 × 95 / 3200 × 0.985 − 0.00005
			toAmount: '0.05843437',
			rate: '0.0292421875',
			networkFee: '0.00005',
			received: 200_000_000n,
			owed: 58_434_370_000_000_000n,
			fee: 50_000_000_000_000n,
			gross: 59_375_000_000_000_000n,
			afftax: 593_750_000_000_000n,
			usdCents: 19_000,
			bounds: 'within',
			pricedAt: NOW,
			beyondSigner: false,
			belowFloor: false,
		});
	});

	it('is as old as the older of the two prices', () => {
		const market = marketOf();
		const prices = { LTC: { usd: '100', at: NOW - 2 }, ETH: { usd: '100', at: NOW - 1 } };
		const pricedAt = (order: Partial<OrderRow>) =>
			settle(orderRow(order), litoshi('2'), { ...market, prices }, NOW)?.pricedAt;
		expect(pricedAt({})).toBe(NOW - 2);
		expect(pricedAt({ fromAsset: 'ETH', toAsset: 'LTC', fromAmount: '0.0000002' })).toBe(NOW - 2);
	});

	it('on a price too old, or with the destination network silent, the order waits', () => {
		expect(settled('2', '2', { pricedAt: NOW - 180_001 })).toBeNull();
		expect(settled('2', '2', { heardAt: NOW - 180_001 })).toBeNull();
	});

	it('a deposit worth less than the payout’s network fee is owed nothing', () => {
		// 0.00000001 LTC against a fee of 1 ETH.
		const poor = settled('1', '0.00000001', { fees: { ETH: '1000000000000000000' } }, { afftaxBps: 100 });
		expect(poor).toMatchObject({ toAmount: '0', owed: 0n, afftax: 0n });
	});
});

describe('any deposit at any price', () => {
	const cases = fc.record({
		received: fc.bigInt({ min: 1n, max: 10n ** 14n }),
		ltc: fc.integer({ min: 1, max: 10 ** 9 }),
		eth: fc.integer({ min: 1, max: 10 ** 9 }),
		fee: fc.bigInt({ min: 0n, max: 10n ** 18n }),
		baseFeeBps: fc.integer({ min: 0, max: 2000 }),
		afftaxBps: fc.integer({ min: 0, max: 2000 }),
	});

	it('the deposit’s value is divided among recipient, network fee, partner and house, none of them below zero', () => {
		fc.assert(
			fc.property(cases, ({ received, ltc, eth, fee, baseFeeBps, afftaxBps }) => {
				const usd = { LTC: `${ltc / 1000}`, ETH: `${eth / 1000}` };
				const market = marketOf({ usd, fees: { ETH: fee.toString() } });
				const found = settle(orderRow({ baseFeeBps, afftaxBps }), received, market, NOW);
				if (!found) throw new Error('no settlement');
				expect(found.owed >= 0n && found.fee >= fee && found.afftax >= 0n).toBe(true);
				if (found.owed === 0n) return;
				expect(found.gross - found.owed - found.fee - found.afftax >= 0n).toBe(true);
				// The partner's share is given by the basis points, less at most one unit of the precision.
				expect((found.gross * BigInt(afftaxBps)) / 10_000n - found.afftax).toBeLessThan(10n ** 10n);
			}),
		);
	});
});
