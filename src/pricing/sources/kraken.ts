/**
 * Kraken spot, middles of the book in USD.
 * Documented: Kraken REST API, "Get Ticker Information", `GET /0/public/Ticker`; `a` and `b` are the best ask
 * and bid [price, whole lots, lots].
 * Markets carry Kraken's own pair names (XBT for BTC; X and Z before its oldest coins and currencies), which are the
 * keys of the answer. No `pair` is sent, so that all come (about 500 KB): one unknown name would fail the whole list.
 */
import * as z from 'zod/mini';
import { middle, tickerSource } from './source.ts';

const Answer = z.lazy(() =>
	z.object({ error: z.array(z.unknown()).check(z.maxLength(0)), result: z.record(z.string(), z.unknown()) }),
);
const Pair = z.lazy(() => z.object({ a: z.array(z.unknown()), b: z.array(z.unknown()) }));

export const kraken = tickerSource({
	name: 'kraken',
	defaultBaseUrl: 'https://api.kraken.com',
	currency: 'USD',
	markets: {
		BTC: 'XXBTZUSD',
		ETH: 'XETHZUSD',
		BNB: 'BNBUSD',
		SOL: 'SOLUSD',
		TRX: 'TRXUSD',
		XMR: 'XXMRZUSD',
		LTC: 'XLTCZUSD',
		POL: 'POLUSD',
		AVAX: 'AVAXUSD',
		DASH: 'DASHUSD',
		USDT: 'USDTZUSD',
		USDC: 'USDCUSD',
		DAI: 'DAIUSD',
	},
	path: () => '/0/public/Ticker',
	read: (answer) =>
		Object.entries(Answer.parse(answer).result).map(([pair, ticker]) => {
			const { a, b } = Pair.safeParse(ticker).data ?? { a: [], b: [] };
			return [pair, middle(b[0], a[0])];
		}),
});
