/** `price list`: every coin's price as quotes are made of it. */
import { COINS } from '../../catalog/assets.ts';
import { isoTimeOrNull } from '../../platform/time.ts';
import { marketOrNull } from '../../pricing/market-now.ts';
import { priceAt } from '../../pricing/prices.ts';
import { fail, type RunOf, type RunsOf } from '../command.ts';
import type { price as topic } from '../topics/price.ts';

/** `fresh`: young enough to trade on. A coin that never had a price has nulls. */
const listPrices: RunOf<typeof topic, 'list'> = async (context) => {
	const market = await marketOrNull(context.env);
	if (!market) return fail(503, 'the rate book does not answer; its log line is market_not_read');
	return COINS.map((coin) => {
		const price = market.prices[coin];
		return {
			coin,
			usd: price?.usd ?? null,
			fresh: priceAt(market.prices, coin, context.now) !== null,
			ageSeconds: price ? Math.max(0, Math.floor((context.now - price.at) / 1000)) : null,
			at: isoTimeOrNull(price?.at ?? null),
			sources: price?.sources ?? null,
			spreadBps: price?.spreadBps ?? null,
		};
	});
};

export const priceRuns: RunsOf<typeof topic> = { list: listPrices };
