/**
 * Coinbase, middles of the book in USD; where a product is listed without its book, the current price.
 * Documented: Coinbase Advanced Trade API, "List Public Products", `GET /api/v3/brokerage/market/products`, which needs
 * no key and answers for all asked products at once (`best_bid_price` and `best_ask_price` may be empty); the Exchange API would take one request for each.
 */
import * as z from 'zod/mini';
import { middle, tickerSource } from './source.ts';

const Product = z.lazy(() =>
	z.object({
		product_id: z.string(),
		price: z.optional(z.unknown()),
		best_bid_price: z.optional(z.unknown()),
		best_ask_price: z.optional(z.unknown()),
	}),
);
const Answer = z.lazy(() => z.object({ products: z.array(Product) }));

const hasBook = ({ best_bid_price: bid, best_ask_price: ask }: z.infer<typeof Product>): boolean => !!bid && !!ask;

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
	read: (answer) =>
		Answer.parse(answer).products.map((product) => [
			product.product_id,
			hasBook(product) ? middle(product.best_bid_price, product.best_ask_price) : product.price,
		]),
});
