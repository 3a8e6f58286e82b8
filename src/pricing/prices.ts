/**
 * The price quorum (book: contract, "Prices"): what several sources say becomes one price for each coin, or none.
 * A price that only two confirm may not jump (`jumpText`).
 * Pure: no clock, no I/O; the quotes have been parsed by the sources. All arithmetic is exact, to 18 significant digits,
 * rounded down; a stablecoin is priced like any coin, and quotes in USDT are worth what USDT is worth now.
 */
import type { Coin } from '../catalog/assets.ts';
import { type Decimal, decimal, divideUp, plain, significantDown } from '../money/decimal.ts';
import type { SourceQuote } from './sources/source.ts';

/** A price older than this is no price: quotes, creates and exchanges are refused on it. */
export const MAX_PRICE_AGE_SECONDS = 180;
/** Sources that must agree for a price. */
export const QUORUM = 2;
/** Highest over lowest of quotes that agree: 2 %. */
const MAX_SPREAD = '1.02';
const SIGNIFICANT_DIGITS = 18;
const ONE = decimal('1');

/** Sources that confirm a price: with so many behind it, it may go where it wants. */
const CONFIRMED = 3;
/**
 * How far a price that fewer confirm may be from the last one that was confirmed, percent for each minute since then.
 * Two thin books can be moved by one person with little money, and RateBook and the signer would believe it; a real fall of a coin
 * that has lost its other sources is followed, a little later.
 */
const UNCONFIRMED_PERCENT_PER_MINUTE = 5;

export interface CoinPrice {
	/** US dollars for one coin, plain decimal text. */
	readonly usd: string;
	/** Unix milliseconds when the sources were asked. */
	readonly at: number;
	/** Names of the sources that are within 2 % of it, sorted; absent in a price of the sandbox's table. */
	readonly sources?: readonly string[];
	/** Highest over lowest of these sources, less one: basis points, rounded up. Absent like `sources`. */
	readonly spreadBps?: number;
	/** The last price that three sources or more were within 2 % of, which may be this one; absent where there never was one. */
	readonly confirmed?: { readonly usd: string; readonly at: number };
}

/** By coin. A coin that never had a price is not in it. */
export type Prices = Readonly<Record<string, CoinPrice>>;

/** For the log: a coin on which not all sources agree. */
export interface Disagreement {
	readonly coin: string;
	/** Whether a price was found all the same; if not, the previous one stays. */
	readonly found: boolean;
	readonly reason: string;
}

interface Offer {
	readonly source: string;
	readonly usd: Decimal;
}

/**
 * The previous prices, and in their place a new one (with `now`) for each coin on which two sources or more agree.
 * USDT comes first, from the sources that quote it in USD. Unless it is found now, quotes in USDT do not count: a price
 * is never newer than what it was computed from. The order of the quotes matters only within one source.
 */
export function agreePrices(
	quotes: readonly SourceQuote[],
	previous: Prices,
	now: number,
): { prices: Prices; disagreements: readonly Disagreement[] } {
	const prices: Record<string, CoinPrice> = { ...previous };
	const disagreements: Disagreement[] = [];

	function settle(coin: string, tether: Decimal | null): Decimal | null {
		const offers = offersOf(coin, quotes, tether);
		const { price, reason } = agree(offers);
		const found = price && priceOf(price, offers, previous[coin], now);
		const tooFar = found ? jumpText(found, now) : null;
		const isFound = found !== null && tooFar === null;
		if (isFound) prices[coin] = found;
		const why = tooFar ?? reason;
		if (why) disagreements.push({ coin, found: isFound, reason: why });
		return isFound ? price : null;
	}

	const tether = settle('USDT', null);
	const coins = new Set([...quotes.map((quote) => quote.coin), ...Object.keys(previous)]);
	coins.delete('USDT');
	for (const coin of [...coins].sort()) settle(coin, tether);
	return { prices, disagreements };
}

/** The kept part of a price that was agreed on. */
function priceOf(price: Decimal, offers: readonly Offer[], before: CoinPrice | undefined, now: number): CoinPrice {
	const near = offers.filter(({ usd }) => usd.lte(price.times(MAX_SPREAD)) && price.lte(usd.times(MAX_SPREAD)));
	const sorted = near.map(({ usd }) => usd).sort((a, b) => a.comparedTo(b));
	const [lowest, highest] = [sorted[0] ?? price, sorted.at(-1) ?? price];
	const usd = plain(price);
	const confirmed = near.length >= CONFIRMED ? { usd, at: now } : before?.confirmed;
	return {
		usd,
		at: now,
		sources: near.map(({ source }) => source).sort(),
		spreadBps: spreadBps(lowest, highest),
		...(confirmed && { confirmed }),
	};
}

