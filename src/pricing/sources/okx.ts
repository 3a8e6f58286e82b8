/**
 * OKX spot, middles of the book in USDT.
 * Documented: OKX API v5, "GET / Tickers", `GET /api/v5/market/tickers?instType=SPOT`, all spot markets at once;
 * `bidPx` and `askPx` are the best orders.
 * OKX delisted DASH and XMR.
 */
import * as z from 'zod/mini';
import { middle, tickerSource } from './source.ts';

const Answer = z.lazy(() =>
	z.object({
		code: z.literal('0'),
		data: z.array(z.object({ instId: z.string(), bidPx: z.optional(z.unknown()), askPx: z.optional(z.unknown()) })),
	}),
);

export const okx = tickerSource({
	name: 'okx',
	defaultBaseUrl: 'https://www.okx.com',
	currency: 'USDT',
	markets: {
		BTC: 'BTC-USDT',
		ETH: 'ETH-USDT',
		BNB: 'BNB-USDT',
		SOL: 'SOL-USDT',
		TRX: 'TRX-USDT',
		LTC: 'LTC-USDT',
		POL: 'POL-USDT',
		AVAX: 'AVAX-USDT',
		USDC: 'USDC-USDT',
	},
	path: () => '/api/v5/market/tickers?instType=SPOT',
	read: (answer) => Answer.parse(answer).data.map(({ instId, bidPx, askPx }) => [instId, middle(bidPx, askPx)]),
});
