/**
 * One refresh of the prices: every source is asked at once, and whoever has not answered within its time has no say.
 * It never throws: a source that fails is a line in the log, and a coin without a quorum keeps its last price.
 */
import * as z from 'zod';
import type { Coin } from '../catalog/assets.ts';
import { agreePrices, type Disagreement, type Prices } from './prices.ts';
import { getJson } from './sources/get-json.ts';
import type { GetJson, PriceSource, SourceQuote } from './sources/source.ts';

/** Longest reason that is logged, characters: some come from the answer of a stranger. */
const MAX_REASON_LENGTH = 200;

export type PriceEvent =
	| { readonly event: 'price_source_failed'; readonly source: string; readonly reason: string }
	/** It answered, without a believable price for coins that it lists. */
	| { readonly event: 'price_source_incomplete'; readonly source: string; readonly coins: readonly Coin[] }
	| ({ readonly event: 'price_disagreement' } & Disagreement);

export interface Refresh {
	readonly sources: readonly PriceSource[];
	/** Coins to price; USDT is always added, because half of the exchanges quote in it. */
	readonly coins: readonly Coin[];
	readonly get: (source: PriceSource) => GetJson;
	readonly previous: Prices;
	/** Unix milliseconds; becomes the time of every price found. */
	readonly now: number;
	readonly log: (event: PriceEvent) => void;
}

/** The `get` of a refresh: each source at its own base URL, or where the operator's `baseUrls` (by source name) put it. */
export const getFrom =
	(baseUrls: Readonly<Record<string, string>>, fetcher?: typeof fetch) =>
	(source: PriceSource): GetJson =>
		getJson(baseUrls[source.name] ?? source.defaultBaseUrl, fetcher);

export async function refreshPrices({ sources, coins, get, previous, now, log }: Refresh): Promise<Prices> {
	const wanted = [...new Set<Coin>([...coins, 'USDT'])];

	async function ask(source: PriceSource): Promise<SourceQuote[]> {
		try {
			const quotes = await source.quotes(wanted, get(source));
			const missing = wanted.filter((coin) => source.markets[coin] && !quotes.some((quote) => quote.coin === coin));
			if (missing.length > 0) log({ event: 'price_source_incomplete', source: source.name, coins: missing });
			return quotes;
		} catch (error) {
			log({ event: 'price_source_failed', source: source.name, reason: reasonOf(error) });
			return [];
		}
	}

	const quotes = (await Promise.all(sources.map(ask))).flat();
	const { prices, disagreements } = agreePrices(quotes, previous, now);
	for (const disagreement of disagreements) log({ event: 'price_disagreement', ...disagreement });
	return prices;
}

function reasonOf(error: unknown): string {
	return textOf(error).replaceAll(/\s+/g, ' ').slice(0, MAX_REASON_LENGTH);
}

function textOf(error: unknown): string {
	if (error instanceof z.ZodError) return `not the documented shape: ${z.prettifyError(error)}`;
	if (!(error instanceof Error)) return String(error);
	return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
