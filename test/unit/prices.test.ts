/** The price quorum as tables, and its properties for any answers of the sources (book: contract, "Prices"). */
import { BigNumber } from 'bignumber.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { COINS, type Coin } from '../../src/catalog/assets.ts';
import { agreePrices, MAX_PRICE_AGE_SECONDS, type Prices, priceAt } from '../../src/pricing/prices.ts';
import { type Currency, middle, type SourceQuote } from '../../src/pricing/sources/source.ts';
import { SOURCES } from '../../src/pricing/sources/table.ts';

const NOW = 1_800_000_000_000;

const quote = (source: string, price: string, coin: Coin = 'LTC', currency: Currency = 'USD'): SourceQuote => ({
	source,
	coin,
	currency,
	price,
});

const tether = (...prices: string[]): SourceQuote[] => prices.map((price, i) => quote(`t${i}`, price, 'USDT'));

const agreed = (quotes: readonly SourceQuote[], coin: Coin = 'LTC'): string | undefined =>
	agreePrices(quotes, {}, NOW).prices[coin]?.usd;

const reasonsFor = (coin: string, quotes: readonly SourceQuote[]): string[] =>
	agreePrices(quotes, {}, NOW)
		.disagreements.filter((disagreement) => disagreement.coin === coin)
		.map(({ reason }) => reason);

describe('sources', () => {
	const EXCHANGES = SOURCES.filter(({ name }) => name !== 'coingecko');

	it.each(COINS)('%s has three independent exchanges or more', (coin) => {
		expect(EXCHANGES.filter(({ markets }) => markets[coin]).length).toBeGreaterThanOrEqual(3);
	});

	it('USDT has three independent exchanges or more that quote it in USD', () => {
		const quoting = EXCHANGES.filter(({ markets, currency }) => currency === 'USD' && markets.USDT);
		expect(quoting.length).toBeGreaterThanOrEqual(3);
	});

	it('no source quotes USDT in itself, and no two share a name', () => {
		expect(SOURCES.filter(({ markets, currency }) => currency === 'USDT' && markets.USDT)).toEqual([]);
		expect(new Set(SOURCES.map(({ name }) => name)).size).toBe(SOURCES.length);
	});

	it('a source is not asked for coins that it does not have', async () => {
		const [first] = SOURCES;
		const quotes = await first?.quotes([], () => Promise.reject(new Error('asked')));
		expect(quotes).toEqual([]);
	});
});

describe('agreement', () => {
	it.each([
		['two that agree', ['80', '81'], '80.5'],
		['the same twice', ['80.12', '80.12'], '80.12'],
		['exactly 2 % apart', ['100', '102'], '101'],
		['a hair more than 2 % apart', ['100', '102.000001'], undefined],
		['one source', ['80'], undefined],
		['none', [], undefined],
		['three: the middle one', ['80.3', '80', '80.1'], '80.1'],
		['four: the mean of the middle two', ['80', '80.1', '80.2', '80.9'], '80.15'],
		['two against one', ['80', '80.2', '800'], '80.1'],
		['three against two', ['80', '80.1', '80.2', '63', '63.1'], '80.1'],
		['two against two', ['80', '80.1', '63', '63.1'], undefined],
		['all different', ['80', '63', '100'], undefined],
		['a chain: what the largest groups share', ['100', '102', '104'], '102'],
		['a longer chain: the mean of what is shared', ['100', '101', '101.5', '103'], '101.25'],
		['a chain whose ends share nothing', ['100', '101.5', '103', '104.5'], undefined],
		['exact, no float', ['0.1', '0.100000000000000002'], '0.100000000000000001'],
		['18 significant digits, rounded down', ['1.00000000000000001', '1.00000000000000002'], '1.00000000000000001'],
		['small and plain', ['0.00000000012', '0.00000000012'], '0.00000000012'],
	])('%s', (_name, prices, expected) => {
		expect(agreed(prices.map((price, i) => quote(`s${i}`, price)))).toBe(expected);
	});

	it('one source counts once, by its first quote', () => {
		expect(agreed([quote('a', '80'), quote('a', '80')])).toBeUndefined();
		expect(agreed([quote('a', '80'), quote('a', '81'), quote('b', '80')])).toBe('80');
	});

	it('prefers the quote in USD of a source that has both', () => {
		const both = [...tether('1', '1'), quote('a', '800', 'LTC', 'USDT'), quote('a', '80'), quote('b', '80')];
		expect(agreed(both)).toBe('80');
	});

	it('every price found carries the time of this refresh', () => {
		expect(agreePrices([quote('a', '80'), quote('b', '80')], { LTC: { usd: '70', at: 1 } }, NOW).prices).toEqual({
			LTC: { usd: '80', at: NOW, sources: ['a', 'b'], spreadBps: 0 },
		});
	});
});

