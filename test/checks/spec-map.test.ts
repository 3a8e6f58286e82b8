/**
 * `test/spec/README.md` names the test of every rule. These tests check that every file and title that it names
 * exists.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CHAPTERS } from '../../src/docs/book/chapters.ts';
import { withoutCode } from '../support/markdown.ts';

const TESTS = join(import.meta.dirname, '..');
const UNSHOWN = 'Not shown by a test';

/** The contract's headings in their order, without those that only group others. The README must have each. */
const SECTIONS = CHAPTERS.filter(({ name }) => name === 'contract').flatMap(({ text }) =>
	[...withoutCode(text).matchAll(/^#{2,3} (.+)\n\n(?!#)/gm)].map(([, heading = '']) => heading),
);

const sections = readFileSync(join(TESTS, 'spec/README.md'), 'utf8')
	.split(/^#{2,3} /m)
	.slice(1)
	.map((text) => {
		const [heading = '', ...lines] = text.split('\n');
		return { heading, entries: lines.filter((line) => line.startsWith('- ')) };
	})
	.filter(({ heading, entries }) => entries.length > 0 || SECTIONS.includes(heading) || heading === UNSHOWN);

const mapped = sections.filter(({ heading }) => heading !== UNSHOWN);
const rules = mapped.flatMap(({ entries }) => entries);

interface Shown {
	readonly file: string;
	readonly title: string;
}

/** What follows the arrow: `file` › title, separated by semicolons. */
function testsOf(rule: string): Shown[] {
	const [, after = ''] = /^- .{10,}? → (`[\w./-]+\.ts` › .+)$/.exec(rule) ?? [];
	return after.split(/; (?=`[\w./-]+\.ts` › )/).flatMap((one) => {
		const [, file, title] = /^`([\w./-]+\.ts)` › (.{6,})$/.exec(one) ?? [];
		return file && title ? [{ file, title }] : [];
	});
}

/** Strings before a function: titles of tests and groups, templates unexpanded. */
function titlesIn(file: string): string[] {
	const source = readFileSync(join(TESTS, file), 'utf8');
	const strings = source.matchAll(/(['"`])((?:(?!\1)[^\\\n]|\\.)*)\1,\s*(?:async\b|\()/g);
	return [...strings].map(([, , title = '']) => title.replaceAll(/\\(['"`])/g, '$1'));
}

describe('test/spec/README.md', () => {
	it('has every section of the contract, in order, each with its rules', () => {
		expect(mapped.map(({ heading }) => heading)).toEqual(SECTIONS);
		expect(mapped.filter(({ entries }) => entries.length === 0)).toEqual([]);
	});

	it('names a test for every rule', () => {
		expect(rules.filter((rule) => testsOf(rule).length === 0)).toEqual([]);
	});

	it('names only files and titles that exist', () => {
		const titles = new Map<string, string[]>();
		const missing = rules.flatMap(testsOf).filter(({ file, title }) => {
			if (!existsSync(join(TESTS, file))) return true;
			if (!titles.has(file)) titles.set(file, titlesIn(file));
			return !titles.get(file)?.some((known) => known.includes(title));
		});
		expect(missing).toEqual([]);
	});

	it('names every test file of test/spec', () => {
		const named = new Set(rules.flatMap(testsOf).map(({ file }) => file));
		const files = readdirSync(join(TESTS, 'spec')).filter((name) => name.endsWith('.test.ts'));
		expect(files.filter((name) => !named.has(`spec/${name}`))).toEqual([]);
	});

	it('gives a reason for every rule that no test shows', () => {
		const unshown = sections.find(({ heading }) => heading === UNSHOWN)?.entries;
		expect(unshown).toBeDefined();
		expect(unshown?.filter((entry) => !/^- .{10,}? — .{20,}$/.test(entry))).toEqual([]);
	});

	it('says each rule once in its section', () => {
		for (const { entries } of sections) expect(new Set(entries).size).toBe(entries.length);
	});
});
