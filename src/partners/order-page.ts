/**
 * A partner's settings for the pages of their orders (book: run, "Order pages"): where they may be framed, what payers
 * see of the partner, in which language, whether a payer may choose EXCHANGE, and the partner's widget. All of it is off
 * until it is set. Pure.
 */
import * as z from 'zod/mini';
import { type SealClaim, type SealKeys, seal, sealHolds } from '../crypto/seals.ts';
import { isLoopback } from '../http/in-clear.ts';
import { MAX_AFFTAX_BPS } from '../money/bps.ts';
import { LANGUAGE_TAGS, type Language } from './languages.ts';
import { COLOUR, LOGO_NAME } from './partner.ts';

export interface OrderPageSettings {
	/** Origins whose pages may frame an order's page. */
	readonly frameOrigins: readonly string[];
	/** The partner's name that payers see; null: none is shown. */
	readonly name: string | null;
	/** Where a payer goes for another swap. */
	readonly returnUrl: string | null;
	/** Whom a payer asks: a mail address or a URL. */
	readonly support: string | null;
	/** The partner's terms. */
	readonly terms: string | null;
	/** #rrggbb in lower case, of links and buttons (`pages/brand/accent.ts`). */
	readonly accent: string | null;
	/** The name of a logo of theirs (`logo.ts`). */
	readonly logo: string | null;
	/** The partner's margin on orders of their widget, basis points; null: they have no widget. */
	readonly widgetBps: number | null;
	/** The most that the unpaid orders of the widget may be worth together, whole USD. */
	readonly widgetUsd: number;
	/** In which language the pages are, where the payer chose none; null: in that of their browser. */
	readonly language: Language | null;
	/** May the payer decide an EMERGENCY order to be exchanged at the live rate? */
	readonly payerDecides: boolean;
}

const OFF: OrderPageSettings = {
	frameOrigins: [],
	name: null,
	returnUrl: null,
	support: null,
	terms: null,
	accent: null,
	logo: null,
	widgetBps: null,
	widgetUsd: 5_000,
	language: null,
	payerDecides: false,
};

const MAX_ORIGINS = 10;
const MAX_LENGTH = 200;
const MAX_NAME_LENGTH = 60;
export const MAX_WIDGET_USD = 1_000_000;
/** Letters, digits, signs and single blanks: nothing that is invisible, or that turns the direction of a text. */
const NAME = /^[^\p{C}\p{Z}]+(?: [^\p{C}\p{Z}]+)*$/u;
const MAIL = /^[\w.+-]{1,64}@[a-z0-9-]+(?:\.[a-z0-9-]+)+$/i;

/** As D1 has it: anyone who writes rows can put anything there. */
interface Stored {
	readonly orderPage: unknown;
}

/** With what shows whose it is. */
export interface SealedPage extends Stored {
	readonly partnerId: string;
	readonly orderPageSeal: string | null;
}

const text = z.lazy(() => z.nullable(z.string()));
const SHAPE = z.lazy(() =>
	z.partial(
		z.strictObject({
			frameOrigins: z.array(z.string()),
			name: text,
			returnUrl: text,
			support: text,
			terms: text,
			accent: text,
			logo: text,
			widgetBps: z.nullable(z.int()),
			widgetUsd: z.int(),
			language: z.nullable(z.enum(LANGUAGE_TAGS)),
			payerDecides: z.boolean(),
		}),
	),
);

/** The settings of a partner's record, whole, as they are stored. Those that could not have been set are all off. */
export function orderPageOf(stored: Stored, loopbackAllowed: boolean): OrderPageSettings {
	const settings = settingsIn(stored);
	return settings && orderPageProblem(settings, loopbackAllowed) === null ? settings : OFF;
}

/**
 * The settings that payers are shown: without a seal all are off. Anyone who writes D1 could lead payers to a place that looks
 * like the partner's.
 */
export async function openedOrderPage(keys: SealKeys, stored: SealedPage, loopbackAllowed: boolean) {
	return (await storedPageProblem(keys, stored, loopbackAllowed)) === null ? orderPageOf(stored, loopbackAllowed) : OFF;
}

