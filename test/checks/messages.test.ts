/**
 * The sentences that payers read: every language has all of them, with the same arguments and every form of a plural that
 * it has (CLDR); none has markup; and the pages say each, with its arguments.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import compile from 'icu-minify/compile';
import { describe, expect, it } from 'vitest';
import { LANGUAGE_TAGS, type Language } from '../../src/partners/languages.ts';
import { files, SRC, sourceOf } from '../support/house.ts';

const FOLDER = join(SRC, 'pages/messages');

type Texts = Readonly<Record<string, string>>;
const textsOf = (language: string): Texts =>
	JSON.parse(readFileSync(join(FOLDER, `${language}.json`), 'utf8')) as Texts;
const english = textsOf('en');

/** As `icu-minify` compiles them: `[name]` is an argument, `[name, 2, forms]` a plural. */
const PLURAL = 2;

interface Parts {
	readonly names: ReadonlySet<string>;
	/** Of each plural its forms, `=0` and the like left out. */
	readonly plurals: readonly (readonly string[])[];
}

function partsOf(text: string): Parts {
	const names = new Set<string>();
	const plurals: string[][] = [];
	const read = (node: unknown): void => {
		if (!Array.isArray(node)) return;
		const [name, type, forms] = node as [unknown, unknown, Record<string, unknown>];
		if (typeof name !== 'string' || (node.length > 1 && type !== PLURAL)) {
			for (const each of node) read(each);
			return;
		}
		names.add(name);
		if (type !== PLURAL) return;
		plurals.push(Object.keys(forms).filter((form) => !form.startsWith('=')));
		for (const form of Object.values(forms)) read(form);
	};
	const compiled = compile(text);
	if (typeof compiled !== 'string') for (const node of compiled) read(node);
	return { names, plurals };
}

const namesOf = (text: string): string[] => [...partsOf(text).names].toSorted();

it('every language has a file, and no other file is there', () => {
	expect(readdirSync(FOLDER).toSorted()).toEqual(LANGUAGE_TAGS.map((tag) => `${tag}.json`).toSorted());
});

describe.each(LANGUAGE_TAGS)('%s', (language: Language) => {
	const texts = textsOf(language);
	const pairs = Object.entries(texts);

	it('has every sentence, in the order of the English ones, with the same arguments', () => {
		expect(Object.keys(texts)).toEqual(Object.keys(english));
		const others = pairs.filter(([key, text]) => `${namesOf(text)}` !== `${namesOf(english[key] ?? '')}`);
		expect(others).toEqual([]);
	});

	it('has each form of a plural that the language has, and no other', () => {
		const wanted = new Intl.PluralRules(language).resolvedOptions().pluralCategories.toSorted();
		const wrong = pairs.filter(([, text]) =>
			partsOf(text).plurals.some((forms) => `${forms.toSorted()}` !== `${wanted}`),
		);
		expect(wrong).toEqual([]);
	});

	it('has no markup, no empty sentence, and no mark that turns a direction', () => {
		const wrong = /^$|[<>&\p{Cc}\p{Co}\u061C\u200B\u200E\u200F\u202A-\u202E\u2066-\u2069\uFEFF]/u;
		expect(pairs.filter(([, text]) => text.trim() !== text || wrong.test(text))).toEqual([]);
	});
});

interface Said {
	readonly key: string;
	readonly given: readonly string[];
}

const SAYS = /\b(?:say|useSay\(\))(?:\.rich)?\(\s*'([\w.]+)'\s*(,\s*\{)?/g;

/** Names at the top of an object that is written out; `text` begins behind its brace. */
function givenIn(text: string): string[] {
	let depth = 0;
	let top = '';
	for (const letter of text) {
		if (letter === '}' && depth === 0) break;
		if ('{(['.includes(letter)) depth++;
		if (depth === 0) top += letter;
		if ('})]'.includes(letter)) depth--;
	}
	return top.split(',').flatMap((part) => /^\s*(\w+)/.exec(part)?.[1] ?? []);
}

const pages = files.filter((file) => file.startsWith('pages/')).map(sourceOf);
const said: readonly Said[] = pages.flatMap((source) =>
	[...source.matchAll(SAYS)].map((match) => {
		const given = match[2] ? givenIn(source.slice(match.index + match[0].length)) : [];
		return { key: match[1] ?? '', given: given.toSorted() };
	}),
);

it('the pages give each sentence its arguments', () => {
	expect(said.length).toBeGreaterThan(100);
	expect(said.filter(({ key, given }) => `${given}` !== `${namesOf(english[key] ?? '')}`)).toEqual([]);
	// What is named in a table or by a condition has none.
	const direct = new Set(said.map(({ key }) => key));
	expect(Object.entries(english).filter(([key, text]) => !direct.has(key) && namesOf(text).length > 0)).toEqual([]);
});

it('the pages say every sentence', () => {
	const named = new Set(pages.flatMap((source) => [...source.matchAll(/'(\w+\.\w+)'/g)].map(([, key]) => key)));
	expect(Object.keys(english).filter((key) => !named.has(key))).toEqual([]);
});