describe('what is kept of a price', () => {
	const keptOf = (...prices: string[]) =>
		agreePrices(
			prices.map((price, i) => quote(`s${i}`, price)),
			{},
			NOW,
		).prices['LTC'];

	it.each([
		['two that agree', ['80', '80.4'], ['s0', 's1'], 50, false],
		['a liar is not among them', ['80', '80.4', '800'], ['s0', 's1'], 50, false],
		['a spread is rounded up', ['100', '100.001'], ['s0', 's1'], 1, false],
		['three confirm it', ['80', '80', '80.4'], ['s0', 's1', 's2'], 50, true],
	])('%s: its sources, their spread, and whether three confirm it', (_name, prices, sources, spreadBps, confirmed) => {
		const kept = keptOf(...prices);
		expect(kept).toMatchObject({ sources, spreadBps });
		expect(kept?.confirmed).toEqual(confirmed ? { usd: kept?.usd, at: NOW } : undefined);
	});
});

describe('a price that only two sources confirm', () => {
	const MINUTE = 60_000;
	const confirmed = agreePrices([quote('a', '100'), quote('b', '100'), quote('c', '100')], {}, NOW).prices;
	const two = (usd: string) => [quote('a', usd), quote('b', usd)];
	const found = (usd: string, milliseconds: number, previous: Prices = confirmed) =>
		agreePrices(two(usd), previous, NOW + milliseconds);

	it.each([
		['5 % up within a minute', '105', 10_000, true],
		['more than that', '105.1', 10_000, false],
		['5 % down, as a ratio', '95.24', 10_000, true],
		['more than that, down', '95.2', 10_000, false],
		['10 % in the second minute', '110', MINUTE + 1, true],
		['more than that in the second minute', '110.1', MINUTE + 1, false],
		['twice as much after twenty minutes', '200', 20 * MINUTE, true],
		['half as much after twenty minutes', '50', 20 * MINUTE, true],
		['nothing like it after twenty minutes', '0.01', 20 * MINUTE, false],
	])('%s: %s after %i ms: taken %s', (_name, usd, milliseconds, taken) => {
		const { prices, disagreements } = found(usd, milliseconds);
		expect(prices['LTC']?.usd).toBe(taken ? usd : '100');
		expect(prices['LTC']?.at).toBe(taken ? NOW + milliseconds : NOW);
		expect(disagreements.filter(({ coin }) => coin === 'LTC').map((each) => each.found)).toEqual(taken ? [] : [false]);
	});

	it('gets no further in small steps: the bound is measured from the price that three confirmed', () => {
		let prices: Prices = confirmed;
		for (const [step, usd] of ['104', '108', '112', '116'].entries())
			prices = found(usd, (step + 1) * 10_000, prices).prices;
		expect(prices['LTC']?.usd).toBe('104');
		expect(prices['LTC']?.confirmed).toEqual({ usd: '100', at: NOW });
	});

	it('may jump when a third confirms it, and the bound is then measured from there', () => {
		const three = agreePrices([...two('150'), quote('c', '151')], confirmed, NOW + 10_000).prices;
		expect(three['LTC']).toMatchObject({ usd: '150', confirmed: { usd: '150', at: NOW + 10_000 } });
	});

	it('is accepted when none was ever confirmed: two that agree are a price', () => {
		expect(agreed(two('80'))).toBe('80');
	});

	it('is refused by name, for the log', () => {
		expect(found('150', 10_000).disagreements).toContainEqual({
			coin: 'LTC',
			found: false,
			reason: 'only a, b have it at 150, too far from 100, which three had 1 min before',
		});
	});
});

describe('the middle of an order book', () => {
	it.each([
		['bid and ask', '99', '100', '99.5'],
		['exactly 2 % apart', '100', '102', '101'],
		['further apart', '100', '102.01', null],
		['crossed', '100', '99', null],
		['no bid', null, '100', null],
		['no ask', '100', '', null],
		['a bid of zero', '0', '100', null],
		['exact', '0.00000001', '0.00000001', '0.00000001'],
	])('%s', (_name, bid, ask, expected) => {
		expect(middle(bid, ask)).toBe(expected);
	});
});

