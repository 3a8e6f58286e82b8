/**
 * Feeds in the forms that monitors read, beside the contract's own (book: contract, "Feeds for monitors"). Each item is
 * worked out as the contract's is, and may have a partner's margin in its rate. Pure.
 */
import type { AssetId } from '../catalog/assets.ts';
import type { Monitor, Settings } from '../catalog/settings.ts';
import { plain, roundDown } from '../money/decimal.ts';
import { givenAmount, type Offered } from './feed.ts';
import { monitorCodeOf } from './monitor-codes.ts';

/** A dialect: its media type, and all its items as one text. */
export interface Dialect {
	readonly contentType: string;
	readonly render: (offers: readonly Offered[], settings: Pick<Settings, 'monitorCodes'>) => string;
}

/** The figures of an item, which are the same in each dialect. */
function figuresOf({ terms: { to, rate, networkFee, min, max, shown }, reserve }: Offered) {
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

/** The rate holds for no minute: it is taken when the deposit is final. Exporters write it as attributes. */
const FLOATING = 'floating minutes="0" percent="0"';

/** Codes are letters and digits, figures plain decimals: nothing here needs escaping. */
const itemOf = (elements: Readonly<Record<string, string>>): string =>
	`<item>${Object.entries(elements)
		.map(([name, text]) => (name === FLOATING ? `<${name}/>` : `<${name}>${text}</${name}>`))
		.join('')}</item>`;

/** The elements of an item, in their order. */
type Elements = (codes: { readonly from: string; readonly to: string }, offered: Offered) => Record<string, string>;

/** One item a line; a pair of which the monitor lacks a code has none. */
const xml = (monitor: Monitor, elements: Elements): Dialect => ({
	contentType: 'application/xml; charset=utf-8',
	render: (offers, settings) => {
		const codeOf = (id: AssetId) => monitorCodeOf(settings, monitor, id);
		const lines = offers.flatMap((offered) => {
			const [from, to] = [codeOf(offered.terms.from.code), codeOf(offered.terms.to.code)];
			return from === null || to === null ? [] : [itemOf(elements({ from, to }, offered))];
		});
		return `${['<?xml version="1.0" encoding="UTF-8"?>', '<rates>', ...lines, '</rates>'].join('\n')}\n`;
	},
});

/**
 * The elements and their order are those that BestChange describes and that independent exporters write, with bare numbers.
 * `minamount` and `maxamount` come last, because its cabinet reads them.
 */
export const BESTCHANGE = xml('bestchange', ({ from, to }, offered) => {
	const { fee, min, max, toMin, toMax, ...rate } = figuresOf(offered);
	return {
		from,
		to,
		...rate,
		frommin: min,
		frommax: max,
		tomin: toMin,
		tomax: toMax,
		tofee: fee,
		[FLOATING]: '',
		minamount: min,
		maxamount: max,
	};
});

/** The form of FixedFloat's feed: sums have their coin behind them, which is the ticker and not the code. */
export const FIXEDFLOAT = xml('fixedfloat', ({ from, to }, offered) => {
	const { in: given, out, amount, fee, min, max } = figuresOf(offered);
	const { from: paid, to: sent } = offered.terms;
	return {
		from,
		to,
		in: given,
		out,
		amount,
		tofee: `${fee} ${sent.coin}`,
		minamount: `${min} ${paid.coin}`,
		maxamount: `${max} ${paid.coin}`,
	};
});

/** The same figures for programs, by our own ids. */
export const PLAIN_JSON: Dialect = {
	contentType: 'application/json',
	render: (offers) =>
		`${JSON.stringify({
			rates: offers.map((offered) => ({
				from: offered.terms.from.code,
				to: offered.terms.to.code,
				...figuresOf(offered),
			})),
		})}\n`,
};
