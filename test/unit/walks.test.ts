/** Every message's advice works: the tables of walks name tests that there are; a reason without one does not compile. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { refusalPasses, type SignerRefusal } from '../../src/treasury/signer-refusal.ts';
import { ATTENTION, INCIDENT_WALKS, type Shown, SIGNER, STOPS, type Walk } from '../support/walks.ts';

const shownBy = (walk: Walk): Shown =>
	'walked' in walk ? walk.walked : 'byItself' in walk ? walk.byItself : walk.answer;

const tables: Record<string, Readonly<Record<string, Walk>>> = { SIGNER, STOPS, INCIDENT_WALKS, ATTENTION };
const walks = Object.entries(tables).flatMap(([table, each]) =>
	Object.entries(each).map(([kind, walk]) => ({ name: `${table} ${kind}`, kind, walk })),
);

describe('the walk of', () => {
	it.each(walks)('$name is a test that there is', ({ walk }) => {
		const [file, title] = shownBy(walk);
		const path = join(import.meta.dirname, '..', `${file}.test.ts`);
		expect(existsSync(path), file).toBe(true);
		const text = readFileSync(path, 'utf8');
		expect(
			["'", '"', '`'].some((quote) => text.includes(`${quote}${title}${quote},`)),
			title,
		).toBe(true);
	});
});

it('a reason that passes by itself is none for which a person is needed', () => {
	const bySigner = Object.entries(SIGNER) as [SignerRefusal['kind'], Walk][];
	const facts = { txId: '', detail: '', purpose: 'payout', cents: 0, usedCents: 0, capCents: 0 };
	const wrong = bySigner.filter(
		([kind, walk]) =>
			'byItself' in walk && refusalPasses({ kind, ...facts } as unknown as SignerRefusal) !== 'by-itself',
	);
	expect(wrong.map(([kind]) => kind)).toEqual([]);
});
