/**
 * Each runbook of the bad hour is rehearsed, and so is what an operator does at an upgrade or with a secret: the tests
 * that rehearse it exist, under these titles. One of them follows the runbook's commands to the letter.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CHAPTERS } from '../../src/docs/book/chapters.ts';
import { parseCommandLine } from '../../src/operator/cli/parse.ts';
import { TOPICS } from '../../src/operator/topics/table.ts';
import { commandsOf, RUNBOOKS } from '../support/runbooks.ts';
import { ELSEWHERE, MENTIONED, REHEARSALS } from './rehearsals.ts';

const TESTS = join(import.meta.dirname, '..');
const PROCEDURES = ['Secrets', 'Upgrading', 'Rolling back'];

const sectionsOf = (chapter: string): string[] =>
	(CHAPTERS.find(({ name }) => name === chapter)?.text ?? '').split(/^## /m);

function hasTest(file: string, title: string): boolean {
	const path = join(TESTS, `${file}.test.ts`);
	return existsSync(path) && readFileSync(path, 'utf8').includes(`'${title}'`);
}

const runbooks = [...RUNBOOKS.keys()];

describe('what is rehearsed', () => {
	it('is each runbook of the bad hour, and what is done with secrets, at an upgrade and after it', () => {
		expect(runbooks.length).toBeGreaterThanOrEqual(12);
		const years = sectionsOf('years').map((section) => section.split('\n')[0]);
		expect(years).toEqual(expect.arrayContaining(PROCEDURES));
		expect(REHEARSALS.map(({ heading }) => heading).toSorted()).toEqual([...runbooks, ...PROCEDURES].toSorted());
	});

	it.each(REHEARSALS)('“$heading” has tests that exist', ({ tests }) => {
		expect(tests.length).toBeGreaterThan(0);
		expect(tests.filter(([file, title]) => !hasTest(file, title))).toEqual([]);
	});
});

describe('the commands of runbooks', () => {
	const commands = runbooks.flatMap((heading) => commandsOf(heading).map(({ text }) => text));
	const own = commands.filter((text) => text.startsWith('exchange '));

	it.each(REHEARSALS.filter(({ heading }) => RUNBOOKS.has(heading)))(
		'“$heading”: a test of its own list follows them to their end',
		({ heading, tests }) => {
			const begun = new RegExp(`followRunbook\\((['"])${heading}\\1`);
			const following = [
				...new Set(tests.map(([file]) => readFileSync(join(TESTS, `${file}.test.ts`), 'utf8'))),
			].filter((text) => begun.test(text));
			expect(following).toHaveLength(1);
			const [text = ''] = following;
			expect(text.match(/\bend\(\)/g)?.length).toBe(text.match(/= followRunbook\(/g)?.length);
		},
	);

	it('are there, and what else they ask for is listed with what stands for it', () => {
		const wordsOf = (text: string) => text.replace(/ N$/, ' 1').split(' ').slice(1);
		expect(own.filter((text) => parseCommandLine(wordsOf(text)).kind !== 'request')).toEqual([]);
		expect([...new Set(commands.filter((text) => !own.includes(text)))].toSorted()).toEqual(
			Object.keys(ELSEWHERE).toSorted(),
		);
	});

	/** Where a runbook speaks of a command without `npx`, another place of the runbooks has it whole, or a test is named for it. */
	it('that the text only mentions are run by tests too', () => {
		const verbOf = (command: string) => command.split(' ').slice(0, 2).join(' ');
		const followed = new Set(own.map((text) => verbOf(text.replace(/^exchange /, ''))));
		const mentioned = [...RUNBOOKS.values()]
			.flatMap((text) => [...text.matchAll(/`([a-z][^`]*)`/g)].map(([, words = '']) => words))
			.filter((words) => words.includes(' ') && Object.hasOwn(TOPICS, words.split(' ')[0] ?? ''));
		const named = Object.values(MENTIONED).filter(([file, title]) => hasTest(file, title));
		expect(named).toHaveLength(Object.keys(MENTIONED).length);
		const others = mentioned.map(verbOf).filter((verb) => !followed.has(verb));
		expect([...new Set(others)]).toEqual(Object.keys(MENTIONED));
	});
});
