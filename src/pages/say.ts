/**
 * The sentences that a payer reads, in each language. `local/static-pages.ts` compiles them when the pages are built: the
 * Worker carries no parser. English is in the code. Each other language is a static asset, which an isolate reads when
 * somebody first asks for it. The platform keeps a version's assets with its code, so both always have the same sentences.
 */
import type { Child } from 'hono/jsx';
import format, { type CompiledMessage } from 'icu-minify/format';
import compiledEnglish from '../../.wrangler/pages/english.json';
import { BPS } from '../money/bps.ts';
import type { Language } from '../partners/languages.ts';
import { logError } from '../platform/log.ts';
import type english from './messages/en.json';

export type MessageKey = keyof typeof english;

type Values = Readonly<Record<string, string | number>>;

export interface Say {
	/** A sentence as text. A value that may run the other way stands between the marks of an isolate (`render.ts`). */
	(key: MessageKey, values?: Values): string;
	/** A sentence with elements among its values. */
	readonly rich: (key: MessageKey, values: Readonly<Record<string, Child>>) => Child;
	/** The blank between two sentences, where the language has one. */
	readonly blank: '' | ' ';
	/** Sentences after one another; null is left out. */
	readonly joined: (...sentences: readonly (string | null)[]) => string;
	/** `A, B and C`. */
	readonly list: (names: readonly string[]) => string;
	readonly language: Language;
	readonly direction: 'ltr' | 'rtl';
	/** `99.98%` of 9998 basis points; 100% has no decimals. */
	readonly percent: (bps: number) => string;
	/** `Nov 22, 2026` of `2026-11-22`. */
	readonly day: (day: string) => string;
}

/** Characters of scripts that run from right to left. */
const RIGHT_TO_LEFT = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFF\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u;
const RIGHT_TO_LEFT_LANGUAGES: ReadonlySet<string> = new Set(['ar', 'fa']);
/** Languages that write sentences without a blank between them. */
const UNSPACED: ReadonlySet<string> = new Set(['zh-Hans', 'ja']);

/** Stands for an element while its sentence is made; nobody's text has it (`shownPlain`). */
const ELEMENT = /\uE000(\d+)\uE000/;

export type Compiled = Readonly<Record<MessageKey, CompiledMessage>>;

const spoken = new Map<Language, Say>();

export const sayEnglish = (): Say => spoken.get('en') ?? learn('en', compiledEnglish as unknown as Compiled);

/** English where a language's asset cannot be read: the page is shown all the same, and the next one reads it again. */
export async function sayIn(language: Language, assets: Pick<Fetcher, 'fetch'>): Promise<Say> {
	if (language === 'en') return sayEnglish();
	try {
		return spoken.get(language) ?? learn(language, await read(language, assets));
	} catch (error) {
		logError('language_not_read', error, { language });
		return sayEnglish();
	}
}

/** The binding asks for the path alone; an address needs some host. */
async function read(language: Language, assets: Pick<Fetcher, 'fetch'>): Promise<Compiled> {
	const response = await assets.fetch(`https://assets.local/sentences/${language}.json`);
	if (!response.ok) throw new Error(`its asset answers with ${response.status}`);
	return response.json<Compiled>();
}

function learn(language: Language, messages: Compiled): Say {
	const say = speak(language, messages);
	spoken.set(language, say);
	return say;
}

function speak(language: Language, messages: Compiled): Say {
	// Digits are Latin and years Gregorian in every language, as in explorers and wallets.
	const locale = `${language}-u-ca-gregory-nu-latn`;
	const direction = RIGHT_TO_LEFT_LANGUAGES.has(language) ? 'rtl' : 'ltr';
	const formatters = formattersOf(locale);
	const otherWay = direction === 'rtl' ? /\p{Letter}/u : RIGHT_TO_LEFT;
	const isolated = (value: string | number): string | number =>
		typeof value === 'string' && otherWay.test(value) ? `\u2068${value}\u2069` : value;
	const say = (key: MessageKey, values: Values = {}): string => {
		const given = Object.entries(values).map(([name, value]) => [name, isolated(value)] as const);
		return String(format<string>(messages[key], locale, Object.fromEntries(given), { formatters }));
	};
	const rich: Say['rich'] = (key, values) => {
		const given = Object.entries(values);
		const marks = given.map(
			([name, value], i) => [name, isText(value) ? isolated(value) : `\uE000${i}\uE000`] as const,
		);
		const text = String(format<string>(messages[key], locale, Object.fromEntries(marks), { formatters }));
		return text.split(ELEMENT).map((part, i) => (i % 2 === 0 ? part : given[Number(part)]?.[1]));
	};
	const blank = UNSPACED.has(language) ? '' : ' ';
	const lists = new Intl.ListFormat(locale);
	return Object.assign(say, {
		rich,
		blank,
		joined: (...sentences: readonly (string | null)[]) => sentences.filter((one) => one !== null).join(blank),
		list: (names: readonly string[]) => lists.format(names.map((name) => String(isolated(name)))),
		language,
		direction,
		percent: (bps: number) =>
			new Intl.NumberFormat(locale, { style: 'percent', minimumFractionDigits: bps === BPS ? 0 : 2 }).format(bps / BPS),
		day: (day: string) =>
			new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' }).format(Date.parse(day)),
	} as const);
}

const isText = (value: Child): value is string | number => typeof value === 'string' || typeof value === 'number';

/** Each is made once: a page with fifty numbers asks for one of them. */
function formattersOf(locale: string) {
	const numbers = new Intl.NumberFormat(locale);
	const plurals = new Intl.PluralRules(locale);
	return {
		getNumberFormat: () => numbers,
		getPluralRules: () => plurals,
		getDateTimeFormat: () => new Intl.DateTimeFormat(locale),
	};
}
