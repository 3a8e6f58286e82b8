/** The steps of the signer's journal: each runs once, and a journal of a newer signer is not touched. */
import { expect, it as test } from 'vitest';
import { Journal } from '../../src/signer/journal/journal.ts';
import { takeSteps } from '../../src/signer/journal/schema/steps.ts';
import { refusalText } from '../../src/treasury/signer-refusal.ts';
import { bareObject } from './bindings.ts';

/** A test inside an object of its own, whose storage is empty. */
const it = (title: string, run: (storage: DurableObjectStorage) => void) =>
	test(title, () => bareObject(title).run(({ storage }) => run(storage)));

const rowsOf = (storage: DurableObjectStorage, query: string) => storage.sql.exec(query).toArray();

const tablesOf = (storage: DurableObjectStorage): string[] =>
	rowsOf(
		storage,
		"SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'schema_steps' AND name NOT LIKE '\\_cf%' ESCAPE '\\' ORDER BY name",
	).map(({ name }) => String(name));

it('each step runs once, in order, and a failed step leaves no change', (storage) => {
	const [first, second] = ['CREATE TABLE one (a);', 'INSERT INTO one VALUES (1); CREATE TABLE two (b);'];
	expect(takeSteps(storage, [first])).toBeNull();
	expect(() => takeSteps(storage, [first, 'INSERT INTO one VALUES (1); INSERT INTO three VALUES (1);'])).toThrow();
	expect([tablesOf(storage), rowsOf(storage, 'SELECT * FROM one')]).toEqual([['one'], []]);
	for (let opened = 0; opened < 2; opened++) expect(takeSteps(storage, [first, second])).toBeNull();
	expect([tablesOf(storage), rowsOf(storage, 'SELECT * FROM one')]).toEqual([['one', 'two'], [{ a: 1 }]]);
});

it('a journal of a newer signer is left unchanged, and the signer says why it signs nothing', (storage) => {
	storage.sql.exec('CREATE TABLE schema_steps (step INTEGER PRIMARY KEY); INSERT INTO schema_steps VALUES (99);');
	const { refusal } = new Journal(storage);
	expect(refusal).toEqual({ kind: 'journal-too-new', step: 99, known: 1 });
	expect(refusal && refusalText(refusal)).toMatch(/^the signer's journal has schema step 99, and this version knows 1/);
	expect(tablesOf(storage)).toEqual([]);
});

it('what a day’s withdrawals bring to an address is counted for good, by day, network and address', (storage) => {
	const [cold, other] = ['0x00000000219ab540356cBB839Cbe05303d7705Fa', '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2'];
	for (const cents of [150, 250]) {
		const to = { network: 'Ethereum', address: cold } as const;
		const journal = new Journal(storage);
		journal.record({
			payoutId: `withdrawal of ${cents}`,
			orderId: '',
			kind: 'withdrawal',
			network: 'Ethereum',
			payment: null,
			fromNetwork: 'Ethereum',
			deposits: [],
			day: '2026-11-26',
			usdCents: cents + 1,
			now: 0,
			transaction: { raw: '', txId: `of ${cents}`, spends: [], fee: 1n },
			also: () => journal.days.countWithdrawn(to, '2026-11-26', cents),
		});
	}
	const reopened = new Journal(storage);
	expect([cold, cold.toLowerCase()].map((to) => reopened.days.withdrawnTo('Ethereum', to, '2026-11-26'))).toEqual([
		400, 400,
	]);
	expect(reopened.days.withdrawnTo('Ethereum', cold, '2026-11-27')).toBe(0);
	expect(reopened.days.withdrawnTo('Ethereum', other, '2026-11-26')).toBe(0);
	expect(reopened.days.withdrawnTo('BSC', cold, '2026-11-26')).toBe(0);
});
