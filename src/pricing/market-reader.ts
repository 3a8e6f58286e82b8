/**
 * The market as an isolate sees it: its own memory first, then KV, then RateBook. Memory is used as it is for a second
 * and while a newer one is being fetched for up to 30 s (the longest that the contract lets a catalog be behind); what
 * is older is never used. A module-level variable on purpose: it is this isolate's cache and nothing else.
 */
import type { Env } from '../env.ts';
import { logError } from '../http/log.ts';
import type { Market } from './market.ts';
import { MARKET_KEY } from './rate-book.ts';

const FRESH_MILLISECONDS = 1_000;
const USABLE_MILLISECONDS = 30_000;

type Source = Pick<Env, 'CACHE' | 'RATE_BOOK'>;

let memory: { readonly market: Market; readonly fetchedAt: number } | null = null;
let fetching: Promise<Market> | null = null;

/** The market, or null when neither memory, KV nor RateBook has one that may be used: the caller answers 11. */
export async function readMarket(
	source: Source,
	now: number,
	background: (work: Promise<unknown>) => void,
): Promise<Market | null> {
	if (memory && now - memory.fetchedAt < FRESH_MILLISECONDS) return memory.market;
	if (memory && now - memory.fetchedAt < USABLE_MILLISECONDS) {
		background(fetchMarket(source).catch((error) => logError('market_fetch_failed', error)));
		return memory.market;
	}
	try {
		const kept = await source.CACHE.get<Market>(MARKET_KEY, 'json').catch(() => null);
		if (kept && now - kept.at < USABLE_MILLISECONDS) {
			memory = { market: kept, fetchedAt: kept.at };
			background(fetchMarket(source).catch((error) => logError('market_fetch_failed', error)));
			return kept;
		}
		return await fetchMarket(source);
	} catch (error) {
		logError('market_fetch_failed', error);
		return null;
	}
}

/**
 * This isolate has just changed something in the market and must see it in its next call: an older snapshot, whose
 * fetching began before the change, does not take its place.
 */
export function useMarket(market: Market): void {
	const fetchedAt = Date.now();
	const isOlder = memory !== null && market.at < memory.market.at && fetchedAt - memory.fetchedAt < FRESH_MILLISECONDS;
	if (!isOlder) memory = { market, fetchedAt };
}

function fetchMarket(source: Source): Promise<Market> {
	fetching ??= source.RATE_BOOK.getByName('book')
		.market()
		.then((market) => {
			useMarket(market);
			return market;
		})
		.finally(() => {
			fetching = null;
		});
	return fetching;
}
