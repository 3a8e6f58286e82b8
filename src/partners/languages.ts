/** The languages of all that a payer reads, each by its own name (book: run, "Order pages"). Pure. */
export const LANGUAGES = {
	en: 'English',
	es: 'Español',
	pt: 'Português',
	fr: 'Français',
	de: 'Deutsch',
	tr: 'Türkçe',
	ru: 'Русский',
	uk: 'Українська',
	'zh-Hans': '简体中文',
	ja: '日本語',
	ar: 'العربية',
	fa: 'فارسی',
} as const;

export type Language = keyof typeof LANGUAGES;

export const LANGUAGE_TAGS = Object.keys(LANGUAGES) as readonly Language[];

const primary = (tag: string): string => tag.trim().toLowerCase().split(/[-_]/)[0] ?? '';

/** By the first part of a tag: `de-AT` and `DE_at` are German. Null for a language that the pages do not speak. */
export const languageOf = (tag: string): Language | null =>
	LANGUAGE_TAGS.find((one) => primary(one) === primary(tag)) ?? null;
