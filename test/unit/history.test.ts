/** Who writes D1 bends the history: each bend is named by its first row. */
import { between } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/d1';
import { beforeEach, describe, expect, it } from 'vitest';
import { writeAudit } from '../../src/audit/log.ts';
import { chainRows } from '../../src/operator/chained/append.ts';
import { acceptChain, markNewest, signHeads } from '../../src/operator/chained/heads.ts';
import { CHAINED, digestOf, lineOf, textOfLines } from '../../src/operator/chained/segment.ts';
import { chainedSegments } from '../../src/operator/chained/table.ts';
import { ACCEPTED, verifyHistory } from '../../src/operator/chained/verify.ts';
import type { OperatorEnv } from '../../src/operator/env.ts';
import type { Head, HeadKind, NewHead } from '../../src/ports/heads.ts';
import { Heads } from '../../src/signer/journal/heads.ts';
import { takeSteps } from '../../src/signer/journal/schema/steps.ts';
import { promiseKeysOf } from '../../src/signer/promises/keys.ts';
import { addOrders, addPartner } from '../support/database.ts';
import { type SqliteD1, sqliteD1 } from '../support/sqlite-d1.ts';
import { sqliteStorage } from '../support/sqlite-storage.ts';

const NOW = Date.UTC(2026, 10, 27);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const KEYS = promiseKeysOf({ DEPLOYMENT: 'history' }, new Uint8Array(64).fill(7));

let [store, now]: [SqliteD1, number] = [sqliteD1(), NOW];
let env: Pick<OperatorEnv, 'SIGNER' | 'BACKUPS'> & OperatorEnv;
const db = () => drizzle(store.d1);
const run = (statement: string, ...values: (string | number)[]) => store.run(statement, ...values);

/** A bucket as far as copies use it. */
function bucket() {
	const objects = new Map<string, string>();
	const got = (name: string) => {
		const text = objects.get(name);
		return text === undefined ? null : { json: async () => JSON.parse(text) };
	};
	return {
		put: async (name: string, text: string) => void objects.set(name, text),
		get: async (name: string) => got(name),
	};
}

/** The signer, as far as it signs heads. */
function signer() {
	const entries = new Map<string, unknown>();
	const kv = {
		get: (name: string) => entries.get(name),
		put: (name: string, value: unknown) => void entries.set(name, value),
		delete: (name: string) => entries.delete(name),
	};
	const storage = Object.assign(sqliteStorage(), { kv }) as unknown as DurableObjectStorage;
	takeSteps(storage);
	const heads = new Heads(storage);
	return {
		signHead: async (head: NewHead) => heads.sign(KEYS, head, Math.floor(now / 1000)),
		markHead: async (kind: HeadKind, marked: readonly Head[]) => heads.mark(kind, marked),
		heads: async (kind: HeadKind, after: number | null) => heads.after(kind, after),
	};
}

/** A move, an entry and a line of the audit log for each of so many orders, a minute apart. */
async function happen(first: number, count: number): Promise<void> {
	for (let order = first; order < first + count; order++) {
		now += MINUTE;
		run("INSERT INTO order_changes VALUES (null, ?1, 0, 'NEW', null, 'created', ?2)", `order-${order}`, now);
		run("INSERT INTO ledger_entries VALUES (null, ?1, 'settled', 'wallet', 'LTC', '5', ?2)", `order-${order}`, now);
		await writeAudit({ db: db(), now, actor: 'command' }, { command: 'order show', subject: null, changes: { order } });
		await chainRows(db(), now);
	}
}

const verified = () => verifyHistory({ env, db: db(), now }, 1);
const first = async () => (await verified()).first;

/** An hour ends: the head is signed. */
async function sign(): Promise<void> {
	now += HOUR;
	expect(await signHeads({ env, db: db() })).toBeNull();
}

/** Past the triggers, as who writes D1 may. */
function attack(...statements: readonly string[]): void {
	const names = run(
		"SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name IN ('audit_log', 'ledger_entries')",
	);
	for (const { name } of names) run(`DROP TRIGGER ${name}`);
	for (const statement of statements) run(statement);
}

