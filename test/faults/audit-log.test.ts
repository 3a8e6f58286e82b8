/** An attacker who writes D1 wants the audit log to forget what they did. */
import { beforeAll, describe, expect, it } from 'vitest';
import type { Row } from '../../src/operator/doctor/row.ts';
import { operatorOf } from '../support/operator.ts';
import { create } from '../support/orders.ts';
import { createPartner } from '../support/partner.ts';
import { serviceForFile } from '../support/service.ts';

const file = serviceForFile();
const { run, json } = operatorOf(() => file.current());

interface Verified {
	readonly lines: number;
	readonly wrong: number;
	readonly accepted: number;
	readonly broken: readonly { what: string; number: number }[];
	readonly triggers: readonly string[];
}

const verified = () => file.current().operator<Verified>('audit/verify');
const sql = (statement: string, ...values: (string | number)[]) => file.current().sql(statement, ...values);
const newest = async (): Promise<number> =>
	Number((await sql('SELECT max(number) AS number FROM audit_log'))[0]?.['number']);
const doctorRow = async (): Promise<Row | undefined> =>
	(await file.current().operator<{ rows: Row[] }>('doctor')).rows.find(({ what }) => what === 'audit log');

/** Without its triggers, whose names are in the schema for everybody who writes it. */
async function withoutTriggers(attack: () => Promise<unknown>): Promise<void> {
	const triggers = await sql("SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'audit_log'");
	for (const { name } of triggers) await sql(`DROP TRIGGER ${name}`);
	await attack();
	for (const { sql: text } of triggers) await sql(String(text));
}

beforeAll(async () => {
	for (let partner = 0; partner < 3; partner++) await createPartner(file.current());
});

describe('the audit log', () => {
	it.each([
		['deleted', 'DELETE FROM audit_log'],
		['changed', "UPDATE audit_log SET actor = 'nobody'"],
		['replaced', "INSERT OR REPLACE INTO audit_log SELECT number, id, 0, 'x', null, '{}', 'x' FROM audit_log"],
		[
			'replaced under another number',
			"INSERT OR REPLACE INTO audit_log SELECT null, id, 0, 'x', null, '{}', 'x' FROM audit_log",
		],
	])('is not %s by SQL', async (_, statement) => {
		await expect(sql(statement)).rejects.toThrow('refused: a line of the audit log is never');
		expect(await verified()).toMatchObject({ wrong: 0, broken: [], triggers: [] });
	});

	it('is chained by what writes it at the same time, each line once', async () => {
		const before = await verified();
		await Promise.all(Array.from({ length: 12 }, () => createPartner(file.current())));
		expect(await verified()).toMatchObject({ lines: before.lines + 12, wrong: 0 });
		expect(await doctorRow()).toMatchObject({ state: 'fine', detail: expect.stringContaining('none missing') });
	});
});

