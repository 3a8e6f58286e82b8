/** Quotes: exact, with a rounding of less than one unit (book: contract, "Amounts", "Prices"). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ASSET_IDS, type AssetId, assetOf } from '../../src/catalog/assets.ts';
import { type Amount, parseAmount } from '../../src/money/amount.ts';
import { type Decimal, decimal, plain } from '../../src/money/decimal.ts';
import { fromBaseUnits } from '../../src/money/units.ts';
import {
	type Direction,
	effectiveRate,
	quoteOf,
	quoteView,
	type Terms,
	termsOf,
	termsOnce,
} from '../../src/pricing/quote.ts';
import { BARE_REPORT, type MarketFacts, marketOf, NOW } from '../support/rows.ts';

const FEES = { baseFeeBps: 50, afftaxBps: 0 };

function terms(facts: MarketFacts, from: AssetId = 'LTC', to: AssetId = 'ETH', fees = FEES): Terms | null {
	return termsOf(marketOf(facts), { from: assetOf(from), to: assetOf(to) }, fees, NOW);
}

function theTerms(...given: Parameters<typeof terms>): Terms {
	const found = terms(...given);
	if (!found) throw new Error('no terms');
	return found;
}

function amount(text: string, precision = 8): Amount {
	const parsed = parseAmount(text, precision);
	if (!parsed) throw new Error(`no amount: ${text}`);
	return parsed;
}

interface View {
	readonly from: Record<string, unknown>;
	readonly to: Record<string, unknown>;
	readonly errors: unknown;
	readonly markupBps: unknown;
}

const viewOf = (found: Terms, direction: Direction, text: string, afftaxBps = 0): View =>
	quoteView(quoteOf(found, direction, amount(text)), afftaxBps) as View;

const USD = { LTC: '95', ETH: '3200' };
/** 0.00005 ETH. */
const ETH_FEE = { ETH: '50000000000000' };

describe('rate = market rate × (1 − (base fee + afftax) / 10 000), exact, to 18 significant digits', () => {
	it.each([
		['95', '3200', 0, '0.0296875'],
		['95', '3200', 50, '0.0295390625'],
		['95', '3200', 2050, '0.0236015625'],
		['1', '3', 0, '0.333333333333333333'],
		['2', '3', 0, '0.666666666666666666'],
		['1', '3', 50, '0.331666666666666666'],
		['95000', '0.25', 50, '378100'],
		['0.25', '95000', 0, '0.00000263157894736842105'],
		['100', '100', 4000, '0.6'],
	])('%s USD for %s USD less %i basis points is %s', (fromUsd, toUsd, feeBps, rate) => {
		expect(plain(effectiveRate(decimal(fromUsd), decimal(toUsd), feeBps))).toBe(rate);
	});
});

