/**
 * Coins without a fresh price: nothing is quoted in them. Where one thing is the cause for all of them, it is one row: the
 * rate book makes no new prices, or too few sources answer.
 */
import { allAssets, COINS, type Coin } from '../../catalog/assets.ts';
import { isoTime } from '../../platform/time.ts';
import { MAX_PRICE_AGE_SECONDS, priceAt, QUORUM } from '../../pricing/prices.ts';
import type { Facts, Waiting } from './waiting.ts';

const EFFECT = 'are refused (11)';
const BY_ITSELF = 'It resolves by itself once two sources agree';
const WHAT_TO_DO = `\`price list\` shows sources and ages; the log line price_disagreement says why. ${BY_ITSELF}`;

export function waitingPrices({ market, settings, context: { now } }: Facts): Waiting[] {
	const row = { area: 'price' } as const;
	if (!market) {
		const todo = 'the log line market_not_read says why';
		return [{ ...row, subject: 'all', cause: 'the rate book does not answer', todo }];
	}
	const isOffered = (coin: Coin) =>
		allAssets().some((asset) => asset.coin === coin && settings.offered.includes(asset.code));
	const coins = COINS.filter((coin) => isOffered(coin) && priceAt(market.prices, coin, now) === null);
	if (coins.length === 0) return [];
	const times = coins.flatMap((coin) => market.prices[coin]?.at ?? []);
	const since = times.length === 0 ? null : Math.min(...times);
	const ofAll = `no fresh price of ${coins.join(', ')}; quotes, orders and exchanges in them ${EFFECT}`;
	if (now - market.at > MAX_PRICE_AGE_SECONDS * 1000) {
		const cause = `the rate book has made no prices since ${isoTime(market.at)}: ${ofAll}`;
		const todo = 'the log line market_refresh_failed says why';
		return [{ ...row, subject: 'all', cause, since, todo, of: coins }];
	}
	const sources = Object.values(market.sources);
	const answering = sources.filter((failure) => failure === null);
	if (sources.length > 0 && answering.length < QUORUM) {
		const cause = `${answering.length} of ${sources.length} price sources answer: ${ofAll}`;
		const todo = `\`price sources\` says which, and why the others do not. ${BY_ITSELF}`;
		return [{ ...row, subject: 'sources', cause, since, todo, of: coins }];
	}
	return coins.map((coin) => {
		const last = market.prices[coin];
		const cause = last ? `no fresh price: the last one was ${last.usd} USD` : 'there never was a price';
		const effect = `quotes, orders and exchanges in it ${EFFECT}`;
		return { ...row, subject: coin, cause: `${cause}; ${effect}`, since: last?.at ?? null, todo: WHAT_TO_DO };
	});
}
