/** `price list`: every coin's price as quotes are made of it. `price sources`: who says them. */
import { COINS } from '../../catalog/assets.ts';
import { isoTimeOrNull } from '../../platform/time.ts';
import { marketOrNull } from '../../pricing/market-now.ts';
import { priceAt } from '../../pricing/prices.ts';
import { fail, type RunOf, type RunsOf } from '../command.ts';
import type { price as topic } from '../topics/price.ts';

const NO_MARKET = fail(503, 'the rate book does not answer; its log line is market_not_read');

/** `fresh`: young enough to trade on. A coin that never had a price has nulls. */
const listPrices: RunOf<typeof topic, 'list'> = async (context) => {
	const market = await marketOrNull(context.env);
	if (!market) return NO_MARKET;
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

/** `coins`: those whose fresh price it agrees with. */
const listSources: RunOf<typeof topic, 'sources'> = async ({ env, now }) => {
	const market = await marketOrNull(env);
	if (!market) return NO_MARKET;
	return Object.entries(market.sources).map(([name, why]) => ({
		source: name,
		answers: why === null,
		coins: COINS.filter(
			(coin) => priceAt(market.prices, coin, now) !== null && market.prices[coin]?.sources?.includes(name),
		).length,
		why,
	}));
};

export const priceRuns: RunsOf<typeof topic> = { list: listPrices, sources: listSources };