describe('the quote', () => {
	const found = theTerms({ usd: USD, fees: ETH_FEE });

	it('has every field of the contract, and no other', () => {
		expect(viewOf(found, 'from', '2')).toEqual({
			from: {
				code: 'LTC',
				coin: 'LTC',
				network: 'Litecoin',
				amount: '2',
				rate: '0.0295390625',
				precision: 8,
				usd: '190.00',
				// 40 / 95 up, 50 000 / 95 down.
				min: '0.42105264',
				max: '526.31578947',
				btc: '0',
			},
			to: {
				code: 'ETH',
				coin: 'ETH',
				network: 'Ethereum',
				// 2 × 0.0295390625 − 0.00005
				amount: '0.05902812',
				rate: '0.0295390625',
				precision: 8,
				usd: '188.88',
				// What from.min pays: 0.42105264 × 0.0295390625 − 0.00005, down.
				min: '0.0123875',
				max: '15.54682499',
			},
			errors: [],
			markupBps: 0,
		});
	});

	it('direction to: from.amount = (to.amount + network fee) ÷ rate, rounded up', () => {
		const { from, to } = viewOf(found, 'to', '0.05902812');
		expect(to['amount']).toBe('0.05902812');
		// 0.05907812 / 0.0295390625 = 1.99999983…
		expect(from['amount']).toBe('1.99999984');
	});

	it('to.amount is 0 when the result is not positive', () => {
		expect(viewOf(found, 'from', '0.00000001').to).toMatchObject({ amount: '0', usd: '0.00' });
		// 0.00169268 × rate is just below the fee and a unit.
		expect(viewOf(found, 'from', '0.00169267').to['amount']).toBe('0');
	});

	it.each(['2', '2.0', '002', '2.50000000'])('the caller’s amount is echoed: %s', (text) => {
		expect(viewOf(found, 'from', text).from['amount']).toBe(text);
		expect(viewOf(found, 'to', text).to['amount']).toBe(text);
	});

	it('the floor is never below what covers the network fee', () => {
		// A payout costs 1 ETH, 3200 USD; the floor of 40 USD would leave nothing.
		const dear = theTerms({ usd: USD, fees: { ETH: '1000000000000000000' } });
		const atMin = quoteOf(dear, 'from', amount(plain(dear.min)));
		expect(atMin.toAmount.gt('0')).toBe(true);
		expect(dear.min.times(USD.LTC).gt('3200')).toBe(true);
	});

	it('the minimum is more than a payment of the source asset costs, so that a deposit of it can go back', () => {
		const { min, shown } = theTerms({ usd: USD, fees: { ...ETH_FEE, LTC: '63157895' } });
		expect(shown.from.min).toBe(plain(min));
		expect(min.gt('0.63157895') && min.lt('0.631580')).toBe(true);
	});

	it('is none while nobody knows what a payment of the source asset costs', () => {
		const market = marketOf({ usd: USD, fees: ETH_FEE });
		const report = market.networks.Litecoin ?? BARE_REPORT;
		const networks = { ...market.networks, Litecoin: { ...report, fees: {} } };
		expect(termsOf({ ...market, networks }, { from: assetOf('LTC'), to: assetOf('ETH') }, FEES, NOW)).toBeNull();
	});

	it('a network fee finer than the precision is rounded up to it', () => {
		const fine = theTerms({ usd: USD, fees: { ETH: '1' } });
		expect(plain(fine.networkFee)).toBe('0.00000001');
	});

	it('the bounds are the pair’s own', () => {
		const pairs = { 'LTC>ETH': { active: true, minUsd: 95, maxUsd: 190 } };
		const { min, max } = theTerms({ usd: USD, pairs });
		expect([plain(min), plain(max)]).toEqual(['1', '2']);
	});
});

describe('a quote on an older price → 11', () => {
	const oldest = NOW - 180_000;
	it.each([
		['prices and networks just reported', {}, true],
		['prices 180 s old', { pricedAt: oldest }, true],
		['prices older than 180 s', { pricedAt: oldest - 1 }, false],
		['the destination network silent for 180 s', { heardAt: oldest }, true],
		['the destination network silent for longer', { heardAt: oldest - 1 }, false],
	])('%s: %s', (_, facts, quoted) => {
		expect(terms(facts) !== null).toBe(quoted);
	});

	it.each(['LTC', 'ETH'])('no price of %s at all', (coin) => {
		const market = marketOf();
		const prices = Object.fromEntries(Object.entries(market.prices).filter(([name]) => name !== coin));
		expect(termsOf({ ...market, prices }, { from: assetOf('LTC'), to: assetOf('ETH') }, FEES, NOW)).toBeNull();
	});

	it('a destination network that does not say what a payout costs now', () => {
		const market = marketOf();
		const report = market.networks.Ethereum;
		if (!report) throw new Error('no report');
		const networks = { ...market.networks, Ethereum: { ...report, fees: {} } };
		expect(termsOf({ ...market, networks }, { from: assetOf('LTC'), to: assetOf('ETH') }, FEES, NOW)).toBeNull();
	});

	it('a destination network that has never reported', () => {
		const market = { ...marketOf(), networks: {} };
		expect(termsOf(market, { from: assetOf('LTC'), to: assetOf('ETH') }, FEES, NOW)).toBeNull();
	});
});

