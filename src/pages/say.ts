/**
 * The sentences that a payer reads, in each language. `local/static-pages.ts` compiles them when the pages are built: the
 * Worker carries no parser. Pure.
 */
import type { Child } from 'hono/jsx';
import format, { type CompiledMessage } from 'icu-minify/format';
import compiled from '../../.wrangler/pages/messages.json';
import { BPS } from '../money/bps.ts';
import type { Language } from '../partners/languages.ts';
import type english from './messages/en.json';

export type MessageKey = keyof typeof english;

type Values = Readonly<Record<string, string | number>>;

export interface Say {
	/** A sentence as text. A value that may run the other way stands between the marks of an isolate (`render.ts`). */
	(key: MessageKey, values?: Values): string;
	/** A sentence with elements among its values. */
	readonly rich: (key: MessageKey, values: Readonly<Record<string, Child>>) => Child;
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

const spoken = new Map<Language, Say>();

export function sayIn(language: Language): Say {
	const known = spoken.get(language) ?? speak(language);
	spoken.set(language, known);
	return known;
}

function speak(language: Language): Say {
	const messages = JSON.parse((compiled as Compiled)[language]) as Readonly<Record<MessageKey, CompiledMessage>>;
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
	const lists = new Intl.ListFormat(locale);
	return Object.assign(say, {
		rich,
		joined: (...sentences: readonly (string | null)[]) =>
			sentences.filter((one) => one !== null).join(UNSPACED.has(language) ? '' : ' '),
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

/** As text: an isolate reads a language when somebody asks for it. */
export type Compiled = Readonly<Record<Language, string>>;
