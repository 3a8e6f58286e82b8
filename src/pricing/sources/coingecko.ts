/**
 * CoinGecko, averages over many exchanges in USD, up to a minute old.
 * Documented: CoinGecko API v3, "Coin Price by IDs", `GET /api/v3/simple/price`. An average of exchanges is no exchange:
 * it has a voice like any source, but no coin is listed that needs it to have three.
 */
import * as z from 'zod/mini';
import { tickerSource } from './source.ts';

const Answer = z.lazy(() => z.record(z.string(), z.unknown()));
const Coin = z.lazy(() => z.object({ usd: z.unknown() }));

export const coingecko = tickerSource({
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
	read: (answer) => Object.entries(Answer.parse(answer)).map(([id, coin]) => [id, Coin.safeParse(coin).data?.usd]),
});
