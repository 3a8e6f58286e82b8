/**
 * Bitstamp, last prices in USD.
 * Documented: Bitstamp HTTP API v2, "Ticker for all currency pairs", `GET /api/v2/ticker/`. Bitstamp has no BNB, DASH, TRX or XMR.
 */
import * as z from 'zod';
import { tickerSource } from './source.ts';

const Answer = z.array(z.object({ pair: z.string(), last: z.unknown().optional() }));

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
	read: (answer) => Answer.parse(answer).map(({ pair, last }) => [pair, last]),
});
