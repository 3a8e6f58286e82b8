/** The schema of the signer's journal: older journals keep every row, and a newer one is not touched. */
import { expect, it as test } from 'vitest';
import { encodeReservation } from '../../src/chains/reservations.ts';
import { Journal } from '../../src/signer/journal/journal.ts';
import { takeSteps } from '../../src/signer/journal/schema/steps.ts';
import { refusalText } from '../../src/treasury/signer-refusal.ts';
import OLD_JOURNAL from '../support/fixtures/signer-journal.sql?raw';
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

/** Every row of every table except the one that counts the steps. */
const contentOf = (storage: DurableObjectStorage) =>
	Object.fromEntries(tablesOf(storage).map((table) => [table, rowsOf(storage, `SELECT * FROM ${table}`)]));

/** The SQL that made each table and index, without spaces. */
const schemaOf = (storage: DurableObjectStorage): string[] =>
	rowsOf(
		storage,
		"SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name <> 'schema_steps' AND name NOT LIKE '\\_cf%' ESCAPE '\\' ORDER BY name",
	).map(({ sql }) => String(sql).replace(/\s+/g, ''));

it('a journal from before numbered steps keeps every row, and is read as before', (storage) => {
	storage.sql.exec(OLD_JOURNAL);
	const before = contentOf(storage);
	expect(Object.entries(before).filter(([, rows]) => rows.length === 0)).toEqual([]);

	const journal = new Journal(storage);
	expect(journal.refusal).toBeNull();
	expect(contentOf(storage)).toEqual(before);
	expect(rowsOf(storage, 'SELECT step FROM schema_steps')).toEqual([{ step: 1 }]);
	expect(journal.hasPaid('order-1')).toBe(true);
	expect(journal.signatureOf('refund-2')).toMatchObject({ raw: 'raw2', txId: 'tx2', orderId: 'order-2' });
	expect(journal.versions.of('payout-1').map(({ txId }) => txId)).toEqual(['0xtx1b', '0xtx1']);
	expect(journal.versions.undecided('Ethereum', 10)).toEqual([]);
	const spends = [
		...journal.spends({ network: 'Ethereum', payIn: '0x1111111111111111111111111111111111111111', now: 9_000 }),
	];
	expect(spends.map(encodeReservation)).toEqual(['nonce:7', '0x1111111111111111111111111111111111111111:nonce:0']);
	expect(journal.claimsAt('Litecoin', 'ltc1in0')).toMatchObject([{ txId: 'in1', amount: 200_000_000n }]);
	expect(journal.addressOrders.isOfAnother('order-3', 'Ethereum', '0xin0')).toBe(true);
	expect(journal.addresses.takeIndexes('evm', 1, 0)).toBe(3);
	expect(journal.signedOn('withdrawal', '2026-11-21')).toBe(70_000);
	expect(journal.earnings.payersOf(['order-1'])).toEqual(['earnings-4']);
	expect(journal.sweeps.sweepsAt('Ethereum', '0x1111111111111111111111111111111111111111')).toMatchObject([
		{ txId: '0xtx6', amount: 300_000_000n },
	]);
	expect(journal.givenUp.has({ payoutId: 'another', orderId: 'order-8', kind: 'payout' })).toBe(true);
});

test('a new journal has the same tables and indexes as one of that time', async () => {
	const schemaAfter = (name: string, sql: string) =>
		bareObject(name).run(({ storage }) => {
			storage.sql.exec(sql);
			takeSteps(storage);
			return schemaOf(storage).map((words) => words.replace('IFNOTEXISTS', ''));
		});
	expect(await schemaAfter('fresh', 'SELECT 1')).toEqual(await schemaAfter('old', OLD_JOURNAL));
});

it('a journal without the orders of addresses derives them from signed transactions', (storage) => {
	storage.sql.exec(OLD_JOURNAL);
	const before = rowsOf(storage, 'SELECT * FROM address_orders');
	storage.sql.exec('DROP TABLE address_orders');
	takeSteps(storage);
	expect(rowsOf(storage, 'SELECT * FROM address_orders')).toEqual(before);
});

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
