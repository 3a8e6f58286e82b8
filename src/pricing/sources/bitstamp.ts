/**
 * Bitstamp, middles of the book in USD.
 * Documented: Bitstamp HTTP API v2, "Ticker for all currency pairs", `GET /api/v2/ticker/`; `bid` and `ask` are the
 * best orders. Bitstamp has no BNB, DASH, TRX or XMR.
 */
import * as z from 'zod/mini';
import { middle, tickerSource } from './source.ts';

const Answer = z.lazy(() =>
	z.array(z.object({ pair: z.string(), bid: z.optional(z.unknown()), ask: z.optional(z.unknown()) })),
);

export const bitstamp = tickerSource({
	name: 'bitstamp',
	defaultBaseUrl: 'https://www.bitstamp.net',
	currency: 'USD',
	markets: {
		BTC: 'BTC/USD',
		ETH: 'ETH/USD',
		SOL: 'SOL/USD',
		LTC: 'LTC/USD',
		POL: 'POL/USD',
		AVAX: 'AVAX/USD',
		USDT: 'USDT/USD',
		USDC: 'USDC/USD',
		DAI: 'DAI/USD',
	},
	path: () => '/api/v2/ticker/',
	read: (answer) => Answer.parse(answer).map(({ pair, bid, ask }) => [pair, middle(bid, ask)]),
});
