/** The queries of the dashboard and of the book name only what the points have. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CHAPTERS } from '../../src/docs/book/chapters.ts';
import { dataPoint, POINTS } from '../../src/platform/metrics/points.ts';

interface Panel {
	readonly title: string;
	readonly targets: readonly { readonly query: string }[];
}

const { panels } = JSON.parse(readFileSync(join(import.meta.dirname, '../../src/docs/grafana.json'), 'utf8')) as {
	panels: readonly Panel[];
};
const ofDashboard = panels.flatMap(({ title, targets }) => targets.map(({ query }) => ({ title, query })));
/** What asks the dataset; the chapter about the schema shows views of D1. */
const ofBook = CHAPTERS.filter(({ name }) => name !== 'schema').flatMap(({ name, text }) =>
	[...text.matchAll(/```sql\n([\s\S]*?)```/g)].map(([, query = '']) => ({ title: name, query })),
);

const pointOf = (query: string): string => /blob1 = '(\w+)'/.exec(query)?.[1] ?? '';

/** Columns of a query that its point does not have. */
function unknownColumns(query: string): string[] {
	const { labels = [], values = [] } = Object.entries(POINTS).find(([name]) => name === pointOf(query))?.[1] ?? {};
	const known = ['blob1', ...labels.map((_, i) => `blob${i + 2}`), ...values.map((_, i) => `double${i + 1}`)];
	return (query.match(/\b(?:blob|double|index)\d+\b/g) ?? []).filter((column) => !known.includes(column));
}

describe('the dashboard and the book', () => {
	it.each([...ofDashboard, ...ofBook])('“$title” asks one point for columns that it has', ({ query }) => {
		expect(Object.keys(POINTS)).toContain(pointOf(query));
		expect(query).toMatch(/\b(?:blob[2-9]|double\d)\b/);
		expect(unknownColumns(query)).toEqual([]);
	});

	it('show every point, and every value of it but what only lines of the log need', () => {
		const asked = Object.keys(POINTS).map((name) => ofDashboard.some(({ query }) => pointOf(query) === name));
		expect(asked).not.toContain(false);
		expect(ofBook.length).toBeGreaterThan(0);
	});

	it('would notice a column that is not there', () => {
		expect(unknownColumns("SELECT double9 FROM t WHERE blob1 = 'price'")).toEqual(['double9']);
	});
});

describe('a point', () => {
	it.each(Object.entries(POINTS))('%s keeps to the limits of Analytics Engine', (_, { labels, values }) => {
		expect(labels.length).toBeGreaterThanOrEqual(1);
		expect(labels.length + 1).toBeLessThanOrEqual(20);
		expect(values.length).toBeLessThanOrEqual(20);
	});

	it('has its labels cut, and its index cut to 96 bytes at a whole character', () => {
		const values = { ageSeconds: 1, spreadBps: 2, sources: 3 };
		const { indexes, blobs, doubles } = dataPoint('price', { coin: '€'.repeat(500) }, values);
		expect(indexes).toEqual([`price ${'€'.repeat(30)}`]);
		expect(Buffer.byteLength(indexes[0])).toBe(96);
		expect(blobs).toEqual(['price', '€'.repeat(200)]);
		expect(doubles).toEqual([1, 2, 3]);
	});
});
