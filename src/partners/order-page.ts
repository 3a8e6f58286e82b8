/**
 * A partner's settings for the pages of their orders (book: run, "Order pages"): where they may be framed, what payers
 * see of the partner, in which language, and whether a payer may choose EXCHANGE. All of it is off until it is set. Pure.
 */
import * as z from 'zod/mini';
import { LANGUAGE_TAGS, type Language } from './languages.ts';

export interface OrderPageSettings {
	/** Origins whose pages may frame an order's page. */
	readonly frameOrigins: readonly string[];
	/** The partner's name that payers see; null: none is shown. */
	readonly name: string | null;
	/** Where a payer goes for another swap. */
	readonly returnUrl: string | null;
	/** Whom a payer asks: a mail address or a URL. */
	readonly support: string | null;
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
	language: null,
	payerDecides: false,
};

const MAX_ORIGINS = 10;
const MAX_LENGTH = 200;
const MAX_NAME_LENGTH = 60;
/** Letters, digits, signs and single blanks: nothing that is invisible, or that turns the direction of a text. */
const NAME = /^[^\p{C}\p{Z}]+(?: [^\p{C}\p{Z}]+)*$/u;
const MAIL = /^[\w.+-]{1,64}@[a-z0-9-]+(?:\.[a-z0-9-]+)+$/i;
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** As D1 has it: anyone who writes rows can put anything there. */
interface Stored {
	readonly orderPage: unknown;
}

const text = z.lazy(() => z.optional(z.nullable(z.string())));
const SHAPE = z.lazy(() =>
	z.strictObject({
		frameOrigins: z.optional(z.array(z.string())),
		name: text,
		returnUrl: text,
		support: text,
		language: z.optional(z.nullable(z.enum(LANGUAGE_TAGS))),
		payerDecides: z.optional(z.boolean()),
	}),
);

/** The settings of a partner's record, whole. Those that could not have been set are all off. */
export function orderPageOf(stored: Stored, loopbackAllowed: boolean): OrderPageSettings {
	const read = SHAPE.safeParse(stored.orderPage);
	const settings = { ...OFF, ...(read.success && defined(read.data)) };
	return orderPageProblem(settings, loopbackAllowed) === null ? settings : OFF;
}

/** The mistake in the stored settings; null where it could have been set. */
export function storedPageProblem(stored: Stored, loopbackAllowed: boolean): string | null {
	const read = SHAPE.safeParse(stored.orderPage);
	if (!read.success) return 'they have another shape';
	return orderPageProblem({ ...OFF, ...defined(read.data) }, loopbackAllowed);
}

const defined = (given: object): Partial<OrderPageSettings> =>
	Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));

/** The mistake in them, as one line; null when they may be stored. `loopbackAllowed`: plain http to this machine. */
export function orderPageProblem(
	{ frameOrigins, name, returnUrl, support }: OrderPageSettings,
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
	return null;
}

/** Null for anything but an https URL without credentials. What would end a policy's source, or hide a host, is refused. */
function urlOf(text: string, loopbackAllowed: boolean): URL | null {
	if (text.length > MAX_LENGTH || /[\s;,'"*\\<>\p{C}]/u.test(text)) return null;
	const url = URL.parse(text);
	if (!url || url.username || url.password) return null;
	const isLoopback = loopbackAllowed && url.protocol === 'http:' && LOOPBACK.has(url.hostname);
	return url.protocol === 'https:' || isLoopback ? url : null;
}