describe('USDT', () => {
	const inUsdt = [quote('a', '100', 'LTC', 'USDT'), quote('b', '100', 'LTC', 'USDT')];

	it('is not pinned to 1: quotes in it follow its price', () => {
		expect(agreed([...tether('0.9', '0.9'), ...inUsdt])).toBe('90');
		expect(agreed([...tether('0.9', '0.9'), ...inUsdt], 'USDT')).toBe('0.9');
	});

	it('without a current price: quotes in it do not count, also when it had a price a moment ago', () => {
		const previous: Prices = { USDT: { usd: '1', at: NOW - 1 } };
		expect(agreePrices([...tether('1'), ...inUsdt], previous, NOW).prices).toEqual(previous);
		expect(agreed([...tether('1', '0.5'), ...inUsdt, quote('c', '90')])).toBeUndefined();
		expect(agreed([...inUsdt, quote('c', '90'), quote('d', '90')])).toBe('90');
	});

	it('a quote of USDT in USDT is ignored', () => {
		expect(agreed([quote('a', '1', 'USDT', 'USDT'), quote('b', '1', 'USDT', 'USDT')], 'USDT')).toBeUndefined();
	});
});

describe('the log', () => {
	it.each([
		['agreement', ['80', '81'], []],
		['no agreement', ['63', '80'], ['no two sources agree: s0 63, s1 80']],
		['one source', ['63'], ['only one usable quote: s0 63']],
		['a tie', ['1', '1', '2', '2'], ['several groups of sources are equally large: s0 1, s1 1, s2 2, s3 2']],
		['an outvoted source', ['80', '80', '800'], ['outvoted at 80: s2 800']],
	])('%s', (_name, prices, expected) => {
		const quotes = prices.map((price, i) => quote(`s${i}`, price));
		expect(reasonsFor('LTC', quotes)).toEqual(expected);
	});

	it('says whether a price was still found', () => {
		const outvoted = agreePrices([...tether('1', '1', '2')], {}, NOW).disagreements;
		expect(outvoted).toEqual([{ coin: 'USDT', found: true, reason: 'outvoted at 1: t2 2' }]);
		const lost = agreePrices(tether('1', '1'), { LTC: { usd: '80', at: 1 } }, NOW).disagreements;
		expect(lost).toEqual([{ coin: 'LTC', found: false, reason: 'no usable quote' }]);
	});
});

describe('age', () => {
	const prices = agreePrices([quote('a', '80'), quote('b', '80')], {}, NOW).prices;
	const limit = MAX_PRICE_AGE_SECONDS * 1000;

	it('a price is valid until it is 180 s old', () => {
		expect(MAX_PRICE_AGE_SECONDS).toBe(180);
		expect(priceAt(prices, 'LTC', NOW)).toBe('80');
		expect(priceAt(prices, 'LTC', NOW + limit)).toBe('80');
		expect(priceAt(prices, 'LTC', NOW + limit + 1)).toBeNull();
		expect(priceAt(prices, 'BTC', NOW)).toBeNull();
	});

	it('a coin without agreement keeps its price and its time; the others go on', () => {
		const later = NOW + limit + 1;
		const quotes = [quote('a', '80'), quote('b', '63'), quote('a', '5', 'BTC'), quote('b', '5', 'BTC')];
		const next = agreePrices(quotes, prices, later).prices;
		expect(next).toMatchObject({ LTC: { usd: '80', at: NOW }, BTC: { usd: '5', at: later } });
		expect(priceAt(next, 'LTC', later)).toBeNull();
		expect(priceAt(next, 'BTC', later)).toBe('5');
	});

	it('the previous prices are not touched', () => {
		const before: Prices = Object.freeze({ LTC: Object.freeze({ usd: '70', at: 1 }) });
		agreePrices([quote('a', '80'), quote('b', '80')], before, NOW);
		expect(before).toEqual({ LTC: { usd: '70', at: 1 } });
	});
});

