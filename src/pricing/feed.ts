/**
 * The rate feed: the format that swap services publish, with the older pair of limits beside the newer (book: contract,
 * "Feeds"). Every figure is the one that `price` quotes at the base rate on the same market. Pure.
 */
import type { Asset } from '../catalog/assets.ts';
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

async function feedOf(lines: readonly string[], at: number): Promise<Feed> {
	const xml = `${['<?xml version="1.0" encoding="UTF-8"?>', '<rates>', ...lines, '</rates>'].join('\n')}\n`;
	return { at, xml, etag: `"${await sha256Hex(xml)}"` };
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

function item({ terms, reserve }: Offered): string {
	const { from, to, rate, networkFee, min, max } = terms;
	const given = givenAmount(rate);
	const withCode = (value: Decimal, { code }: Asset) => `${plain(value)} ${code}`;
	const elements = {
		from: from.code,
		to: to.code,
		in: plain(given),
		out: plain(rate.times(given)),
		amount: plain(roundDown(reserve, to.precision)),
		tofee: withCode(networkFee, to),
		minamount: withCode(min, from),
		maxamount: withCode(max, from),
		frommin: plain(min),
		frommax: plain(max),
		tomin: terms.shown.to.min,
		tomax: terms.shown.to.max,
		param: 'floating',
	};
	// Codes are letters and digits, figures plain decimals: nothing here needs escaping.
	const children = Object.entries(elements).map(([name, text]) => `<${name}>${text}</${name}>`);
	return `<item>${children.join('')}</item>`;
}

/** 1, or the power of ten that brings enough of a small rate before the last decimal that is read. */
export const givenAmount = (rate: Decimal): Decimal =>
	decimal(`1${'0'.repeat(Math.max(0, SIGNIFICANT_DIGITS - READ_DECIMALS - 1 - rate.exponent))}`);