describe('who takes the triggers away', () => {
	it('and deletes the newest lines is seen within a minute, and by doctor, until a person says why', async () => {
		const last = await newest();
		await withoutTriggers(() => sql('DELETE FROM audit_log WHERE number > ?', last - 2));
		await file.current().local.runScheduled();
		const waiting = await file.current().operator<{ subject: string; cause: string; todo: string }[]>('attention');
		expect(waiting.find(({ subject }) => subject === 'audit')?.todo).toContain('audit verify');
		expect(await doctorRow()).toMatchObject({ state: 'wrong', detail: expect.stringMatching(/^2 wrong: line \d+/) });
		const { status, stderr } = await run('audit', 'verify');
		expect([status, stderr]).toEqual([1, expect.stringContaining('not as it was written')]);
		expect((await verified()).broken.map(({ what, number }) => [what, number])).toEqual([
			['missing', last - 1],
			['missing', last],
		]);
		await json('audit', 'accept', '--reason', 'I have deleted them');
		expect(await verified()).toMatchObject({ wrong: 0, accepted: 2 });
		const [line] = await json<{ command: string; changes: { reason: string } }[]>('audit', 'list', '--limit', '1');
		expect(line).toMatchObject({ command: 'audit accept', changes: { reason: 'I have deleted them', wrong: 2 } });
	});

	it('and changes a line is told which', async () => {
		const line = 3;
		const [before] = await sql('SELECT actor FROM audit_log WHERE number = ?', line);
		await withoutTriggers(() => sql("UPDATE audit_log SET actor = 'somebody else' WHERE number = ?", line));
		expect((await verified()).broken.map(({ what, number }) => [what, number])).toEqual([['rewritten', line]]);
		await withoutTriggers(() =>
			sql('UPDATE audit_log SET actor = ? WHERE number = ?', String(before?.['actor']), line),
		);
		expect((await verified()).wrong).toBe(0);
	});

	it('and empties it is told of every line', async () => {
		const { lines, accepted } = await verified();
		const rows = await sql('SELECT * FROM audit_log');
		await withoutTriggers(() => sql('DELETE FROM audit_log'));
		expect((await verified()).wrong).toBe(lines - accepted);
		for (const row of rows)
			await sql('INSERT INTO audit_log VALUES (?, ?, ?, ?, ?, ?, ?)', ...(Object.values(row) as string[]));
		expect((await verified()).wrong).toBe(0);
	});

	it('and deletes lines before the signer sees them leaves a gap', async () => {
		await withoutTriggers(async () => {
			await sql("INSERT INTO audit_log (id, at, command, changes, actor) VALUES ('hidden', 0, 'x', '{}', 'x')");
			await sql("DELETE FROM audit_log WHERE id = 'hidden'");
		});
		await createPartner(file.current());
		expect((await verified()).broken.map(({ what }) => what)).toEqual(['gap']);
		await json('audit', 'accept', '--reason', 'a test');
		expect((await verified()).wrong).toBe(0);
	});

	it('and leaves them away, or puts others in their place, is seen too', async () => {
		const [trigger] = await sql("SELECT sql FROM sqlite_master WHERE name = 'audit_log_kept'");
		await sql('DROP TRIGGER audit_log_kept');
		expect((await verified()).triggers).toEqual(['the trigger audit_log_kept is missing']);
		await sql('CREATE TRIGGER audit_log_kept BEFORE DELETE ON audit_log BEGIN SELECT 1; END');
		expect((await verified()).triggers).toEqual(['the trigger audit_log_kept is none of the service']);
		await sql('DROP TRIGGER audit_log_kept');
		await sql(String(trigger?.['sql']));
		expect((await verified()).wrong).toBe(0);
	});
});

describe('the history', () => {
	const historyWrong = async () => {
		const { status, stdout, stderr } = await run('history', 'verify', '--json');
		return { status, stderr, ...(JSON.parse(stdout) as { wrong: number; first: string | null }) };
	};
	const hour = async () => {
		await sql("UPDATE periodic_checks SET due_at = 0 WHERE name = 'books'");
		await file.current().local.runScheduled();
	};

	it('that is bent is named by its first row, told by attention within the hour, and accepted by a person', async () => {
		await json('history', 'accept', '--reason', 'the tests above');
		await create(file.current(), await createPartner(file.current()));
		await hour();
		expect(await historyWrong()).toMatchObject({ status: 0, wrong: 0, first: null });
		await sql("UPDATE order_changes SET cause = 'something else' WHERE number = 1");
		expect(await historyWrong()).toMatchObject({
			status: 1,
			stderr: expect.stringContaining('not as it was chained and signed'),
			wrong: 1,
			first: expect.stringMatching(/^row 1 of order_changes \([-0-9a-f]{36} 0, of .*\) was changed$/),
		});
		await hour();
		const waiting = await file.current().operator<{ subject: string; cause: string; todo: string }[]>('attention');
		const told = waiting.find(({ subject }) => subject === 'history');
		expect(told).toMatchObject({ cause: expect.stringContaining('row 1 of order_changes') });
		expect(told?.todo).toContain('`history accept --reason R`');
		await json('history', 'accept', '--reason', 'a test');
		expect(await historyWrong()).toMatchObject({ status: 0, wrong: 0 });
		await file.current().local.runScheduled();
		expect(
			(await file.current().operator<{ subject: string }[]>('attention')).map(({ subject }) => subject),
		).not.toContain('history');
	});
});