describe('the terms of one snapshot', () => {
	const LTC = assetOf('LTC');
	const ETH = assetOf('ETH');

	it('are worked out once for a pair and its fees, and again for another pair or other fees', () => {
		const market = marketOf({
			usd: USD,
			fees: ETH_FEE,
			costs: { ETH: { deposit: '0', recipient: '1000000000000000' } },
		});
		const first = termsOf(market, { from: LTC, to: ETH }, FEES, NOW);
		expect(termsOf(market, { from: LTC, to: ETH }, { ...FEES }, NOW + 1)).toBe(first);
		const others = [
			termsOf(market, { from: LTC, to: assetOf('ETHARB') }, FEES, NOW),
			termsOf(market, { from: assetOf('BTC'), to: ETH }, FEES, NOW),
			termsOf(market, { from: LTC, to: ETH }, { baseFeeBps: 50, afftaxBps: 10 }, NOW),
		];
		expect(new Set([first, ...others]).size).toBe(4);
		// The same sum, so the same rate.
		expect(termsOf(market, { from: LTC, to: ETH }, { baseFeeBps: 20, afftaxBps: 30 }, NOW)).toBe(first);
	});

	it('are remembered for a thousand fees, and no more', () => {
		const market = marketOf();
		const ask = (afftaxBps: number) => termsOf(market, { from: LTC, to: ETH }, { baseFeeBps: 50, afftaxBps }, NOW);
		for (let bps = 0; bps < 999; bps++) ask(bps);
		expect(ask(999)).toBe(ask(999));
		expect(ask(1000)).not.toBe(ask(1000));
		expect(ask(0)).toBe(ask(0));
	});

	it('that are asked for once are the same, and are not to be had without a price either', () => {
		const market = marketOf({ usd: USD, fees: ETH_FEE });
		const once = termsOnce(market, { from: LTC, to: ETH }, FEES, NOW);
		expect(once).toEqual(termsOf(market, { from: LTC, to: ETH }, FEES, NOW));
		expect(once).not.toBe(termsOnce(market, { from: LTC, to: ETH }, FEES, NOW));
		expect(termsOnce(market, { from: LTC, to: ETH }, FEES, NOW + 180_001)).toBeNull();
	});
});

