/** Who writes D1 bends the history: each bend is named by its first row. */
import { beforeEach, describe, expect, it } from 'vitest';
import { writeAudit } from '../../src/audit/log.ts';
import { chainRows } from '../../src/operator/chained/append.ts';
import { acceptChain, markNewest, signHeads } from '../../src/operator/chained/heads.ts';
import { ACCEPTED, verifyHistory } from '../../src/operator/chained/verify.ts';
import { ChainedHistory, chainBucket, HOUR, KEYS, MINUTE, NOW } from '../support/chained-history.ts';

let history: ChainedHistory;
const verified = () => verifyHistory(history.means, 1);
const first = async () => (await verified()).first;

/** As a person accepts it. `unsigned`: what holds as long as the signer has not signed that. */
async function accept(unsigned = async () => {}): Promise<void> {
	const found = (await verified()).found.map(({ what }) => what);
	history.now += MINUTE;
	await writeAudit({ ...history.means, actor: 'command' }, { command: ACCEPTED, subject: null, changes: { found } });
	await chainRows(history.means.db, history.now);
	await unsigned();
	await acceptChain(history.means);
}

/** `with`: the copies of the bucket name the row; else the signer's heads tell from when on. */
const REMEMBERING = [
	['with copies in the bucket', () => chainBucket()],
	['without a bucket', () => undefined],
] as const;

