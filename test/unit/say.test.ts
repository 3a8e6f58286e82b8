/** Sentences in each language: every argument arrives, and what runs the other way is set apart. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { createPages } from '../../src/pages/app.tsx';
import english from '../../src/pages/messages/en.json' with { type: 'json' };
import { shownPlain } from '../../src/pages/parts/plain.ts';
import { type MessageKey, type Say, sayEnglish, sayIn } from '../../src/pages/say.ts';
import { LANGUAGE_TAGS, languageOf } from '../../src/partners/languages.ts';
import { SRC } from '../support/house.ts';

/** The built files, as the platform serves them. */
const ASSETS = {
	fetch: async (url: unknown): Promise<Response> =>
		new Response(readFileSync(join(SRC, '../.wrangler/pages/public', new URL(String(url)).pathname))),
};

const keys = Object.keys(english) as MessageKey[];
const COUNTS = new Set(['minutes', 'hours', 'needed', 'days', 'count', 'all']);
const namesOf = (text: string): string[] => [
	...new Set([...text.matchAll(/\{(\w+)[},]/g)].map(([, name = '']) => name)),
];

/** Before any other test reads them. */
describe('a language whose sentences cannot be read', () => {
	const html = async (fetch: () => Promise<Response>): Promise<string> => {
		const asked = new Request('https://x.example/nowhere?lang=uk');
		const page = await createPages().fetch(asked, { ASSETS: { fetch } });
		return /<html lang="[^"]*"/.exec(await page.text())?.[0] ?? '';
	};

	it.each<[string, () => Promise<Response>]>([
		['that are not there', async () => new Response('', { status: 404 })],
		['that are cut off', async () => new Response('{"layout.language":"Мо')],
		['that nobody answers for', () => Promise.reject(new Error('no answer'))],
	])('%s, is English on that page, with a line in the log, and read again for the next page', async (_, broken) => {
		const lines = vi.spyOn(console, 'error').mockImplementation(() => undefined);
		expect(await html(broken)).toBe('<html lang="en"');
		expect(lines.mock.calls.join()).toContain('"event":"language_not_read","level":"error","language":"uk"');
		lines.mockRestore();
	});

	it('is spoken as soon as they can be read', async () => {
		const whole = vi.fn(() => ASSETS.fetch('https://assets.local/sentences/uk.json'));
		expect(await html(whole)).toBe('<html lang="uk"');
		expect(await html(whole)).toBe('<html lang="uk"');
		expect(whole).toHaveBeenCalledOnce();
	});
});

describe.each(LANGUAGE_TAGS)('%s', (language) => {
	it('says every sentence, with every argument, for every count', async () => {
		const say = await sayIn(language, ASSETS);
		for (const key of keys)
			for (const count of [1, 2, 3, 5, 11, 21, 100]) {
				const names = namesOf(english[key]);
				const text = say(key, Object.fromEntries(names.map((name) => [name, COUNTS.has(name) ? count : `<${name}>`])));
				expect([key, text]).toEqual([key, expect.not.stringMatching(/undefined|\{|\}|#(?!”|“|»|\s?»|」)/)]);
				for (const name of names)
					if (!COUNTS.has(name)) expect([key, text]).toEqual([key, expect.stringContaining(`<${name}>`)]);
			}
	});

	it('has Latin digits and Gregorian years in counts, shares and days', async () => {
		const say = await sayIn(language, ASSETS);
		expect(say('time.minutes', { minutes: 25 })).toContain('25');
		expect(say.percent(9_998)).toMatch(/99[.,٫]98/);
		expect(say.percent(10_000)).toMatch(/100/);
		expect(say.day('2026-11-22')).toMatch(/2026/);
	});
});

describe('what runs the other way', () => {
	let arabic: Say;
	beforeAll(async () => {
		arabic = await sayIn('ar', ASSETS);
	});

	it('stands between the marks of an isolate, in both directions; all else is as it is', () => {
		expect(sayEnglish()('help.backTo', { name: 'Coins & Co' })).toBe('Back to Coins & Co');
		expect(sayEnglish()('help.backTo', { name: 'متجر' })).toBe('Back to \u2068متجر\u2069');
		expect(arabic('story.pay', { amount: '2\u00A0LTC' })).toBe('أرسل \u20682\u00A0LTC\u2069');
	});

	it('is nothing that a partner can end: their marks are shown as signs', () => {
		const name = shownPlain('Coins\u2069\u202E & Co\uE0000\uE000');
		expect(arabic('help.askName', { name })).toBe(`اسأل \u2068Coins\ufffd\ufffd & Co\ufffd0\ufffd\u2069.`);
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
