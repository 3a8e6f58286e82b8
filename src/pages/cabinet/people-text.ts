/**
 * Texts that people wrote: names, labels, user agents. What is stored may hold anything; what is shown never changes the
 * direction of the text beside it, and hides no letter. Pure.
 */
/** Control characters, and those that turn the direction of text or take no room. */
const UNSEEN = /[\p{Cc}\u061C\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF\u{E0000}-\u{E007F}]/gu;

/** Each unseen character as a sign that is seen. */
export const seen = (text: string): string => text.toWellFormed().replaceAll(UNSEEN, '\uFFFD');

const MAX_LABEL = 64;

/** A label as it may be stored; null where it is none: empty, too long, or with what nobody sees. */
export function labelOf(text: string): string | null {
	const label = text.trim().normalize('NFC');
	const fits = label.length > 0 && [...label].length <= MAX_LABEL && label.isWellFormed();
	return fits && seen(label) === label ? label : null;
}

const BROWSERS: readonly (readonly [RegExp, string])[] = [
	[/Edg\//, 'Edge'],
	[/Firefox\//, 'Firefox'],
	[/Chrome\//, 'Chrome'],
	[/Safari\//, 'Safari'],
];
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
	[/Android/, 'Android'],
	[/iPhone|iPad/, 'iOS'],
	[/Windows/, 'Windows'],
	[/Mac OS X/, 'macOS'],
	[/Linux/, 'Linux'],
];

/** "Chrome on Linux", as far as the browser says it. */
export function deviceOf(userAgent: string): string {
	const nameIn = (table: typeof BROWSERS) => table.find(([pattern]) => pattern.test(userAgent))?.[1];
	const [browser, system] = [nameIn(BROWSERS), nameIn(SYSTEMS)];
	if (browser && system) return `${browser} on ${system}`;
	return browser ?? system ?? 'Unknown device';
}
