/**
 * Each runbook of the bad hour is rehearsed, and so is what an operator does at an upgrade or with a secret: the tests
 * that rehearse it exist, under these titles.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CHAPTERS } from '../../src/docs/book/chapters.ts';
import { REHEARSALS } from './rehearsals.ts';

const TESTS = join(import.meta.dirname, '..');
const PROCEDURES = ['Secrets', 'Upgrading', 'Rolling back'];

const sectionsOf = (chapter: string): string[] =>
	(CHAPTERS.find(({ name }) => name === chapter)?.text ?? '').split(/^## /m);

const runbooks = sectionsOf('bad-hour')
	.filter((section) => section.startsWith('Runbooks\n'))
	.flatMap((section) => [...section.matchAll(/^### (.+)$/gm)].map(([, heading = '']) => heading));

describe('what is rehearsed', () => {
	it('is each runbook of the bad hour, and what is done with secrets, at an upgrade and after it', () => {
		expect(runbooks.length).toBeGreaterThanOrEqual(12);
		const years = sectionsOf('years').map((section) => section.split('\n')[0]);
		expect(years).toEqual(expect.arrayContaining(PROCEDURES));
		expect(REHEARSALS.map(({ heading }) => heading).toSorted()).toEqual([...runbooks, ...PROCEDURES].toSorted());
	});

	it.each(REHEARSALS)('“$heading” has tests that exist', ({ tests }) => {
		expect(tests.length).toBeGreaterThan(0);
		const missing = tests.filter(([file, title]) => {
			const path = join(TESTS, `${file}.test.ts`);
			return !existsSync(path) || !readFileSync(path, 'utf8').includes(`'${title}'`);
		});
		expect(missing).toEqual([]);
	});
});