describe.each(REMEMBERING)('%s', (_, bucketOf) => {
	beforeEach(async () => {
		history = await ChainedHistory.begun(bucketOf());
	});

	it('a history that nobody bent is as it was chained and signed', async () => {
		expect(await verified()).toMatchObject({ wrong: 0, first: null, rows: 18, uncompared: 0, unchained: 0, left: 0 });
		await history.sign();
		await history.sign();
		expect(await verified()).toMatchObject({ wrong: 0, segments: 18, late: 0 });
	});

	it('two runs at once chain each row once, and neither fails', async () => {
		const { db, now } = history.means;
		for (const order of [20, 21])
			history.run("INSERT INTO order_changes VALUES (null, ?1, 0, 'NEW', null, 'created', ?2)", `order-${order}`, now);
		expect(await Promise.all([chainRows(db, now), chainRows(db, now)])).toEqual([true, true]);
		expect(await verified()).toMatchObject({ wrong: 0, first: null });
	});

	it.each([
		['order_changes', "UPDATE order_changes SET status = 'DONE' WHERE number = 2", 'order-2 0'],
		['ledger_entries', "UPDATE ledger_entries SET amount = '6' WHERE number = 2", 'order-2 settled wallet LTC'],
		['audit_log', "UPDATE audit_log SET actor = 'nobody' WHERE number = 2", 'order show'],
		['ledger_entries', 'UPDATE ledger_entries SET at = at + 1 WHERE number = 5', 'order-5 settled wallet LTC'],
	])('a row of %s that was changed is named (%s)', async (table, statement, name) => {
		history.attack(statement);
		expect(await first()).toMatch(new RegExp(`^row [25] of ${table} \\(${name}, of 2026-11-27T.*\\) was changed$`));
		expect((await verified()).wrong).toBe(1);
	});

	it('a row that was removed is named, and one that is put in its place', async () => {
		history.attack('DELETE FROM order_changes WHERE number = 3');
		expect(await first()).toBe('row 3 of order_changes (order-3 0, of 2026-11-27T00:03:00.000Z) was removed');
		history.attack("INSERT INTO order_changes VALUES (3, 'order-28', 0, 'NEW', null, 'created', 1)");
		expect(await first()).toContain('row 3 of order_changes (order-3 0, of 2026-11-27T00:03:00.000Z) was changed');
	});

	it('a row that was removed before it was chained leaves a gap, which is named', async () => {
		await history.happen(7, 1);
		history.run("INSERT INTO order_changes VALUES (null, 'order-29', 0, 'NEW', null, 'created', ?)", history.now);
		history.attack("DELETE FROM order_changes WHERE order_id = 'order-29'");
		await history.happen(8, 1);
		expect(await first()).toMatch(/^row 8 of order_changes was removed before it was chained/);
	});

	it('a row that is inserted in the past is named, whatever its number', async () => {
		const old = NOW - 48 * HOUR;
		history.attack(`INSERT INTO ledger_entries VALUES (-1, 'order-30', 'paid', 'partner', 'LTC', '-9', ${old})`);
		expect(await first()).toMatch(
			/^row -1 of ledger_entries \(order-30 paid partner LTC, of 2026-11-25.*inserted later/,
		);
		history.attack('DELETE FROM ledger_entries WHERE number = -1');
		expect(await first()).toBeNull();
		history.attack(`INSERT INTO ledger_entries VALUES (null, 'order-30', 'paid', 'partner', 'LTC', '-9', ${old})`);
		await history.happen(7, 1);
		expect(await first()).toMatch(
			/^row 7 of ledger_entries \(order-30 paid partner LTC, of 2026-11-25.*inserted later/,
		);
	});

	it('a database that was set back with its chain is noticed at the next hour, also once it has grown again', async () => {
		await history.sign();
		history.attack(
			...['order_changes', 'ledger_entries', 'audit_log'].map((table) => `DELETE FROM ${table} WHERE number > 4`),
			'DELETE FROM chained_segments WHERE position > 12',
			'DELETE FROM sqlite_sequence',
		);
		expect(await first()).toMatch(/^the database was set back: its history ends at .* has seen more of it$/);
		expect(await signHeads(history.means)).toMatchObject({ position: 18 });
		await history.happen(11, 9);
		expect(await signHeads(history.means)).toMatchObject({ position: 18 });
		const { wrong, found } = await verified();
		expect(wrong).toBeGreaterThan(0);
		const named = history.env.BACKUPS ? /^row 5 of \w+ \(.*\) was changed$/ : /^rows and chain were changed together/;
		expect(found[0]?.sentence).toMatch(named);
	});

	it('a database that was set back to any minute since the last head is noticed in the next minute', async () => {
		expect(await markNewest(history.means)).toBeNull();
		const setBack = history.keep();
		await history.happen(7, 1);
		expect(await markNewest(history.means)).toBeNull();
		setBack();
		expect(await markNewest(history.means)).toMatchObject({ position: 21 });
		expect(await first()).toMatch(/^the database was set back/);
		await history.happen(8, 3);
		expect(await markNewest(history.means)).toMatchObject({ position: 21 });
		expect(await first()).toMatch(/^rows and chain were changed together/);
		await acceptChain(history.means);
		expect(await markNewest(history.means)).toBeNull();
		expect(await first()).toBeNull();
	});

	it('rows and chain that were rewritten together are noticed: by the row where the bucket has copies', async () => {
		await history.sign();
		history.attack("UPDATE ledger_entries SET amount = '7' WHERE number = 2");
		await history.chainAgain();
		const named = history.env.BACKUPS
			? 'row 2 of ledger_entries (order-2 settled wallet LTC, of 2026-11-27T00:02:00.000Z) was changed'
			: 'rows and chain were changed together: what was chained from ';
		expect(await first()).toContain(named);
		expect(await signHeads(history.means)).toMatchObject({ position: 18 });
	});

	it('a segment of the chain that was changed or removed is named', async () => {
		const before = history.run('SELECT * FROM chained_segments WHERE position = 14');
		history.attack("UPDATE chained_segments SET lines = replace(lines, 'order-5', 'order-6') WHERE position = 14");
		expect((await verified()).found.map(({ sentence }) => sentence)).toContainEqual(
			expect.stringMatching(/^segment 14 of the chain/),
		);
		expect(before).toHaveLength(1);
		history.attack('DELETE FROM chained_segments WHERE position = 14');
		expect(await first()).toMatch(/^segment 14 of the chain/);
	});

	it('a person who knows why accepts it: it counts as it is, and the next bend is found as always', async () => {
		await history.sign();
		history.attack(
			"UPDATE audit_log SET actor = 'nobody' WHERE number = 1",
			...['order_changes', 'ledger_entries', 'audit_log'].map((table) => `DELETE FROM ${table} WHERE number > 4`),
			'DELETE FROM chained_segments WHERE position > 12',
			'DELETE FROM sqlite_sequence',
		);
		expect((await verified()).wrong).toBeGreaterThan(1);
		await accept(async () => expect((await verified()).wrong).toBeGreaterThan(0));
		expect(await verified()).toMatchObject({ wrong: 0, accepted: 1 });
		await history.happen(21, 2);
		await history.sign();
		expect(await verified()).toMatchObject({ wrong: 0, accepted: 1 });
		history.attack("UPDATE order_changes SET status = 'DONE' WHERE number = 2");
		expect(await first()).toContain('row 2 of order_changes');
	});

	it('a signer whose journal was set back with the database is noticed by the bucket, also once it has signed again', async () => {
		const setBack = history.keep({ signer: true });
		await history.sign();
		await history.happen(7, 3);
		await history.sign();
		const at = '2026-11-27T03:09:00.000Z';
		setBack();
		const named = history.env.BACKUPS
			? `the signer’s journal was set back, alone or with the database: the bucket has a head of ${at} that it has signed and does not know`
			: null;
		expect(await first()).toBe(named);
		await history.happen(11, 2);
		await history.sign();
		expect(await first()).toBe(named);
		await accept();
		expect(await verified()).toMatchObject({ wrong: 0, accepted: named ? 1 : 0 });
		await history.happen(13, 2);
		await history.sign();
		expect(await verified()).toMatchObject({ wrong: 0, accepted: named ? 1 : 0 });
	});
});

describe('the signed heads in the bucket', () => {
	it('stay as they are, and one that the signer has not signed says nothing', async () => {
		const bucket = chainBucket();
		history = await ChainedHistory.begun(bucket);
		const [name = '', text = ''] = [...bucket.objects].find(([key]) => key.startsWith('history/heads/')) ?? [];
		const head = JSON.parse(text);
		const forged = { ...head, statement: head.statement.replace('"position":9', '"position":90') };
		bucket.objects.set(`${name}0`, JSON.stringify(forged));
		bucket.objects.set(`${name}1`, 'no head');
		const ofSolvency = KEYS.sign(head.statement.replace('"history"', '"solvency"'), head.at);
		bucket.objects.set(`${name}2`, JSON.stringify(ofSolvency));
		await history.sign();
		expect(await verified()).toMatchObject({ wrong: 0 });
		expect(bucket.objects.get(name)).toBe(text);
	});
});