/** Who writes D1 makes the chain again, from the rows that they have changed. */
async function chainAgain(): Promise<void> {
	let before = '';
	for (const segment of await db().select().from(chainedSegments)) {
		const table = CHAINED[segment.rowsOf] as (typeof CHAINED)['audit_log'];
		const rows = await db()
			.select()
			.from(table)
			.where(between(table.number, segment.first, segment.last));
		const lines = textOfLines(await Promise.all(rows.map((row) => lineOf(segment.rowsOf, row))));
		before = await digestOf(before, { ...segment, lines });
		run('UPDATE chained_segments SET lines = ?, digest = ? WHERE position = ?', lines, before, segment.position);
	}
}

/** `with`: the copies of the bucket name the row; else the signer's heads tell from when on. */
const REMEMBERING = [
	['with copies in the bucket', () => bucket()],
	['without a bucket', () => undefined],
] as const;

describe.each(REMEMBERING)('%s', (_, bucketOf) => {
	beforeEach(async () => {
		[store, now] = [sqliteD1(), NOW];
		await addPartner(run);
		await addOrders(run, { addresses: Array.from({ length: 30 }, (_, i) => `${i + 1}`), expiresAt: NOW });
		run("UPDATE orders SET id = 'order-' || pay_in_address");
		env = { SIGNER: signer(), BACKUPS: bucketOf() } as unknown as typeof env;
		await happen(1, 3);
		await sign();
		await happen(4, 3);
	});

	it('a history that nobody bent is as it was chained and signed', async () => {
		expect(await verified()).toMatchObject({ wrong: 0, first: null, rows: 18, uncompared: 0, unchained: 0, left: 0 });
		await sign();
		await sign();
		expect(await verified()).toMatchObject({ wrong: 0, segments: 18, late: 0 });
	});

	it('two runs at once chain each row once, and neither fails', async () => {
		for (const order of [20, 21])
			run("INSERT INTO order_changes VALUES (null, ?1, 0, 'NEW', null, 'created', ?2)", `order-${order}`, now);
		expect(await Promise.all([chainRows(db(), now), chainRows(db(), now)])).toEqual([true, true]);
		expect(await verified()).toMatchObject({ wrong: 0, first: null });
	});

	it.each([
		['order_changes', "UPDATE order_changes SET status = 'DONE' WHERE number = 2", 'order-2 0'],
		['ledger_entries', "UPDATE ledger_entries SET amount = '6' WHERE number = 2", 'order-2 settled wallet LTC'],
		['audit_log', "UPDATE audit_log SET actor = 'nobody' WHERE number = 2", 'order show'],
		['ledger_entries', 'UPDATE ledger_entries SET at = at + 1 WHERE number = 5', 'order-5 settled wallet LTC'],
	])('a row of %s that was changed is named (%s)', async (table, statement, name) => {
		attack(statement);
		expect(await first()).toMatch(new RegExp(`^row [25] of ${table} \\(${name}, of 2026-11-27T.*\\) was changed$`));
		expect((await verified()).wrong).toBe(1);
	});

	it('a row that was removed is named, and one that is put in its place', async () => {
		attack('DELETE FROM order_changes WHERE number = 3');
		expect(await first()).toBe('row 3 of order_changes (order-3 0, of 2026-11-27T00:03:00.000Z) was removed');
		attack("INSERT INTO order_changes VALUES (3, 'order-28', 0, 'NEW', null, 'created', 1)");
		expect(await first()).toContain('row 3 of order_changes (order-3 0, of 2026-11-27T00:03:00.000Z) was changed');
	});

	it('a row that was removed before it was chained leaves a gap, which is named', async () => {
		await happen(7, 1);
		run("INSERT INTO order_changes VALUES (null, 'order-29', 0, 'NEW', null, 'created', ?)", now);
		attack("DELETE FROM order_changes WHERE order_id = 'order-29'");
		await happen(8, 1);
		expect(await first()).toMatch(/^row 8 of order_changes was removed before it was chained/);
	});

	it('a row that is inserted in the past is named, whatever its number', async () => {
		const old = NOW - 48 * HOUR;
		attack(`INSERT INTO ledger_entries VALUES (-1, 'order-30', 'paid', 'partner', 'LTC', '-9', ${old})`);
		expect(await first()).toMatch(
			/^row -1 of ledger_entries \(order-30 paid partner LTC, of 2026-11-25.*inserted later/,
		);
		attack('DELETE FROM ledger_entries WHERE number = -1');
		expect(await first()).toBeNull();
		attack(`INSERT INTO ledger_entries VALUES (null, 'order-30', 'paid', 'partner', 'LTC', '-9', ${old})`);
		await happen(7, 1);
		expect(await first()).toMatch(
			/^row 7 of ledger_entries \(order-30 paid partner LTC, of 2026-11-25.*inserted later/,
		);
	});

	it('a database that was set back with its chain is noticed at the next hour, also once it has grown again', async () => {
		await sign();
		attack(
			...['order_changes', 'ledger_entries', 'audit_log'].map((table) => `DELETE FROM ${table} WHERE number > 4`),
			'DELETE FROM chained_segments WHERE position > 12',
			'DELETE FROM sqlite_sequence',
		);
		expect(await first()).toMatch(/^the database was set back: its history ends at .* has seen more of it$/);
		expect(await signHeads({ env, db: db() })).toMatchObject({ position: 18 });
		await happen(11, 9);
		expect(await signHeads({ env, db: db() })).toMatchObject({ position: 18 });
		const { wrong, found } = await verified();
		expect(wrong).toBeGreaterThan(0);
		const named = env.BACKUPS ? /^row 5 of \w+ \(.*\) was changed$/ : /^rows and chain were changed together/;
		expect(found[0]?.sentence).toMatch(named);
	});

	it('a database that was set back to any minute since the last head is noticed in the next minute', async () => {
		expect(await markNewest({ env, db: db() })).toBeNull();
		const saved = store.sqlite.serialize();
		await happen(7, 1);
		expect(await markNewest({ env, db: db() })).toBeNull();
		store.sqlite.deserialize(saved);
		expect(await markNewest({ env, db: db() })).toMatchObject({ position: 21 });
		expect(await first()).toMatch(/^the database was set back/);
		await happen(8, 3);
		expect(await markNewest({ env, db: db() })).toMatchObject({ position: 21 });
		expect(await first()).toMatch(/^rows and chain were changed together/);
		await acceptChain({ env, db: db() });
		expect(await markNewest({ env, db: db() })).toBeNull();
		expect(await first()).toBeNull();
	});

	it('rows and chain that were rewritten together are noticed: by the row where the bucket has copies', async () => {
		await sign();
		attack("UPDATE ledger_entries SET amount = '7' WHERE number = 2");
		await chainAgain();
		const named = env.BACKUPS
			? 'row 2 of ledger_entries (order-2 settled wallet LTC, of 2026-11-27T00:02:00.000Z) was changed'
			: 'rows and chain were changed together: what was chained from ';
		expect(await first()).toContain(named);
		expect(await signHeads({ env, db: db() })).toMatchObject({ position: 18 });
	});

	it('a segment of the chain that was changed or removed is named', async () => {
		const before = run('SELECT * FROM chained_segments WHERE position = 14');
		attack("UPDATE chained_segments SET lines = replace(lines, 'order-5', 'order-6') WHERE position = 14");
		expect((await verified()).found.map(({ sentence }) => sentence)).toContainEqual(
			expect.stringMatching(/^segment 14 of the chain/),
		);
		expect(before).toHaveLength(1);
		attack('DELETE FROM chained_segments WHERE position = 14');
		expect(await first()).toMatch(/^segment 14 of the chain/);
	});

	it('a person who knows why accepts it: it counts as it is, and the next bend is found as always', async () => {
		await sign();
		attack(
			"UPDATE audit_log SET actor = 'nobody' WHERE number = 1",
			...['order_changes', 'ledger_entries', 'audit_log'].map((table) => `DELETE FROM ${table} WHERE number > 4`),
			'DELETE FROM chained_segments WHERE position > 12',
			'DELETE FROM sqlite_sequence',
		);
		const found = (await verified()).found.map(({ what }) => what);
		expect(found.length).toBeGreaterThan(1);
		now += MINUTE;
		await writeAudit({ db: db(), now, actor: 'command' }, { command: ACCEPTED, subject: null, changes: { found } });
		await chainRows(db(), now);
		expect((await verified()).wrong).toBeGreaterThan(0);
		await acceptChain({ env, db: db() });
		expect(await verified()).toMatchObject({ wrong: 0, accepted: 1 });
		await happen(21, 2);
		await sign();
		expect(await verified()).toMatchObject({ wrong: 0, accepted: 1 });
		attack("UPDATE order_changes SET status = 'DONE' WHERE number = 2");
		expect(await first()).toContain('row 2 of order_changes');
	});
});
