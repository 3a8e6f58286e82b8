/**
 * The price sources, one row each: the names of its markets, the path that asks for them, and how its answer is read. All
 * are asked at every refresh. A book's price is the middle of its best bid and ask (`source.ts`).
 */
import * as z from 'zod/mini';
import type { Coin } from '../../catalog/assets.ts';
import { middle, type PriceSource, tickerSource } from './source.ts';

const Fields = z.lazy(() => z.record(z.string(), z.unknown()));
const Tickers = z.lazy(() => z.array(Fields));
const Name = z.lazy(() => z.string());

/** Each market's name and price, from a list of tickers with these fields. @throws where it is none */
const middlesOf = (list: unknown, market: string, bid: string, ask: string) =>
	Tickers.parse(list).map((ticker) => [Name.parse(ticker[market]), middle(ticker[bid], ticker[ask])] as const);

/** The markets of these coins, where one rule names them all. */
const named = (coins: readonly Coin[], nameOf: (coin: Coin) => string): PriceSource['markets'] =>
	Object.fromEntries(coins.map((coin) => [coin, nameOf(coin)]));

/**
 * Documented: Binance Spot API, REST, "Symbol order book ticker", `GET /api/v3/ticker/bookTicker`; the host is the one
 * that the documentation names for public market data only. All symbols are asked for (about 400 KB): a list with one
 * symbol that is no longer traded would be refused as a whole.
 */
const binance = tickerSource({
	name: 'binance',
	defaultBaseUrl: 'https://data-api.binance.vision',
	currency: 'USDT',
	markets: named(['BTC', 'ETH', 'BNB', 'SOL', 'TRX', 'LTC', 'POL', 'AVAX', 'DASH', 'USDC'], (coin) => `${coin}USDT`),
	path: () => '/api/v3/ticker/bookTicker',
	read: (answer) => middlesOf(answer, 'symbol', 'bidPrice', 'askPrice'),
});

const KrakenAnswer = z.lazy(() => z.object({ error: z.array(z.unknown()).check(z.maxLength(0)), result: Fields }));
const KrakenBook = z.lazy(() => z.object({ a: z.array(z.unknown()), b: z.array(z.unknown()) }));

/**
 * Documented: Kraken REST API, "Get Ticker Information", `GET /0/public/Ticker`; `a` and `b` are the best ask and bid
 * [price, whole lots, lots]. Markets carry Kraken's own pair names (XBT for BTC; X and Z before its oldest coins and
 * currencies), which are the keys of the answer. No `pair` is sent, so that all come (about 500 KB): one unknown name would
 * fail the whole list.
 */
const kraken = tickerSource({
	name: 'kraken',
	defaultBaseUrl: 'https://api.kraken.com',
	currency: 'USD',
	markets: {
		...named(['BNB', 'SOL', 'TRX', 'POL', 'AVAX', 'DASH', 'USDC', 'DAI'], (coin) => `${coin}USD`),
		BTC: 'XXBTZUSD',
		ETH: 'XETHZUSD',
		XMR: 'XXMRZUSD',
		LTC: 'XLTCZUSD',
		USDT: 'USDTZUSD',
	},
	path: () => '/0/public/Ticker',
	read: (answer) =>
		Object.entries(KrakenAnswer.parse(answer).result).map(([pair, ticker]) => {
			const { a, b } = KrakenBook.safeParse(ticker).data ?? { a: [], b: [] };
			return [pair, middle(b[0], a[0])];
		}),
});

const CoinbaseAnswer = z.lazy(() => z.object({ products: Tickers }));

/**
 * Documented: Coinbase Advanced Trade API, "List Public Products", `GET /api/v3/brokerage/market/products`, which needs no
 * key and answers for all asked products at once; the Exchange API would take one request for each. `best_bid_price` and
 * `best_ask_price` may be empty: then it is the current price.
 */
const coinbase = tickerSource({
	name: 'coinbase',
	defaultBaseUrl: 'https://api.coinbase.com',
	currency: 'USD',
	markets: named(['BTC', 'ETH', 'BNB', 'SOL', 'LTC', 'POL', 'AVAX', 'DASH', 'USDT', 'DAI'], (coin) => `${coin}-USD`),
	path: (markets) => `/api/v3/brokerage/market/products?${markets.map((id) => `product_ids=${id}`).join('&')}`,
	read: (answer) =>
		CoinbaseAnswer.parse(answer).products.map(({ product_id: id, price, best_bid_price: bid, best_ask_price: ask }) => [
			Name.parse(id),
			bid && ask ? middle(bid, ask) : price,
		]),
});

const OkxAnswer = z.lazy(() => z.object({ code: z.literal('0'), data: z.unknown() }));

/**
 * Documented: OKX API v5, "GET / Tickers", `GET /api/v5/market/tickers?instType=SPOT`, all spot markets at once; `bidPx` and
 * `askPx` are the best orders. OKX delisted DASH and XMR.
 */
