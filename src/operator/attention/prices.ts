/** Coins without a fresh price: nothing is quoted in them. */
import { allAssets, COINS, type Coin } from '../../catalog/assets.ts';
import { priceAt } from '../../pricing/prices.ts';
import type { Facts, Waiting } from './waiting.ts';

const WHAT_TO_DO =
	'`price list` shows sources and ages; the log lines price_source_failed and price_disagreement say why. It resolves by itself once two sources agree';

export function waitingPrices({ market, settings, context: { now } }: Facts): Waiting[] {
	const row = { area: 'price' } as const;
	if (!market) {
		const todo = 'the log line market_not_read says why';
		return [{ ...row, subject: 'all', cause: 'the rate book does not answer', todo }];
	}
	const isOffered = (coin: Coin) =>
		allAssets().some((asset) => asset.coin === coin && settings.offered.includes(asset.code));
	return COINS.filter((coin) => isOffered(coin) && priceAt(market.prices, coin, now) === null).map((coin) => {
		const last = market.prices[coin];
		const cause = last ? `no fresh price: the last one was ${last.usd} USD` : 'there never was a price';
		const effect = 'quotes, orders and exchanges in it are refused (11)';
		return { ...row, subject: coin, cause: `${cause}; ${effect}`, since: last?.at ?? null, todo: WHAT_TO_DO };
	});
}
