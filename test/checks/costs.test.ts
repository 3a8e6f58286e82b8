/** The book's tables of round trips and costs are those of the counted figures. */
import { describe, expect, it } from 'vitest';
import { CHAPTERS } from '../../src/docs/book/chapters.ts';
import { CALLS } from '../support/costs/figures.ts';
import { billRows, nodeCallRows, PLANS_OF } from '../support/costs/node-usage.ts';
import { PRICES_OF } from '../support/costs/prices.ts';
import { callRows, totalRow, unitRows, volumeRows } from '../support/costs/tables.ts';
import { codeOf, files } from '../support/house.ts';
import { SURFACE } from '../support/surface.ts';

const section = (chapter: string, heading: string): string =>
	(CHAPTERS.find(({ name }) => name === chapter)?.text ?? '')
		.split(/^## /m)
		.find((each) => each.startsWith(`${heading}\n`)) ?? '';

/** The rows of the section's tables, without headings and rules. */
const tablesOf = (text: string): string[][] =>
	[...text.matchAll(/^\|[-|]+\|\n((?:\|.*\|\n)+)/gm)].map(([, rows = '']) => rows.trimEnd().split('\n'));

describe('the book', () => {
	it('has the round trips of every endpoint, as they were counted', () => {
		expect(Object.keys(CALLS).toSorted()).toEqual(SURFACE.map(({ id }) => id).toSorted());
		expect(tablesOf(section('architecture', 'Round trips and distances'))[0]).toEqual(callRows());
	});

	it('has the costs that follow from what was counted and from the list prices', () => {
		const text = section('years', 'Plan and costs');
		expect(text).toContain(PRICES_OF);
		expect(tablesOf(text)).toEqual([[...unitRows(), totalRow()], volumeRows()]);
	});

	it('has what nodes are asked, and the whole bill, as they follow from it', () => {
		const text = section('years', 'What nodes cost');
		expect(text).toContain(PLANS_OF);
		expect(tablesOf(text)).toEqual([nodeCallRows(), billRows()]);
	});
});

it('a session of D1 begins at the primary, in one place', () => {
	const begun = files.filter((file) => codeOf(file).includes('.withSession('));
	expect(begun).toEqual(['platform/d1/session.ts']);
});
