/** `doctor` and `GET /healthz`: whether a deployment has what it needs, and if not, what to do. */
import { describe, expect, it } from 'vitest';
import { MIGRATIONS } from '../../src/platform/d1/migrations.ts';
import { operatorOf } from '../support/operator.ts';
import { serviceForFile } from '../support/service.ts';

const service = serviceForFile();
const { run, json } = operatorOf(service.current);

interface Row {
	readonly area: string;
	readonly what: string;
	readonly state: string;
	readonly detail: string;
	readonly todo: string | null;
}

interface Examined {
	readonly wrong: number;
	readonly unknown: number;
	readonly rows: readonly Row[];
}

const examined = () => service.current().operator<Examined>('doctor');
const rowOf = (rows: readonly Row[], area: string, what?: string) =>
	rows.find((row) => row.area === area && (what === undefined || row.what === what));

describe('doctor', () => {
	it('finds a service in order: every part of it is examined and fine, with exit status 0', async () => {
		const { rows } = await json<Examined>('doctor');
		expect(rows.filter(({ state }) => state !== 'fine')).toEqual([]);
		expect(new Set(rows.map(({ area }) => area))).toEqual(
			new Set([
				'configuration',
				'keys',
				'network',
				'versions',
				'database',
				'journal',
				'queue',
				'cron',
				'clock',
				'price',
				'addresses',
				'reserve',
				'cap',
				'switch',
				'webhook',
			]),
		);
		const said = (area: string, what: string) => rowOf(rows, area, what)?.detail;
		expect(said('keys', 'SEAL_KEY')).toBe('the same in each Worker that has it');
		expect(said('keys', 'SEED')).toMatch(/^fingerprint [0-9a-f]{8}/);
		expect(said('database', 'migrations')).toBe(`all ${MIGRATIONS.length} are applied`);
		expect(said('queue', 'webhooks')).toMatch(/^a message came back after \d+ ms$/);
		expect(said('journal', 'signer')).toMatch(/^begun at 20\d\d-[-\d]+T[:.\d]+Z, \d+\.\d MB, 1 % of what it may have$/);
		expect(said('database', 'size')).toMatch(/^\d+\.\d MB, 1 % of what it may have$/);
		expect(said('versions', 'API')).toContain(`made for migration ${MIGRATIONS.at(-1)}`);
		expect(said('versions', 'signer')).toMatch(/^version [0-9a-f-]{36}/);
		expect(said('clock', 'this command')).toMatch(/^[0-5] s from the operator Worker's clock$/);
		expect(rowOf(rows, 'network')?.detail).toBe('runs on an embedded ledger: no coins, no node');
	});

	it('names what is wrong and the command that corrects it, with exit status 1', async () => {
		const { operator, sql } = service.current();
		const last = MIGRATIONS.at(-1) ?? '';
		await operator('network/update', { name: 'Litecoin', send: false });
		await sql('delete from d1_migrations where name = ?', last);
		const { status, stdout, stderr } = await run('doctor', '--wide');
		await sql('insert into d1_migrations (name) values (?)', last);
		await operator('network/update', { name: 'Litecoin', send: true });
		expect([status, stderr]).toEqual([1, 'something is wrong; the answer says what, and what to do\n']);
		expect(stdout).toMatch(/^ +AREA +WHAT +STATE +DETAIL +TODO$/m);
		expect(stdout).toMatch(new RegExp(`database +migrations +wrong +not applied: ${last} +npx wrangler d1 migrations`));
		expect(stdout).toMatch(/switch +Litecoin +wrong +payouts are off.*network update Litecoin --send on/);
	});

	it('goes on where a part fails: that row is unknown and says why', async () => {
		const { sql } = service.current();
		await sql('alter table transactions rename to transactions_away');
		const { rows, wrong, unknown } = await examined();
		await sql('alter table transactions_away rename to transactions');
		expect([wrong, unknown]).toEqual([0, 1]);
		expect(rowOf(rows, 'reserve')).toMatchObject({ state: 'unknown', detail: expect.stringContaining('transactions') });
		expect(rowOf(rows, 'queue')?.state).toBe('fine');
	});

	it('says when the clock of who asks is wrong', async () => {
		const { url, local } = service.current();
		const headers = {
			authorization: `Bearer ${local.secrets.OPERATOR_TOKEN}`,
			'x-caller-time': String(Date.now() - 3_600_000),
		};
		const response = await fetch(`${url}/operator/v1/doctor`, { method: 'POST', headers });
		const { data } = (await response.json()) as { data: Examined };
		const row = rowOf(data.rows, 'clock', 'this command');
		expect(row).toMatchObject({
			state: 'wrong',
			detail: expect.stringMatching(/^360\d s from the operator Worker's clock/),
		});
	});
});

describe('GET /healthz', () => {
	it('says ok to anybody, and is kept by no cache', async () => {
		const { url } = service.current();
		const answer = await fetch(`${url}/healthz`);
		expect([answer.status, await answer.text()]).toEqual([200, 'ok\n']);
		expect(answer.headers.get('cache-control')).toBe('no-store');
		expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
		expect((await fetch(`${url}/healthz`, { method: 'HEAD' })).status).toBe(200);
		expect((await fetch(`${url}/healthz`, { method: 'POST' })).status).toBe(404);
	});
});
