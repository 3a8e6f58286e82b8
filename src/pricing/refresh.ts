/**
 * One refresh of the prices: all sources are queried at once. It waits a short time for all of them. After that it ends as
 * soon as the answers suffice, and late sources do not count this time, so one that hangs delays nothing. It never throws:
 * a failed source is a line in the log, and a coin without a quorum keeps its last price.
 */
import { $ZodError } from 'zod/v4/core';
import type { Coin } from '../catalog/assets.ts';
import { allIssues } from '../platform/issue.ts';
import { agreePrices, type Disagreement, isConfirmed, type Prices } from './prices.ts';
import { getJson } from './sources/get-json.ts';
import type { GetJson, PriceSource, SourceQuote } from './sources/source.ts';

/** Longest reason that is logged, characters: some come from the answer of a stranger. */
const MAX_REASON_LENGTH = 200;
/**
 * All sources are waited for this long; one that is well answers in a fraction of it. Then until each coin has three
 * sources behind its price, and after as long again until it has one at all. A coin is waited for only where a source
 * that has not answered yet lists it, and no source longer than its own time.
 */
const PATIENCE_MILLISECONDS = 1_000;

export type PriceEvent =
	| { readonly event: 'price_source_failed'; readonly source: string; readonly reason: string }
	/** It answered, without a believable price for coins that it lists. */
	| { readonly event: 'price_source_incomplete'; readonly source: string; readonly coins: readonly Coin[] }
	| ({ readonly event: 'price_disagreement' } & Disagreement);

export interface Refresh {
	readonly sources: readonly PriceSource[];
	/** Coins to price; USDT is always added, because half of the exchanges quote in it. */
	readonly coins: readonly Coin[];
	/** `leave` fires when the source is not waited for any more. */
	readonly get: (source: PriceSource, leave: AbortSignal) => GetJson;
	readonly previous: Prices;
	/** Unix milliseconds. A price's time is the one when its sources were asked: no part of it is older. */
	readonly clock: () => number;
	readonly log: (event: PriceEvent) => void;
	/** Default: `PATIENCE_MILLISECONDS`. */
	readonly patienceMilliseconds?: number;
}

/** The `get` of a refresh: each source at its own base URL, or where the operator's `baseUrls` (by source name) put it. */
export const getFrom =
	(baseUrls: Readonly<Record<string, string>>, fetcher?: typeof fetch) =>
	(source: PriceSource, leave?: AbortSignal): GetJson =>
		getJson(baseUrls[source.name] ?? source.defaultBaseUrl, fetcher, leave);

export async function refreshPrices(refresh: Refresh): Promise<Prices> {
	const { previous, clock, log } = refresh;
	const askedAt = clock();
	const quotes = await gatherQuotes(refresh);
	const { prices, disagreements } = agreePrices(quotes, previous, askedAt);
	for (const disagreement of disagreements) log({ event: 'price_disagreement', ...disagreement });
	return prices;
}

/** The answers of all sources that are waited for. */
async function gatherQuotes({
	sources,
	coins,
	get,
	clock,
	log,
	patienceMilliseconds = PATIENCE_MILLISECONDS,
}: Refresh): Promise<SourceQuote[]> {
	const wanted = [...new Set<Coin>([...coins, 'USDT'])];
	const leave = new AbortController();
	const quotes: SourceQuote[] = [];
	const waitingFor = new Set(sources);
	let patience = 2;
	const isEnough = (): boolean => {
		if (waitingFor.size === 0) return true;
		if (patience === 2) return false;
		const { prices } = agreePrices(quotes, {}, clock());
		const open = wanted.filter((coin) => [...waitingFor].some(({ markets }) => markets[coin]));
		return open.every((coin) => {
			const price = prices[coin];
			return price !== undefined && (patience === 0 || isConfirmed(price));
		});
	};

	async function ask(source: PriceSource): Promise<void> {
		try {
			const found = await source.quotes(wanted, get(source, leave.signal));
			if (leave.signal.aborted) return;
			quotes.push(...found);
			const missing = wanted.filter((coin) => source.markets[coin] && !found.some((quote) => quote.coin === coin));
			if (missing.length > 0) log({ event: 'price_source_incomplete', source: source.name, coins: missing });
		} catch (error) {
			if (!leave.signal.aborted) log({ event: 'price_source_failed', source: source.name, reason: reasonOf(error) });
		}
		waitingFor.delete(source);
	}

	let timer: ReturnType<typeof setInterval> | undefined;
	await new Promise<void>((done) => {
		const doneIfEnough = () => {
			if (isEnough()) done();
		};
		timer = setInterval(() => {
			patience = Math.max(0, patience - 1);
			doneIfEnough();
		}, patienceMilliseconds);
		for (const source of sources) void ask(source).then(doneIfEnough);
		doneIfEnough();
	});
	clearInterval(timer);
	leave.abort();
	for (const { name } of waitingFor)
		log({ event: 'price_source_failed', source: name, reason: 'left behind: the others had answered' });
	return quotes;
}

function reasonOf(error: unknown): string {
	return textOf(error).replaceAll(/\s+/g, ' ').slice(0, MAX_REASON_LENGTH);
}

function textOf(error: unknown): string {
	if (error instanceof $ZodError) return `not the documented shape: ${allIssues(error)}`;
	if (!(error instanceof Error)) return String(error);
	return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
