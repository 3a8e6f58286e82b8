/** Texts that others wrote, as they may be shown, and amounts as people read them. Pure. */

/**
 * A character that is invisible, or turns the direction of the text around it, is shown as a sign of its own, so that
 * an address or a name cannot pass for another.
 */
export const shownPlain = (text: string): string =>
	text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}]/gu, '\ufffd');

/** Every digit, in groups of three before the point: `1 250 000.05`. */
export const grouped = (text: string): string =>
	text.replace(/^-?\d+/, (whole) => whole.replaceAll(/\B(?=(?:\d{3})+$)/g, '\u202F'));

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `Nov 22` of `2026-11-22`, in a plot. */
export const dayName = (day: string): string => `${MONTHS[Number(day.slice(5, 7)) - 1]} ${Number(day.slice(8, 10))}`;
