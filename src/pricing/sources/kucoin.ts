/**
 * KuCoin spot, middles of the book in USDT.
 * Documented: KuCoin API, "Get All Tickers", `GET /api/v1/market/allTickers`, all markets at once (about 600 KB);
 * `buy` and `sell` are the best bid and ask, null in a market without one.
 */
import * as z from 'zod/mini';
import { middle, tickerSource } from './source.ts';

const Answer = z.lazy(() =>
	z.object({
		code: z.literal('200000'),
		data: z.object({
			ticker: z.array(z.object({ symbol: z.string(), buy: z.optional(z.unknown()), sell: z.optional(z.unknown()) })),
		}),
	}),
);

export const kucoin = tickerSource({
	name: 'kucoin',
	defaultBaseUrl: 'https://api.kucoin.com',
	currency: 'USDT',
	markets: {
		BTC: 'BTC-USDT',
		ETH: 'ETH-USDT',
		BNB: 'BNB-USDT',
		SOL: 'SOL-USDT',
		TRX: 'TRX-USDT',
		XMR: 'XMR-USDT',
		LTC: 'LTC-USDT',
		POL: 'POL-USDT',
		AVAX: 'AVAX-USDT',
		DASH: 'DASH-USDT',
		USDC: 'USDC-USDT',
	},
	path: () => '/api/v1/market/allTickers',
	read: (answer) => Answer.parse(answer).data.ticker.map(({ symbol, buy, sell }) => [symbol, middle(buy, sell)]),
});
