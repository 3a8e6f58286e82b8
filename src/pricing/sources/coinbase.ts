/**
 * Coinbase, current prices in USD.
 * Documented: Coinbase Advanced Trade API, "List Public Products", `GET /api/v3/brokerage/market/products`, which needs
 * no key and answers for all asked products at once; the Exchange API would take one request for each.
 */
import * as z from 'zod';
import { tickerSource } from './source.ts';

const Answer = z.object({ products: z.array(z.object({ product_id: z.string(), price: z.unknown().optional() })) });

export const coinbase = tickerSource({
	name: 'coinbase',
	defaultBaseUrl: 'https://api.coinbase.com',
	currency: 'USD',
	markets: {
		BTC: 'BTC-USD',
		ETH: 'ETH-USD',
		BNB: 'BNB-USD',
		SOL: 'SOL-USD',
		LTC: 'LTC-USD',
		POL: 'POL-USD',
		AVAX: 'AVAX-USD',
		DASH: 'DASH-USD',
		USDT: 'USDT-USD',
		DAI: 'DAI-USD',
	},
	path: (markets) => `/api/v3/brokerage/market/products?${markets.map((id) => `product_ids=${id}`).join('&')}`,
	read: (answer) => Answer.parse(answer).products.map(({ product_id, price }) => [product_id, price]),
});
