/**
 * The limits of all active pairs, each as `price` shows it. That is a tenth of a second of work, so an isolate does it at
 * most every 30 seconds for a margin, and in slices, between which the calls of others are answered.
 */
import type { AssetPair } from '../catalog/assets.ts';
import { activePairs } from '../catalog/settings.ts';
import { BoundedMap } from '../platform/bounded-map.ts';
import { feesOf } from './lean.ts';
import { isWatched, type Market } from './market.ts';
import { type Terms, termsOnce } from './quote.ts';

const KEPT_MILLISECONDS = 30_000;
/** Margins that an isolate keeps; partners have few different ones. */
const MAX_KEPT = 32;
/** Pairs of one slice: some milliseconds. */
const PER_SLICE = 20;

interface Kept {
	/** Unix milliseconds. */
	readonly at: number;
	readonly text: string;
}

const texts = new BoundedMap<number, Kept>(MAX_KEPT);

/** `data` of `limits`, as JSON text. */
export async function pairLimitsText(market: Market, afftaxBps: number, now: number): Promise<string> {
	const kept = texts.get(afftaxBps);
	if (kept && now - kept.at < KEPT_MILLISECONDS) return kept.text;
	const pairs = activePairs(market.settings);
	const lines: string[] = [];
	for (let start = 0; start < pairs.length; start += PER_SLICE) {
		for (const [from, to] of pairs.slice(start, start + PER_SLICE))
			lines.push(JSON.stringify(pairLimits(market, { from, to }, afftaxBps, now)));
		await new Promise((others) => setTimeout(others));
	}
	const text = `[${lines.join(',')}]`;
	texts.set(afftaxBps, { at: now, text });
	return text;
}

function pairLimits(market: Market, { from, to }: AssetPair, afftaxBps: number, now: number) {
	const terms = termsOnce(market, { from, to }, feesOf(market, { from, to }, afftaxBps, now), now);
	return {
		from: from.code,
		to: to.code,
		open: terms !== null && isOpen(market, terms, now),
		fromMin: terms?.shown.from.min ?? null,
		fromMax: terms?.shown.from.max ?? null,
		toMin: terms?.shown.to.min ?? null,
		toMax: terms?.shown.to.max ?? null,
	};
}

const isOpen = (market: Market, { from, min, max }: Terms, now: number): boolean =>
	!market.settings.maintenance && isWatched(market, from, now) && min.lte(max);
