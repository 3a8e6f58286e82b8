/**
 * Bitfinex, middles of the book in USD.
 * Documented: Bitfinex API v2, "Tickers", `GET /v2/tickers?symbols=…`: a list for each market, SYMBOL first, BID
 * at index 1 and ASK at index 3. Bitfinex calls USDT UST, USDC UDC and DASH DSH, and puts a colon after names longer than three letters.
 */
import * as z from 'zod/mini';
import { middle, tickerSource } from './source.ts';

const [BID, ASK] = [1, 3];

const Answer = z.lazy(() => z.array(z.tuple([z.string()], z.unknown())));

export const bitfinex = tickerSource({
	name: 'bitfinex',
	defaultBaseUrl: 'https://api-pub.bitfinex.com',
	currency: 'USD',
	markets: {
		BTC: 'tBTCUSD',
		ETH: 'tETHUSD',
		SOL: 'tSOLUSD',
		TRX: 'tTRXUSD',
		XMR: 'tXMRUSD',
		LTC: 'tLTCUSD',
		AVAX: 'tAVAX:USD',
		DASH: 'tDSHUSD',
		USDT: 'tUSTUSD',
		USDC: 'tUDCUSD',
		DAI: 'tDAIUSD',
	},
	path: (markets) => `/v2/tickers?symbols=${markets.map(encodeURIComponent).join(',')}`,
	read: (answer) => Answer.parse(answer).map((ticker) => [ticker[0], middle(ticker[BID], ticker[ASK])]),
});
