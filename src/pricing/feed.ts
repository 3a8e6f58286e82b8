/**
 * The rate feed: the format that swap services publish, with the older pair of limits beside the newer (book: contract,
 * "Feeds"). Every figure is the one that `price` quotes at the base rate on the same market. Pure.
 */
import { activePairs } from '../catalog/settings.ts';
import { sha256Hex } from '../crypto/tokens.ts';
import { type Decimal, decimal, plain, roundDown } from '../money/decimal.ts';
import { fromBaseUnits } from '../money/units.ts';
import { feesOf } from './lean.ts';
import { freeReserve } from './limits.ts';
import type { Market } from './market.ts';
import { type Terms, termsOnce } from './quote.ts';

export interface Feed {
	/** Unix milliseconds when it was rendered. */
	readonly at: number;
	readonly xml: string;
	/** Strong: a digest of the bytes, quoted. */
	readonly etag: string;
}

/** A feed may be served for this long after it was rendered; every price in it is good to deal on until then. */
export const FEED_MILLISECONDS = 30_000;

/** The decimals that readers of the format keep of `out`; they must hold `SIGNIFICANT_DIGITS` of the rate. */
const READ_DECIMALS = 8;
const SIGNIFICANT_DIGITS = 8;

export const isServable = (feed: Pick<Feed, 'at'>, now: number): boolean => now - feed.at <= FEED_MILLISECONDS;

export const renderFeed = (market: Market, now: number): Promise<Feed> =>
	feedOf(offersOf(market, now, 0).map(item), now);

/** The feed in maintenance, and where prices are too old or unknown (book: contract, "Feeds"). */
export const emptyFeed = (now: number): Promise<Feed> => feedOf([], now);

async function feedOf(items: readonly Elements[], at: number): Promise<Feed> {
	const xml = xmlOf(items);
	return { at, xml, etag: `"${await sha256Hex(xml)}"` };
}

/** The elements of an item, in their order. */
export type Elements = Readonly<Record<string, string>>;

/** The rate holds for no minute: it is taken when the deposit is final. Exporters write it as attributes. */
export const FLOATING = 'floating minutes="0" percent="0"';

/** One item a line. Codes are letters and digits, figures plain decimals: nothing here needs escaping. */
export function xmlOf(items: readonly Elements[]): string {
	const lines = items.map((elements) => {
		const children = Object.entries(elements).map(([name, text]) =>
			name === FLOATING ? `<${name}/>` : `<${name}>${text}</${name}>`,
		);
		return `<item>${children.join('')}</item>`;
	});
	return `${['<?xml version="1.0" encoding="UTF-8"?>', '<rates>', ...lines, '</rates>'].join('\n')}\n`;
}

/** A pair as a feed shows it. */
export interface Offered {
	readonly terms: Terms;
	/** Coins of the destination. */
	readonly reserve: Decimal;
}

/**
 * Every pair that is active, quotable for as long as a feed is served, and has an amount that it takes at all; none in
 * maintenance. `afftaxBps`: a partner's margin in the rates.
 */
export function offersOf(market: Market, now: number, afftaxBps: number): Offered[] {
	if (market.settings.maintenance) return [];
	const until = now + FEED_MILLISECONDS;
	return activePairs(market.settings).flatMap(([from, to]) => {
		const terms = termsOnce(market, { from, to }, feesOf(market, { from, to }, afftaxBps, until), until);
		const reserve = freeReserve(market, to, until);
		if (!terms || reserve === null || terms.min.gt(terms.max)) return [];
		const free = decimal(fromBaseUnits(reserve, to.decimals));
		return [{ terms, reserve: shownReserve(free, market.settings.reserves[to.code]) }];
	});
}

/** The sum that the hot wallet holds and owes to nobody, or less where the operator caps it (book: run, "Commands"). */
function shownReserve(free: Decimal, cap: string | undefined): Decimal {
	return cap !== undefined && free.gt(cap) ? decimal(cap) : free;
}

/** The figures of an item, which are the same in each dialect. */
export function figuresOf({ terms: { to, rate, networkFee, min, max, shown }, reserve }: Offered) {
	const given = givenAmount(rate);
	return {
		in: plain(given),
		out: plain(rate.times(given)),
		amount: plain(roundDown(reserve, to.precision)),
		fee: plain(networkFee),
		min: plain(min),
		max: plain(max),
		toMin: shown.to.min,
		toMax: shown.to.max,
	};
}

function item(offered: Offered): Elements {
	const { from, to } = offered.terms;
	const { fee, min, max, toMin, toMax, ...rate } = figuresOf(offered);
	return {
		from: from.code,
		to: to.code,
		...rate,
		tofee: `${fee} ${to.code}`,
		minamount: `${min} ${from.code}`,
		maxamount: `${max} ${from.code}`,
		frommin: min,
		frommax: max,
		tomin: toMin,
		tomax: toMax,
		param: 'floating',
	};
}

/** 1, or the power of ten that brings enough of a small rate before the last decimal that is read. */
const givenAmount = (rate: Decimal): Decimal =>
	decimal(`1${'0'.repeat(Math.max(0, SIGNIFICANT_DIGITS - READ_DECIMALS - 1 - rate.exponent))}`);