describe('for any prices, fees and amount', () => {
	const usd = fc
		.tuple(fc.bigInt({ min: 1n, max: 10n ** 12n }), fc.integer({ min: 0, max: 6 }))
		.map(([digits, decimals]) => fromBaseUnits(digits, decimals));
	const pair = fc.uniqueArray(fc.constantFrom(...ASSET_IDS), { minLength: 2, maxLength: 2 });
	const someTerms = fc
		.record({
			pair,
			usd: fc.tuple(usd, usd),
			/** Units of the destination's precision. */
			fee: fc.bigInt({ min: 0n, max: 10n ** 8n }),
			/** Base units below that. */
			fine: fc.bigInt({ min: 0n, max: 9n }),
			bps: fc.record({ baseFeeBps: fc.integer({ min: 0, max: 2000 }), afftaxBps: fc.integer({ min: 0, max: 2000 }) }),
			minUsd: fc.integer({ min: 0, max: 1000 }),
			width: fc.integer({ min: 1, max: 100_000 }),
		})
		.map(({ pair: [a = 'LTC', b = 'ETH'], usd: [fromUsd, toUsd], fee, fine, bps, minUsd, width }) => {
			const [from, to] = [assetOf(a), assetOf(b)];
			const feeUnits = to.decimals > to.precision ? fee * 10n ** BigInt(to.decimals - to.precision) + fine : fee;
			return theTerms(
				{
					usd: { [to.coin]: toUsd, [from.coin]: fromUsd },
					fees: { [b]: feeUnits.toString() },
					pairs: { [`${a}>${b}`]: { active: true, minUsd, maxUsd: minUsd + width } },
				},
				a,
				b,
				bps,
			);
		});
	const units = fc.bigInt({ min: 1n, max: 10n ** 20n });
	const textOf = (count: bigint, { precision }: { precision: number }) => fromBaseUnits(count, precision);
	const unitOf = ({ precision }: { precision: number }): Decimal => decimal(fromBaseUnits(1n, precision));
	/** Who asks for the least that is paid pays the least that is asked, which may be more than it takes. */
	const isLeast = ({ shown }: { readonly shown: { readonly to: { readonly min: string } } }, asked: Decimal): boolean =>
		asked.eq(shown.to.min);
	const PLAIN = /^(0|[1-9]\d*)(\.\d*[1-9])?$/;

	it('the received amount is rounded down and the amount to pay is rounded up, each by less than a unit', () => {
		fc.assert(
			fc.property(someTerms, units, (found, count) => {
				const { from, to, rate, networkFee } = found;
				const paid = quoteOf(found, 'from', amount(textOf(count, from)));
				const exactlyReceived = paid.fromAmount.times(rate).minus(networkFee);
				if (paid.toAmount.gt('0')) {
					expect(paid.toAmount.lte(exactlyReceived)).toBe(true);
					expect(paid.toAmount.plus(unitOf(to)).gt(exactlyReceived)).toBe(true);
				} else {
					expect(exactlyReceived.lt(unitOf(to))).toBe(true);
				}
				const wanted = quoteOf(found, 'to', amount(textOf(count, to)));
				const cost = wanted.toAmount.plus(networkFee);
				expect(wanted.fromAmount.times(rate).gte(cost)).toBe(true);
				if (!isLeast(found, wanted.toAmount))
					expect(wanted.fromAmount.minus(unitOf(from)).times(rate).lt(cost)).toBe(true);
			}),
		);
	});

	it('both directions invert each other within one unit', () => {
		fc.assert(
			fc.property(someTerms, units, (found, count) => {
				const { from, to, rate } = found;
				const there = quoteOf(found, 'from', amount(textOf(count, from)));
				// A whole number of more than 30 digits is no amount.
				fc.pre(there.toAmount.lt('1e30'));
				if (there.toAmount.gt('0') && !isLeast(found, there.toAmount)) {
					const back = quoteOf(found, 'to', amount(there.toText));
					expect(back.fromAmount.lte(there.fromAmount)).toBe(true);
					expect(there.fromAmount.minus(back.fromAmount).times(rate).lt(unitOf(to))).toBe(true);
				}
				const wanted = quoteOf(found, 'to', amount(textOf(count, to)));
				fc.pre(wanted.fromAmount.lt('1e30') && !isLeast(found, wanted.toAmount));
				const given = quoteOf(found, 'from', amount(wanted.fromText));
				expect(given.toAmount.gte(wanted.toAmount)).toBe(true);
				expect(given.toAmount.minus(wanted.toAmount).lte(unitOf(from).times(rate))).toBe(true);
			}),
		);
	});

	it('the shown bounds are accepted in both directions, and one unit beyond is not', () => {
		fc.assert(
			fc.property(someTerms, (found) => {
				const { from, to, min, max } = found;
				fc.pre(min.lte(max));
				const { from: fromSide, to: toSide } = viewOf(found, 'from', '1');
				const [fromMin, fromMax, toMin, toMax] = [fromSide['min'], fromSide['max'], toSide['min'], toSide['max']].map(
					String,
				);
				for (const text of [fromMin, fromMax]) {
					const quote = quoteOf(found, 'from', amount(text ?? ''));
					expect(quote.fromAmount.gte(min) && quote.fromAmount.lte(max)).toBe(true);
					expect(quote.toAmount.gt('0')).toBe(true);
				}
				expect(
					decimal(fromMin ?? '')
						.minus(unitOf(from))
						.lt(min),
				).toBe(true);
				expect(
					decimal(fromMax ?? '')
						.plus(unitOf(from))
						.gt(max),
				).toBe(true);
				for (const [paid, shown] of [
					[fromMin, toMin],
					[fromMax, toMax],
				] as const)
					expect(quoteOf(found, 'from', amount(paid ?? '')).toText).toBe(shown);
				for (const text of [toMin, toMax]) {
					const quote = quoteOf(found, 'to', amount(text ?? ''));
					expect(quote.fromAmount.gte(min) && quote.fromAmount.lte(max)).toBe(true);
				}
				// In the other direction the next step is one unit, or what one unit of the deposit buys when that is more.
				const step = [unitOf(to), unitOf(from).times(found.rate)].reduce((a, b) => (a.gt(b) ? a : b));
				const below = decimal(toMin ?? '').minus(step.times('2'));
				const beyond = (value: Decimal) => quoteOf(found, 'to', { text: plain(value), value }).fromAmount;
				if (below.gt('0')) expect(beyond(below).lt(min)).toBe(true);
				expect(beyond(decimal(toMax ?? '').plus(step.times('2'))).gt(max)).toBe(true);
			}),
		);
	});

	it('to.min and to.max are exactly what from.min and from.max pay, and to.min derives from.min', () => {
		fc.assert(
			fc.property(someTerms, (found) => {
				fc.pre(found.min.lte(found.max) && found.max.lt('1e30'));
				for (const [fromText, toText] of [
					[found.shown.from.min, found.shown.to.min],
					[found.shown.from.max, found.shown.to.max],
				] as const)
					expect(quoteOf(found, 'from', amount(fromText)).toText).toBe(toText);
				expect(quoteOf(found, 'to', amount(found.shown.to.min)).fromText).toBe(found.shown.from.min);
			}),
		);
	});

	it('from.min is worth no less and from.max no more than the pair’s bounds in USD', () => {
		fc.assert(
			fc.property(someTerms, fc.integer({ min: 1, max: 1000 }), (found, minUsd) => {
				const { fromUsd, from } = found;
				const pairs = { [`${from.code}>${found.to.code}`]: { active: true, minUsd, maxUsd: minUsd * 10 } };
				const bounded = theTerms(
					{
						usd: { [found.to.coin]: plain(found.toUsd), [from.coin]: plain(fromUsd) },
						pairs,
						beyondReserve: [found.to.code],
					},
					from.code,
					found.to.code,
				);
				expect(bounded.min.times(fromUsd).gte(String(minUsd))).toBe(true);
				expect(bounded.max.times(fromUsd).lte(String(minUsd * 10))).toBe(true);
				expect(
					bounded.max
						.plus(unitOf(from))
						.times(fromUsd)
						.gt(String(minUsd * 10)),
				).toBe(true);
			}),
		);
	});

	it('decimals are plain, within the precision, and the rate has at most 18 significant digits', () => {
		fc.assert(
			fc.property(someTerms, units, fc.constantFrom<Direction>('from', 'to'), (found, count, direction) => {
				const named = direction === 'from' ? found.from : found.to;
				const view = viewOf(found, direction, textOf(count, named));
				for (const side of [view.from, view.to]) {
					for (const field of ['amount', 'rate', 'min', 'max']) expect(side[field]).toMatch(PLAIN);
					expect(side['usd']).toMatch(/^\d+\.\d{2}$/);
					for (const field of ['amount', 'min', 'max']) {
						expect(String(side[field]).split('.')[1]?.length ?? 0).toBeLessThanOrEqual(8);
					}
				}
				expect(view.from['rate']).toBe(view.to['rate']);
				expect(String(view.from['rate']).replace('.', '').replace(/^0+/, '').length).toBeLessThanOrEqual(18);
			}),
		);
	});
});

