/** The history as an auditor verifies it: dumps of the database and what lies in the bucket, by the command, and no service. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { runCommand } from '../../src/operator/cli/main.ts';
import { type ChainBucket, ChainedHistory, chainBucket, HOUR, KEYS } from '../support/chained-history.ts';
import { dumpOf } from '../support/exported-history.ts';

const KEY = KEYS.published().keys[0]?.publicKey ?? '';

let history: ChainedHistory;
let bucket: ChainBucket;
beforeEach(async () => {
	bucket = chainBucket();
	history = await ChainedHistory.begun(bucket);
	await history.sign();
});

/** What was written for an auditor. */
function exported(dump = dumpOf(history.store.sqlite)): string {
	const folder = mkdtempSync(join(tmpdir(), 'history-'));
	onTestFinished(() => rmSync(folder, { recursive: true }));
	writeFileSync(join(folder, 'database.sql'), dump);
	for (const [name, text] of bucket.objects) {
		mkdirSync(dirname(join(folder, name)), { recursive: true });
		writeFileSync(join(folder, name), text);
	}
	return folder;
}

async function proven(folder = exported(), key = KEY) {
	const [lines, complaints]: [string[], string[]] = [[], []];
	const output = { write: (text: string) => void lines.push(text), columns: 80, isTTY: false };
	const terminal = {
		output,
		complain: (line: string) => void complaints.push(line),
		environment: {},
		secret: async () => '',
	};
	const status = await runCommand(['proof', 'history', folder, '--key', key], terminal as never);
	return { status, text: lines.join(''), complaints };
}

const headNames = () => [...bucket.objects.keys()].filter((name) => name.startsWith('history/heads/')).sort();

describe('from files alone', () => {
	it('a history that nobody bent is as it was chained and signed', async () => {
		expect(await proven()).toEqual({
			status: 0,
			text: '18 rows in 18 segments, chained until 2026-11-27T01:06:00.000Z, signed until 2026-11-27T02:06:00.000Z.\n',
			complaints: [],
		});
	});

	it.each([
		[
			'changed',
			"UPDATE ledger_entries SET amount = '6' WHERE number = 2",
			'row 2 of ledger_entries (order-2 settled wallet LTC, of 2026-11-27T00:02:00.000Z) was changed',
		],
		[
			'removed',
			'DELETE FROM order_changes WHERE number = 3',
			'row 3 of order_changes (order-3 0, of 2026-11-27T00:03:00.000Z) was removed',
		],
		[
			'inserted',
			"INSERT INTO ledger_entries VALUES (-1, 'order-30', 'paid', 'partner', 'LTC', '-9', 1764000000000)",
			'row -1 of ledger_entries (order-30 paid partner LTC, of 2025-11-24T16:00:00.000Z) was inserted later than its time says',
		],
	])('a row that was %s is named, with exit status 1', async (_, statement, sentence) => {
		history.attack(statement);
		expect(await proven()).toMatchObject({ status: 1, complaints: [sentence] });
	});

	it('a row that was rewritten with its chain is named, and a database that was set back', async () => {
		const setBack = history.keep();
		history.attack("UPDATE ledger_entries SET amount = '7' WHERE number = 5");
		await history.chainAgain();
		expect((await proven()).complaints[0]).toMatch(/^row 5 of ledger_entries \(order-5 .*\) was changed$/);
		setBack();
		await history.happen(7, 2);
		await history.sign();
		setBack();
		const { status, complaints } = await proven();
		expect([status, complaints[0]]).toEqual([
			1,
			expect.stringMatching(/^the database was set back: its history ends at/),
		]);
	});

	it('a signer that was set back with the database is told by the heads that it signed before', async () => {
		const setBack = history.keep({ signer: true });
		await history.happen(7, 2);
		await history.sign();
		setBack();
		await history.happen(9, 2);
		await history.sign();
		const { status, complaints } = await proven();
		expect([status, complaints[0]]).toEqual([1, expect.stringMatching(/^the signer’s journal was set back, alone or/)]);
	});

	it('a head that is missing, or that no trusted key has signed, is named', async () => {
		await history.happen(7, 1);
		await history.sign();
		const [, second = ''] = headNames();
		const text = bucket.objects.get(second) ?? '';
		bucket.objects.delete(second);
		const missing = 'a signed head is missing: the one before that of 2026-11-27T03:07:00.000Z';
		expect(await proven()).toMatchObject({ status: 1, complaints: expect.arrayContaining([missing]) });
		bucket.objects.set(second, text.replace('\\"position\\":18', '\\"position\\":17'));
		const forged = expect.stringMatching(/^history\/heads\/\S+ proves nothing: /);
		expect(await proven()).toMatchObject({ status: 1, complaints: expect.arrayContaining([forged]) });
		const other = Buffer.from(new Uint8Array(32).fill(9)).toString('base64');
		expect(await proven(exported(), other)).toMatchObject({ status: 1, complaints: [forged] });
	});

	it('rows without a copy of their lines, or beyond the last head, are not compared: exit status 3', async () => {
		const copy = [...bucket.objects.keys()].find((name) => /^history\/\d/.test(name)) ?? '';
		const text = bucket.objects.get(copy) ?? '';
		bucket.objects.delete(copy);
		expect(await proven()).toMatchObject({
			status: 3,
			complaints: ['9 rows could not be compared: no file has their lines'],
		});
		bucket.objects.set(copy, text);
		const [, second = ''] = headNames();
		bucket.objects.delete(second);
		history.now += 3 * HOUR;
		await history.happen(7, 1);
		const unsigned = 'the newest rows are not chained, or no head of the last two hours is here';
		expect(await proven()).toMatchObject({
			status: 3,
			complaints: ['9 rows could not be compared: no file has their lines', unsigned],
		});
	});

	it('a dump does nothing but bring rows: no file is written, no row is doubled, no table is another', async () => {
		const dump = dumpOf(history.store.sqlite);
		const folder = exported(`${dump}\nATTACH '${join(tmpdir(), 'attached.db')}' AS other;`);
		const refused = [expect.stringContaining('database.sql is no dump of a database of this version')];
		expect(await proven(folder)).toMatchObject({ status: 1, complaints: refused });
		const [line = ''] = dump.split('\n').filter((text) => text.startsWith('INSERT INTO "ledger_entries"'));
		const loose = dump.replace(/CREATE TABLE ledger_entries[^;]+;/, 'CREATE TABLE ledger_entries (number, at);');
		expect(await proven(exported(`${loose}\n${line}`))).toMatchObject({ status: 1, complaints: refused });
		const hidden = `DROP TABLE ledger_entries; CREATE VIEW ledger_entries AS SELECT 1; PRAGMA writable_schema = on;`;
		expect((await proven(exported(`${dump}\n${hidden}`))).status).toBe(0);
	});

	it('an empty folder says what is missing', async () => {
		bucket.objects.clear();
		expect((await proven()).complaints).toEqual([expect.stringContaining('has no signed heads')]);
	});
});
