/**
 * Comments, titles and messages use the glossary's words (book: contributing, "Glossary"). Only words that have no right
 * use here are checked. Code and the names in it are not.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

/** The word, and what to write instead. */
const WORDS: readonly (readonly [RegExp, string])[] = [
	[/\banew\b/i, 'again'],
	[/\bwho(?:m)?ever\b/i, 'anyone who, or the caller'],
	[/\bweather\b/i, 'transient error'],
	[/\bkick(?:s|ed|ing)?\b/i, 'wake'],
	[/\boddit(?:y|ies)\b/i, 'anomaly'],
	[/\btroubles?\b/i, 'last error, or anomaly'],
	[/\bpayout wallets?\b/i, 'hot wallet'],
	[/\bladders?\b/i, 'retry schedule'],
	[/\btick(?:s|ed|ing)?\b/i, 'poll'],
	[/\b(?:he|him|his|himself)\b/i, 'they'],
];

/** This file lists the words. */
const ALLOWED: Readonly<Record<string, RegExp>> = { 'test/checks/words.test.ts': /./ };

const filesIn = (folder: string): string[] =>
	readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`);

const isChecked = (name: string): boolean => /\.(?:ts|sql)$|^test\/.*\.md$/.test(name);

/** Comments, strings and templates without the code inside them. */
const PROSE = /\/\*[\s\S]*?\*\/|\/\/.*$|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/gm;

function proseOf(name: string, text: string): string {
	return name.endsWith('.ts') ? (text.match(PROSE) ?? []).join('\n').replaceAll(/\$\{[^}]*\}/g, '') : text;
}

function wrongIn(name: string): string[] {
	const prose = proseOf(name, readFileSync(join(ROOT, name), 'utf8'));
	return prose.split('\n').flatMap((line) =>
		WORDS.flatMap(([word, instead]) => {
			const found = word.exec(line);
			return found && !ALLOWED[name]?.test(found[0]) ? [`${name}: “${line.trim()}”: write ${instead}`] : [];
		}),
	);
}

/** A comment that begins as a fragment, which names nothing. It is no later line of a comment. */
const FRAGMENT = /(?<!^[\t ]*\/\/.*\n)^[\t ]*(?:\/\*\*?\s+(?:\* )?|\/\/ )(?:Of|What) .*$/gm;

const fragmentsIn = (name: string): string[] =>
	(readFileSync(join(ROOT, name), 'utf8').match(FRAGMENT) ?? []).map((comment) => `${name}: ${comment.trim()}`);

describe('comments, titles and messages', () => {
	const names = [...filesIn('src'), ...filesIn('test'), ...filesIn('migrations')].filter(isChecked);

	it('say in a sentence, or by a noun, what they are about', () => {
		// The wire's types are generated, with the API's own texts.
		const sources = filesIn('src').filter((name) => /\.(?:[jt]sx?|cjs)$/.test(name) && name !== 'src/sdk/wire.d.ts');
		expect(sources.flatMap(fragmentsIn)).toEqual([]);
	});

	it('do not use words that the glossary replaces', () => {
		expect(names.flatMap(wrongIn)).toEqual([]);
	});

	it('are found in comments, strings and templates, but not in code', () => {
		const text = "// anew\nconst anew = 'anew'; /* anew */ log(`anew`);";
		expect(proseOf('a.ts', text).match(/anew/g)).toHaveLength(4);
	});
});
