/** The limits of an order beside the operator's settings: the house's costs, and what the hot wallet can pay. */
import { describe, expect, it } from 'vitest';
import { assetOf } from '../../src/catalog/assets.ts';
import { parseAmount } from '../../src/money/amount.ts';
import { decimal, plain } from '../../src/money/decimal.ts';
import { settle } from '../../src/orders/settlement.ts';
import { freeReserve, leastUsd, limitFacts } from '../../src/pricing/limits.ts';
import { quoteOf, type Terms, termsOf } from '../../src/pricing/quote.ts';
import { type MarketFacts, marketOf, NOW, orderRow } from '../support/rows.ts';

const USD = { USDT: '1', USDC: '1', ETH: '4000', TRX: '0.25', LTC: '100' };

function terms(facts: MarketFacts, from = 'USDTERC20', to = 'LTC', fees = {}): Terms | null {
	const market = marketOf({ usd: USD, ...facts });
	return termsOf(
		market,
		{ from: assetOf(from as 'LTC'), to: assetOf(to as 'LTC') },
		{ baseFeeBps: 50, afftaxBps: 0, ...fees },
		NOW,
	);
}

describe('the least that an order may be worth', () => {
	it.each([
		['0', 200, '0'],
		['1.3', 200, '65'],
		['1.3', 100, '130'],
		['1', 30, '333.33333334'],
		['0.000000001', 3333, '0.00000001'],
		['0.000000001', 200, '0.00000005'],
		// The signer sweeps what is worth three times its cost.
		['2', 3333, '6.00060007'],
		['2', 1, '20000'],
	])('of a cost of %s USD at a share of %i basis points is %s USD, rounded up', (cost, bps, least) => {
		expect(plain(leastUsd(decimal(cost), bps))).toBe(least);
	});

	it('has what the deposit costs to move and what the recipient may burn as its share, each in its own coin', () => {
		// 0.0003 ETH is 1.2 USD, 3.2 TRX are 0.8 USD: 2 USD are two percent of 100 USD.
		const costs = {
			USDTERC20: { deposit: '300000000000000', recipient: '7' },
			USDTTRC20: { deposit: '7', recipient: '3200000' },
		};
		const leastOf = (found: Terms | null) => plain(found?.min ?? decimal('0'));
		expect(leastOf(terms({ costs }, 'USDTERC20', 'USDTTRC20'))).toBe('100');
		// Neither the house's fee nor the partner's margin is part of it.
		expect(leastOf(terms({ costs }, 'USDTERC20', 'USDTTRC20', { baseFeeBps: 0, afftaxBps: 500 }))).toBe('100');
		// The operator's share is: at that of the base fee the house loses nothing.
		const settings = (sweepShareBps: number) => ({ costs, sweepShareBps });
		expect(leastOf(terms(settings(50), 'USDTERC20', 'USDTTRC20'))).toBe('400');
		expect(leastOf(terms(settings(1000), 'USDTERC20', 'USDTTRC20'))).toBe('40');
	});

	it('is the pair’s own when that is more, or when there are no costs', () => {
		expect(plain(terms({})?.min ?? decimal('0'))).toBe('40');
		const cheap = { USDTERC20: { deposit: '10000000000', recipient: '0' } };
		expect(plain(terms({ costs: cheap })?.min ?? decimal('0'))).toBe('40');
	});

	it('is unknown, so no quote is made, while a network that reports costs does not report this one', () => {
		const market = marketOf({ usd: USD });
		const { Ethereum } = market.networks;
		if (!Ethereum) throw new Error('no report');
		const fees = { baseFeeBps: 50, afftaxBps: 0 };
		const with_ = (report: typeof Ethereum) => ({ ...market, networks: { ...market.networks, Ethereum: report } });
		const [from, to] = [assetOf('USDTERC20'), assetOf('LTC')];
		expect(termsOf(with_({ ...Ethereum, costs: {} }), { from, to }, fees, NOW)).toBeNull();
	});

	it('applies at settlement as well: a deposit below it waits for a choice, the order’s own amount does not', () => {
		const market = marketOf({ usd: USD, costs: { USDTERC20: { deposit: '300000000000000', recipient: '0' } } });
		const order = orderRow({ fromAsset: 'USDTERC20', toAsset: 'LTC', fromAmount: '70' });
		const boundsOf = (coins: bigint) => settle(order, coins * 1_000_000n, market, NOW)?.bounds;
		// 1.2 USD are two percent of 60 USD, and 2 % are tolerated.
		expect([40n, 58n, 59n, 70n, 1_000n].map(boundsOf)).toEqual(['below', 'below', 'within', 'within', 'within']);
		const own = orderRow({ fromAsset: 'USDTERC20', toAsset: 'LTC', fromAmount: '50' });
		expect(settle(own, 50_000_000n, market, NOW)?.bounds).toBe('within');
	});
});