it('the whole cost of a swap is never less than it costs: amount and share are rounded up', () => {
	const cents = fc.bigInt({ min: 1n, max: 10n ** 7n });
	const some = { from: cents, to: cents, units: fc.bigInt({ min: 1n, max: 10n ** 12n }), afftaxBps: fc.nat(2_000) };
	fc.assert(
		fc.property(fc.record(some), ({ from, to, units, afftaxBps }) => {
			const usd = { LTC: fromBaseUnits(from, 2), ETH: fromBaseUnits(to, 2) };
			const found = theTerms({ usd, fees: ETH_FEE }, 'LTC', 'ETH', { baseFeeBps: 50, afftaxBps });
			const quote = quoteOf(found, 'from', amount(fromBaseUnits(units, 8)));
			const { cost } = quoteView(quote, afftaxBps, ['cost']) as { cost: { amount: string; bps: string } };
			// In US dollars, and so without a division.
			const worth = quote.fromAmount.times(quote.fromUsd);
			const lost = worth.minus(quote.toAmount.times(quote.toUsd));
			const told = decimal(cost.amount).times(quote.toUsd);
			expect([told.lt(lost), told.minus(lost).lt(quote.toUsd.times('0.00000001'))]).toEqual([false, true]);
			const share = decimal(cost.bps).times(worth);
			const exact = lost.times('10000');
			expect([share.lt(exact), share.minus(exact).lt(worth.times('0.01'))]).toEqual([false, true]);
		}),
	);
});
