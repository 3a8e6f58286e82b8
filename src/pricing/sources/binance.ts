/**
 * Binance spot, middles of the book in USDT.
 * Documented: Binance Spot API, REST, "Symbol order book ticker", `GET /api/v3/ticker/bookTicker`; the host is the one that the
 * documentation names for public market data only. All symbols are asked for (about 400 KB): a list with one symbol
 * that is no longer traded would be refused as a whole.
 */
import * as z from 'zod/mini';
import { middle, tickerSource } from './source.ts';

const Answer = z.lazy(() =>
	z.array(z.object({ symbol: z.string(), bidPrice: z.optional(z.unknown()), askPrice: z.optional(z.unknown()) })),
);

export const binance = tickerSource({
	name: 'binance',
	defaultBaseUrl: 'https://data-api.binance.vision',
	currency: 'USDT',
	markets: {
		BTC: 'BTCUSDT',
		ETH: 'ETHUSDT',
		BNB: 'BNBUSDT',
		SOL: 'SOLUSDT',
		TRX: 'TRXUSDT',
		LTC: 'LTCUSDT',
		POL: 'POLUSDT',
		AVAX: 'AVAXUSDT',
		DASH: 'DASHUSDT',
		USDC: 'USDCUSDT',
	},
	path: () => '/api/v3/ticker/bookTicker',
	read: (answer) => Answer.parse(answer).map(({ symbol, bidPrice, askPrice }) => [symbol, middle(bidPrice, askPrice)]),
});