describe('the most that an order may be worth', () => {
	/** 12 LTC in the hot wallet, 2.5 of them owed. */
	const LITECOIN: MarketFacts = { reserves: { LTC: '1200000000' }, owed: { LTC: '250000000' }, fees: { LTC: '10000' } };

	it('is what the hot wallet holds and does not owe, network fee included, rounded down', () => {
		const found = terms(LITECOIN);
		// 9.5 LTC at a rate of 0.00995.
		expect(found?.shown.from.max).toBe('954.773869');
		expect(found?.shown.to.max).toBe('9.49989999');
		if (!found) throw new Error('no terms');
		const paid = quoteOf(found, 'from', parseAmount(found.shown.from.max, 6) ?? { text: '', value: decimal('0') });
		expect(paid.toAmount.plus(found.networkFee).lte('9.5')).toBe(true);
	});

	it('is the pair’s own when that is less, or when the operator accepts orders beyond the reserve', () => {
		expect(terms({ ...LITECOIN, reserves: { LTC: '100000000000' } })?.shown.from.max).toBe('50000');
		expect(terms({ ...LITECOIN, beyondReserve: ['LTC'] })?.shown.from.max).toBe('50000');
		expect(terms({ ...LITECOIN, beyondReserve: ['BTC'] })?.shown.from.max).toBe('954.773869');
	});

	it('is zero when all or more than all is owed', () => {
		for (const owed of ['1200000000', '1200000001']) {
			const found = terms({ ...LITECOIN, owed: { LTC: owed } });
			expect(found?.shown.from.max).toBe('0');
			expect(found?.shown.to).toEqual({ min: '0.3979', max: '0' });
		}
	});

	it('is unknown while the wallet’s balance is unknown', () => {
		const market = marketOf({ usd: USD });
		const { Litecoin } = market.networks;
		if (!Litecoin) throw new Error('no report');
		const untold = { ...market, networks: { ...market.networks, Litecoin: { ...Litecoin, reserves: {} } } };
		expect(freeReserve(untold, assetOf('LTC'), NOW)).toBeNull();
		const fees = { baseFeeBps: 50, afftaxBps: 0 };
		expect(termsOf(untold, { from: assetOf('USDTERC20'), to: assetOf('LTC') }, fees, NOW)).toBeNull();
	});
});

describe('what is not known', () => {
	const COSTS = { USDTERC20: { deposit: '3', recipient: '0' }, USDTTRC20: { deposit: '0', recipient: '7' } };
	const [from, to] = [assetOf('USDTERC20'), assetOf('USDTTRC20')];
	const NO_COSTS = { USDTERC20: { deposit: '0', recipient: '9' }, USDTTRC20: { deposit: '9', recipient: '0' } };

	it.each([
		['ETH', COSTS, null],
		['TRX', COSTS, null],
		['LTC', COSTS, { deposit: '3', recipient: '7' }],
		// What a deposit to Tron or a recipient on Ethereum would cost does not matter here.
		['ETH', NO_COSTS, { deposit: '0', recipient: '0' }],
		['TRX', NO_COSTS, { deposit: '0', recipient: '0' }],
	])('is an order’s limit while %s has no price and something has to be paid in it', (coin, costs, known) => {
		const market = marketOf({ usd: USD, costs });
		const { [coin]: _, ...prices } = market.prices;
		const facts = limitFacts({ ...market, prices }, from, to, NOW);
		expect(facts && { deposit: facts.deposit, recipient: facts.recipient }).toEqual(known);
	});

	it('is no price that nothing is paid in: a quote is made without it', () => {
		const market = marketOf({ usd: USD, costs: NO_COSTS });
		const { ETH: _, TRX: __, ...prices } = market.prices;
		const found = termsOf({ ...market, prices }, { from, to }, { baseFeeBps: 50, afftaxBps: 0 }, NOW);
		expect(found?.shown.from.min).toBe('40');
	});

	it('counts as nothing of an asset that the report does not name, and nobody knows it without a report', () => {
		const facts = { deposit: '0', recipient: '0', free: '100' };
		const untold = marketOf({ reserves: { LTC: '100' }, owed: { BTC: '1' } });
		expect(limitFacts(untold, from, assetOf('LTC'), NOW)).toEqual(facts);
		expect(freeReserve({ ...untold, networks: {} }, assetOf('LTC'), NOW)).toBeNull();
	});
});