describe('for any answers of the sources', () => {
	/** Quotes close together, so that agreement, chains and disagreement are all frequent. */
	const near = fc.integer({ min: 9_600, max: 10_400 }).map((cents) => new BigNumber(cents).div(100).toFixed());
	const any = fc.oneof(
		near,
		fc.bigInt({ min: 1n, max: 10n ** 17n }).map((n) => new BigNumber(n).times('1e-6').toFixed()),
	);
	/** Prices that agree with each other: within 2 % of the lowest. */
	const honest = (size: number) =>
		fc
			.tuple(near, fc.array(fc.integer({ min: 0, max: 2_000_000 }), { minLength: size - 1, maxLength: size - 1 }))
			.map(([low, above]) => [
				low,
				...above.map((part) =>
					new BigNumber(low)
						.times(100_000_000 + part)
						.div(1e8)
						.toFixed(),
				),
			]);
	const quoted = (prices: readonly string[]) => prices.map((price, i) => quote(`s${i}`, price));
	const isWithin = (price: string | undefined, bounds: readonly (string | BigNumber)[]): boolean => {
		const sorted = bounds.map((bound) => new BigNumber(bound)).sort((a, b) => a.comparedTo(b) ?? 0);
		const [low, high] = [sorted[0], sorted.at(-1)];
		return price !== undefined && low !== undefined && high !== undefined && low.lte(price) && high.gte(price);
	};

	it('one liar among three never moves the price out of the range of the two honest', () => {
		fc.assert(
			fc.property(honest(2), any, (pair, lie) => isWithin(agreed(quoted([...pair, lie])), pair)),
			{ numRuns: 2_000 },
		);
	});

	it('nor does a liar as close to the honest ones as possible', () => {
		const lies = fc.integer({ min: -2_100_000, max: 2_100_000 });
		fc.assert(
			fc.property(honest(2), fc.boolean(), lies, (pair, first, part) => {
				const lie = new BigNumber(pair[first ? 0 : 1] ?? 1)
					.times(100_000_000 + part)
					.div(1e8)
					.toFixed();
				return isWithin(agreed(quoted([lie, ...pair])), pair);
			}),
			{ numRuns: 2_000 },
		);
	});

	it('fewer liars than honest sources never move the price more than 2 % past the honest ones', () => {
		fc.assert(
			fc.property(honest(4), fc.array(any, { maxLength: 3 }), (truth, lies) => {
				const price = agreed(quoted([...truth, ...lies]));
				const slack = truth.flatMap((each) => [
					new BigNumber(each).div('1.02').times('0.9999999'),
					new BigNumber(each).times('1.02'),
				]);
				return price === undefined || isWithin(price, slack);
			}),
			{ numRuns: 2_000 },
		);
	});

	it('a price lies within every largest group that agrees; there is none when they share nothing', () => {
		fc.assert(
			fc.property(fc.array(any, { maxLength: 6 }), (prices) => {
				const price = agreed(quoted(prices));
				const groups = largestAgreeing(prices);
				const common = prices.filter((_, i) => groups.every((group) => group.includes(i)));
				if ((groups[0]?.length ?? 0) < 2 || common.length === 0) return price === undefined;
				return groups.every((group) =>
					isWithin(
						price,
						group.map((i) => prices[i] ?? ''),
					),
				);
			}),
			{ numRuns: 2_000 },
		);
	});

	it('the order of the sources does not matter', () => {
		const quotes = fc.array(fc.tuple(fc.constantFrom<Coin>('LTC', 'BTC', 'USDT'), near, fc.boolean()), {
			maxLength: 12,
		});
		const shuffled = quotes
			.map((rows) =>
				rows.map(([coin, price, usdt], i) => quote(`s${i}`, price, coin, usdt && coin !== 'USDT' ? 'USDT' : 'USD')),
			)
			.chain((rows) => fc.tuple(fc.constant(rows), fc.shuffledSubarray(rows, { minLength: rows.length })));
		fc.assert(
			fc.property(shuffled, ([rows, other]) => {
				expect(agreePrices(other, {}, NOW)).toEqual(agreePrices(rows, {}, NOW));
			}),
			{ numRuns: 500 },
		);
	});
});

/** Tries every subset: the largest ones, as indices, whose highest is at most 2 % above their lowest. */
function largestAgreeing(prices: readonly string[]): number[][] {
	const subsets = Array.from({ length: 2 ** prices.length }, (_, bits) =>
		prices.map((_price, i) => i).filter((i) => bits & (1 << i)),
	).filter((indices) => {
		const sorted = indices.map((i) => new BigNumber(prices[i] ?? 0)).sort((a, b) => a.comparedTo(b) ?? 0);
		return sorted[0] !== undefined && sorted.at(-1)?.lte(sorted[0].times('1.02'));
	});
	const size = Math.max(0, ...subsets.map((subset) => subset.length));
	return subsets.filter((subset) => subset.length === size);
}
