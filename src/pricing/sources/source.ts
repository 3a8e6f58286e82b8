/**
 * A price source. Each public ticker has its own file with three things of its own: the names of its markets, the path
 * that asks for them, and how its answer is read; `tickerSource` does the rest, the same for all. A source that answers
 * in another shape throws and is without a say this time; a coin whose price is missing or absurd is left out, and its
 * other coins count. Prices are decimal text from the wire to the quorum, never a float.
 */
import type { Coin } from '../../catalog/assets.ts';
import { type Decimal, decimal, plain } from '../../money/decimal.ts';

export type Currency = 'USD' | 'USDT';

export interface SourceQuote {
	readonly source: string;
	readonly coin: Coin;
	readonly currency: Currency;
	/** Plain decimal text, positive. */
	readonly price: string;
}

/** Fetches a path below the source's base URL. Numbers in the answer arrive as the text that was sent. */
export type GetJson = (path: string) => Promise<unknown>;

export interface PriceSource {
	readonly name: string;
	readonly defaultBaseUrl: string;
	/** The currency of its prices. */
	readonly currency: Currency;
	/** The source's own name of each market that it has; what is not listed here is never asked for. */
	readonly markets: Readonly<Partial<Record<Coin, string>>>;
	/** One request. @throws when the source is out of reach or answers in another shape. */
	quotes(coins: readonly Coin[], get: GetJson): Promise<SourceQuote[]>;
}

type Ticker = Omit<PriceSource, 'quotes'> & {
	/** Where these markets are asked for; a source may answer with more of them. */
	path(markets: readonly string[]): string;
	/** Market and price as sent, one pair for each that the answer holds. @throws when the shape is not the documented one. */
	read(answer: unknown): Iterable<readonly [market: string, price: unknown]>;
};

export function tickerSource({ path, read, ...about }: Ticker): PriceSource {
	return {
		...about,
		async quotes(coins, get) {
			const asked = coins.flatMap((coin) => {
				const market = about.markets[coin];
				return market === undefined ? [] : [{ coin, market }];
			});
			if (asked.length === 0) return [];
			const prices = new Map(read(await get(path(asked.map(({ market }) => market)))));
			return asked.flatMap(({ coin, market }) => {
				const price = priceText(prices.get(market));
				return price === null ? [] : [{ source: about.name, coin, currency: about.currency, price }];
			});
		},
	};
}

/** Bounds of a believable price, and of the text that is looked at: nothing that is traded comes near either. */
const MIN_PRICE = '1e-12';
const MAX_PRICE = '1e12';
const DECIMAL = /^\d{1,40}(\.\d{1,40})?(e[+-]?\d{1,4})?$/i;

/** Widest book that says anything: highest over lowest of bid and ask, 2 %. */
const WIDEST_BOOK = '1.02';

/**
 * The middle of the best bid and the best ask, exact; null where one is missing, the two are crossed, or so far apart
 * that the middle is not a price. The last trade could be set by one small trade with oneself; to move the middle, one must
 * offer an order that others may take.
 */
export function middle(bid: unknown, ask: unknown): string | null {
	const [low, high] = [believable(bid), believable(ask)];
	if (low === null || high === null || high.lt(low) || high.gt(low.times(WIDEST_BOOK))) return null;
	return plain(low.plus(high).times('0.5'));
}

function priceText(sent: unknown): string | null {
	const price = believable(sent);
	return price && plain(price);
}

/** Null for what is no decimal text, or beyond the bounds. */
function believable(sent: unknown): Decimal | null {
	if (typeof sent !== 'string' || !DECIMAL.test(sent)) return null;
	const price = decimal(sent);
	return price.gte(MIN_PRICE) && price.lte(MAX_PRICE) ? price : null;
}