/** The mistake in the stored settings; null where the service has stored them, or nothing is set. */
export async function storedPageProblem(keys: SealKeys, stored: SealedPage, loopbackAllowed: boolean) {
	const settings = settingsIn(stored);
	if (!settings) return 'they have another shape';
	const problem = orderPageProblem(settings, loopbackAllowed);
	if (problem !== null || textOf('', settings) === textOf('', OFF)) return problem;
	const claim = orderPageClaim(stored);
	return claim && (await sealHolds(keys, claim)) ? null : 'they have no valid seal';
}

export const sealOrderPage = (keys: SealKeys, partnerId: string, settings: OrderPageSettings): Promise<string> =>
	seal(keys, textOf(partnerId, settings));

/** Null where there is no seal, or nothing that could have been sealed. */
export function orderPageClaim(stored: SealedPage): SealClaim | null {
	const settings = settingsIn(stored);
	if (!settings || stored.orderPageSeal === null) return null;
	// They stay for any time, so they may have been sealed with the previous key.
	return { text: textOf(stored.partnerId, settings), at: 0, sealed: stored.orderPageSeal };
}

/** In one order, whichever they were stored in. */
const textOf = (partnerId: string, settings: OrderPageSettings): string =>
	JSON.stringify([
		'order page',
		partnerId,
		...Object.keys(OFF).map((name) => settings[name as keyof OrderPageSettings]),
	]);

/** Null where they have another shape. */
function settingsIn({ orderPage }: Stored): OrderPageSettings | null {
	const read = SHAPE.safeParse(orderPage);
	return read.success ? { ...OFF, ...defined(read.data) } : null;
}

const defined = (given: object): Partial<OrderPageSettings> =>
	Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));

/** The mistake in them, as one line; null when they may be stored. `loopbackAllowed`: plain http to this machine. */
export function orderPageProblem(
	{ frameOrigins, name, returnUrl, support, terms, ...more }: OrderPageSettings,
	loopbackAllowed: boolean,
): string | null {
	if (frameOrigins.length > MAX_ORIGINS) return `at most ${MAX_ORIGINS} origins may frame the pages of orders`;
	const wrong = frameOrigins.find((text) => urlOf(text, loopbackAllowed)?.origin !== text);
	if (wrong !== undefined) return `${wrong} is not an origin such as https://shop.example`;
	if (name !== null && (name.length > MAX_NAME_LENGTH || !NAME.test(name)))
		return `the name on order pages must be 1 to ${MAX_NAME_LENGTH} visible characters`;
	if (returnUrl !== null && !urlOf(returnUrl, loopbackAllowed))
		return `${returnUrl} is not an https URL of at most ${MAX_LENGTH} characters`;
	if (support !== null && !MAIL.test(support) && !urlOf(support, loopbackAllowed))
		return `${support} is neither a mail address nor an https URL of at most ${MAX_LENGTH} characters`;
	if (terms !== null && !urlOf(terms, loopbackAllowed))
		return `${terms} is not an https URL of at most ${MAX_LENGTH} characters`;
	return lookProblem(more) ?? widgetProblem(more);
}

function lookProblem({ accent, logo }: Pick<OrderPageSettings, 'accent' | 'logo'>): string | null {
	if (accent !== null && !COLOUR.test(accent)) return `${accent} is not a colour such as #0a54c2`;
	return logo === null || LOGO_NAME.test(logo) ? null : 'the logo is none of the service’s own';
}

function widgetProblem({ widgetBps, widgetUsd }: Pick<OrderPageSettings, 'widgetBps' | 'widgetUsd'>): string | null {
	if (widgetBps !== null && (widgetBps < 0 || widgetBps > MAX_AFFTAX_BPS))
		return `the margin of the widget must be 0 to ${MAX_AFFTAX_BPS} basis points`;
	if (widgetUsd < 1 || widgetUsd > MAX_WIDGET_USD)
		return `the unpaid orders of the widget must be worth 1 to ${MAX_WIDGET_USD} USD together`;
	return null;
}

/** Null for anything but an https URL without credentials. What would end a policy's source, or hide a host, is refused. */
function urlOf(text: string, loopbackAllowed: boolean): URL | null {
	if (text.length > MAX_LENGTH || /[\s;,'"*\\<>\p{C}]/u.test(text)) return null;
	const url = URL.parse(text);
	if (!url || url.username || url.password) return null;
	const isOwn = loopbackAllowed && url.protocol === 'http:' && isLoopback(url);
	return url.protocol === 'https:' || isOwn ? url : null;
}
