/**
 * Feeds in the forms that monitors read, beside the contract's own (book: contract, "Feeds for monitors"). Each item is
 * worked out as the contract's is, and may have a partner's margin in its rate. Pure.
 */
import type { Monitor, Settings } from '../catalog/settings.ts';
import { type Elements, FLOATING, figuresOf, type Offered, xmlOf } from './feed.ts';
import { monitorCodeOf } from './monitor-codes.ts';

/** A dialect: its media type, and all its items as one text. */
export interface Dialect {
	readonly contentType: string;
	readonly render: (offers: readonly Offered[], settings: Pick<Settings, 'monitorCodes'>) => string;
}

/** `codes`: the monitor's, of the pair. */
type ElementsOf = (codes: { readonly from: string; readonly to: string }, offered: Offered) => Elements;

/** A pair of which the monitor lacks a code has no item. */
const xml = (monitor: Monitor, elements: ElementsOf): Dialect => ({
	contentType: 'application/xml; charset=utf-8',
	render: (offers, settings) =>
		xmlOf(
			offers.flatMap((offered) => {
				const [from, to] = [offered.terms.from, offered.terms.to].map(({ code }) =>
					monitorCodeOf(settings, monitor, code),
				);
				return from && to ? [elements({ from, to }, offered)] : [];
			}),
		),
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