/** (highest ÷ lowest − 1) in basis points, rounded up. To be shown: nothing is decided by it. */
const spreadBps = (lowest: Decimal, highest: Decimal): number =>
	Number(plain(divideUp(highest.minus(lowest).times('10000'), lowest, 0)));

/** Were three sources or more within 2 % of it? */
export const isConfirmed = ({ sources = [] }: CoinPrice): boolean => sources.length >= CONFIRMED;

/**
 * Why this price is not taken: fewer than three sources confirm it, and it is further from the last one that was
 * confirmed than the time since then allows (each minute that has begun counts). Null where it is taken, also where no
 * price was ever confirmed: then two that agree are all there is.
 */
function jumpText(price: CoinPrice, now: number): string | null {
	const { usd, sources = [], confirmed } = price;
	if (!confirmed || isConfirmed(price)) return null;
	const minutes = Math.max(1, Math.ceil((now - confirmed.at) / 60_000));
	const percent = String(100 + UNCONFIRMED_PERCENT_PER_MINUTE * minutes);
	const [found, anchor] = [decimal(usd), decimal(confirmed.usd)];
	const isNear = found.times('100').lte(anchor.times(percent)) && anchor.times('100').lte(found.times(percent));
	if (isNear) return null;
	return `only ${sources.join(', ')} have it at ${usd}, too far from ${confirmed.usd}, which three had ${minutes} min before`;
}

/** US dollars for one coin, or null when there is no price, or only one older than `MAX_PRICE_AGE_SECONDS`. */
export function priceAt(prices: Prices, coin: Coin, now: number): string | null {
	const price = prices[coin];
	return price && now - price.at <= MAX_PRICE_AGE_SECONDS * 1000 ? price.usd : null;
}

/** One offer for each source, whatever it repeats: its first quote in USD, or else its first in USDT. */
function offersOf(coin: string, quotes: readonly SourceQuote[], tether: Decimal | null): Offer[] {
	const bySource = new Map<string, SourceQuote>();
	for (const quote of quotes) {
		if (quote.coin !== coin) continue;
		const kept = bySource.get(quote.source);
		if (!kept || (kept.currency === 'USDT' && quote.currency === 'USD')) bySource.set(quote.source, quote);
	}
	return [...bySource.values()].flatMap(({ source, currency, price }) => {
		const rate = currency === 'USD' ? ONE : tether;
		return rate ? [{ source, usd: rounded(rate.times(price)) }] : [];
	});
}

/**
 * The median of the largest group of offers that agree. Where several groups are the largest, what they share decides:
 * in 100, 102, 104 it is 102, so that a liar who stands close to one honest source cannot pull the price past it.
 * Groups that share nothing are two opinions of equal weight: no price.
 */
function agree(offers: readonly Offer[]): { price: Decimal | null; reason: string | null } {
	const sorted = offers.toSorted((a, b) => a.usd.comparedTo(b.usd) || (a.source < b.source ? -1 : 1));
	const groups = sorted.map((lowest, start) => {
		const ceiling = lowest.usd.times(MAX_SPREAD);
		return sorted.slice(start).filter(({ usd }) => usd.lte(ceiling));
	});
	const size = Math.max(0, ...groups.map((group) => group.length));
	const none = (why: string) => ({ price: null, reason: `${why}: ${listed(sorted)}` });
	if (sorted.length === 0) return { price: null, reason: 'no usable quote' };
	if (sorted.length < QUORUM) return none('only one usable quote');
	if (size < QUORUM) return none('no two sources agree');

	const largest = groups.filter((group) => group.length === size);
	const shared = sorted.filter((offer) => largest.every((group) => group.includes(offer)));
	const price = median(shared.map(({ usd }) => usd));
	if (!price) return none('several groups of sources are equally large');
	const outvoted = sorted.filter((offer) => !largest.some((group) => group.includes(offer)));
	return { price, reason: outvoted.length > 0 ? `outvoted at ${plain(price)}: ${listed(outvoted)}` : null };
}

/** The middle one of ascending numbers, or the mean of the two in the middle, rounded down. Null where there is none. */
function median(ascending: readonly Decimal[]): Decimal | null {
	const low = ascending[Math.ceil(ascending.length / 2) - 1];
	const high = ascending[Math.floor(ascending.length / 2)];
	return low && high ? rounded(low.plus(high).times('0.5')) : null;
}

const rounded = (value: Decimal): Decimal => significantDown(value, SIGNIFICANT_DIGITS);

const listed = (offers: readonly Offer[]): string =>
	offers.map(({ source, usd }) => `${source} ${plain(usd)}`).join(', ');
