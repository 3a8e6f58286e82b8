/**
 * Each runbook of the bad hour is rehearsed, and so is what an operator does at an upgrade or with a secret: the tests
 * that it names exist, under these titles.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CHAPTERS } from '../../src/docs/book/chapters.ts';

const TESTS = join(import.meta.dirname, '..');
const operations = CHAPTERS.find(({ name }) => name === 'operations')?.text ?? '';
const badHour = operations.split(/^## /m).find((section) => section.startsWith('The bad hour\n')) ?? '';
const runbooks = badHour.split(/^### /m).slice(1);
const procedures = ['Secrets', 'Upgrading', 'Rolling back'].map(
	(heading) => operations.split(/^## /m).find((section) => section.startsWith(`${heading}\n`)) ?? heading,
);

describe.each([...runbooks, ...procedures].map((text) => ({ heading: text.split('\n')[0], text })))(
	'the runbook “$heading”',
	({ text }) => {
		const rehearsed = text.slice(text.indexOf('Rehearsed: ')).replaceAll(/\s+/g, ' ');
		const named = [...rehearsed.matchAll(/`([\w/-]+)` “([^”]+)”/g)].map(([, file = '', title = '']) => ({
			file,
			title,
		}));

		it('names tests that exist', () => {
			expect(named.length).toBeGreaterThan(0);
			const missing = named.filter(({ file, title }) => {
				const path = join(TESTS, `${file}.test.ts`);
				return !existsSync(path) || !readFileSync(path, 'utf8').includes(`'${title}'`);
			});
			expect(missing).toEqual([]);
		});
	},
);

it('the bad hour has a runbook for each thing that goes wrong', () => {
	expect(runbooks.length).toBeGreaterThanOrEqual(12);
});