const okx = tickerSource({
	name: 'okx',
	defaultBaseUrl: 'https://www.okx.com',
	currency: 'USDT',
	markets: named(['BTC', 'ETH', 'BNB', 'SOL', 'TRX', 'LTC', 'POL', 'AVAX', 'USDC'], (coin) => `${coin}-USDT`),
	path: () => '/api/v5/market/tickers?instType=SPOT',
	read: (answer) => middlesOf(OkxAnswer.parse(answer).data, 'instId', 'bidPx', 'askPx'),
});

/**
 * Documented: Bitstamp HTTP API v2, "Ticker for all currency pairs", `GET /api/v2/ticker/`; `bid` and `ask` are the best
 * orders. Bitstamp has no BNB, DASH, TRX or XMR.
 */
const bitstamp = tickerSource({
	name: 'bitstamp',
	defaultBaseUrl: 'https://www.bitstamp.net',
	currency: 'USD',
	markets: named(['BTC', 'ETH', 'SOL', 'LTC', 'POL', 'AVAX', 'USDT', 'USDC', 'DAI'], (coin) => `${coin}/USD`),
	path: () => '/api/v2/ticker/',
	read: (answer) => middlesOf(answer, 'pair', 'bid', 'ask'),
});

const KucoinAnswer = z.lazy(() => z.object({ code: z.literal('200000'), data: z.object({ ticker: z.unknown() }) }));

/**
 * Documented: KuCoin API, "Get All Tickers", `GET /api/v1/market/allTickers`, all markets at once (about 600 KB); `buy` and
 * `sell` are the best bid and ask, null in a market without one.
 */
const kucoin = tickerSource({
	name: 'kucoin',
	defaultBaseUrl: 'https://api.kucoin.com',
	currency: 'USDT',
	markets: named(
		['BTC', 'ETH', 'BNB', 'SOL', 'TRX', 'XMR', 'LTC', 'POL', 'AVAX', 'DASH', 'USDC'],
		(coin) => `${coin}-USDT`,
	),
	path: () => '/api/v1/market/allTickers',
	read: (answer) => middlesOf(KucoinAnswer.parse(answer).data.ticker, 'symbol', 'buy', 'sell'),
});

const BitfinexAnswer = z.lazy(() => z.array(z.tuple([z.string()], z.unknown())));
const [BID, ASK] = [1, 3];

/**
 * Documented: Bitfinex API v2, "Tickers", `GET /v2/tickers?symbols=…`: a list for each market, SYMBOL first, BID at index 1
 * and ASK at index 3. Bitfinex calls USDT UST, USDC UDC and DASH DSH, and puts a colon after names longer than three letters.
 */
const bitfinex = tickerSource({
	name: 'bitfinex',
	defaultBaseUrl: 'https://api-pub.bitfinex.com',
	currency: 'USD',
	markets: {
		...named(['BTC', 'ETH', 'SOL', 'TRX', 'XMR', 'LTC', 'DAI'], (coin) => `t${coin}USD`),
		AVAX: 'tAVAX:USD',
		DASH: 'tDSHUSD',
		USDT: 'tUSTUSD',
		USDC: 'tUDCUSD',
	},
	path: (markets) => `/v2/tickers?symbols=${markets.map(encodeURIComponent).join(',')}`,
	read: (answer) => BitfinexAnswer.parse(answer).map((ticker) => [ticker[0], middle(ticker[BID], ticker[ASK])]),
});

const CoingeckoCoin = z.lazy(() => z.object({ usd: z.unknown() }));

/**
 * Averages over many exchanges, up to a minute old. Documented: CoinGecko API v3, "Coin Price by IDs",
 * `GET /api/v3/simple/price`. An average of exchanges is no exchange: it has a voice like any source, but no coin is listed
 * that needs it to have three.
 */
const coingecko = tickerSource({
	name: 'coingecko',
	defaultBaseUrl: 'https://api.coingecko.com',
	currency: 'USD',
	markets: {
		BTC: 'bitcoin',
		ETH: 'ethereum',
		BNB: 'binancecoin',
		SOL: 'solana',
		TRX: 'tron',
		XMR: 'monero',
		LTC: 'litecoin',
		POL: 'polygon-ecosystem-token',
		AVAX: 'avalanche-2',
		DASH: 'dash',
		USDT: 'tether',
		USDC: 'usd-coin',
		DAI: 'dai',
	},
	path: (markets) => `/api/v3/simple/price?ids=${markets.join(',')}&vs_currencies=usd&precision=full`,
	read: (answer) =>
		Object.entries(Fields.parse(answer)).map(([id, coin]) => [id, CoingeckoCoin.safeParse(coin).data?.usd]),
});

export const SOURCES: readonly PriceSource[] = [binance, kraken, coinbase, okx, bitstamp, kucoin, bitfinex, coingecko];
