/** Sentences in each language: every argument arrives, and what runs the other way is set apart. */
import { describe, expect, it } from 'vitest';
import english from '../../src/pages/messages/en.json' with { type: 'json' };
import { shownPlain } from '../../src/pages/parts/plain.ts';
import { type MessageKey, sayIn } from '../../src/pages/say.ts';
import { LANGUAGE_TAGS, languageOf } from '../../src/partners/languages.ts';

const keys = Object.keys(english) as MessageKey[];
const COUNTS = new Set(['minutes', 'hours', 'needed', 'days', 'count', 'all']);
const namesOf = (text: string): string[] => [
	...new Set([...text.matchAll(/\{(\w+)[},]/g)].map(([, name = '']) => name)),
];

describe.each(LANGUAGE_TAGS)('%s', (language) => {
	it('says every sentence, with every argument, for every count', () => {
		const say = sayIn(language);
		for (const key of keys)
			for (const count of [1, 2, 3, 5, 11, 21, 100]) {
				const names = namesOf(english[key]);
				const text = say(key, Object.fromEntries(names.map((name) => [name, COUNTS.has(name) ? count : `<${name}>`])));
				expect([key, text]).toEqual([key, expect.not.stringMatching(/undefined|\{|\}|#(?!”|“|»|\s?»|」)/)]);
				for (const name of names)
					if (!COUNTS.has(name)) expect([key, text]).toEqual([key, expect.stringContaining(`<${name}>`)]);
			}
	});

	it('has Latin digits and Gregorian years in counts, shares and days', () => {
		const say = sayIn(language);
		expect(say('time.minutes', { minutes: 25 })).toContain('25');
		expect(say.percent(9_998)).toMatch(/99[.,٫]98/);
		expect(say.percent(10_000)).toMatch(/100/);
		expect(say.day('2026-11-22')).toMatch(/2026/);
	});
});

describe('what runs the other way', () => {
	it('stands between the marks of an isolate, in both directions; all else is as it is', () => {
		expect(sayIn('en')('help.backTo', { name: 'Coins & Co' })).toBe('Back to Coins & Co');
		expect(sayIn('en')('help.backTo', { name: 'متجر' })).toBe('Back to \u2068متجر\u2069');
		expect(sayIn('ar')('story.pay', { amount: '2\u00A0LTC' })).toBe('أرسل \u20682\u00A0LTC\u2069');
	});

	it('is nothing that a partner can end: their marks are shown as signs', () => {
		const name = shownPlain('Coins\u2069\u202E & Co\uE0000\uE000');
		expect(sayIn('ar')('help.askName', { name })).toBe(`اسأل \u2068Coins\ufffd\ufffd & Co\ufffd0\ufffd\u2069.`);
	});
});

it.each([
	['de-AT', 'de'],
	['PT_br', 'pt'],
	[' zh-TW ', 'zh-Hans'],
	['fil', null],
	['constructor', null],
	['', null],
])('the tag “%s” is %s', (tag, language) => {
	expect(languageOf(tag)).toBe(language);
});
