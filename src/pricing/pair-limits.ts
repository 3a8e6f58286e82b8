/**
 * The limits of all active pairs, each the same as `price` shows at that moment. Worked out once per snapshot and
 * afftax, as text, because it is some tens of milliseconds of work. Pure but for that memory.
 */
import type { Asset } from '../catalog/assets.ts';
import { activePairs } from '../catalog/settings.ts';
import { isWatched, type Market } from './market.ts';
import { type Terms, termsOnce } from './quote.ts';

/** Margins of one snapshot that are kept; a partner's default is one, and few differ. */
const MAX_KEPT = 8;
/** For so long a text stands although a price or a network may have become too old meanwhile. */
const FRESH_MILLISECONDS = 10_000;

interface Kept {
	/** Unix milliseconds. */
	readonly at: number;
	readonly text: string;
}

const texts = new WeakMap<Market, Map<number, Kept>>();

/** `data` of `limits`, as JSON text. */
export function pairLimitsText(market: Market, afftaxBps: number, now: number): string {
	const known = texts.get(market) ?? new Map<number, Kept>();
	texts.set(market, known);
	const kept = known.get(afftaxBps);
	if (kept && now - kept.at < FRESH_MILLISECONDS) return kept.text;
	const text = JSON.stringify(
		activePairs(market.settings).map(([from, to]) => pairLimits(market, from, to, afftaxBps, now)),
	);
	if (kept || known.size < MAX_KEPT) known.set(afftaxBps, { at: now, text });
	return text;
}

function pairLimits(market: Market, from: Asset, to: Asset, afftaxBps: number, now: number) {
	const terms = termsOnce(market, from, to, { baseFeeBps: market.settings.baseFeeBps, afftaxBps }, now);
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
