/** The proof of an hour at its user's side: the operator switches it on, payers and partners fetch theirs, and check it (book: solvency). */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OwnFile, SolvencyFile, SolvencyStatement } from '../../src/ports/solvency.ts';
import type { PromiseKeys } from '../../src/sdk/index.ts';
import { CabinetVisitor } from '../support/cabinet.ts';
import { earn } from '../support/earnings.ts';
import { operatorOf } from '../support/operator.ts';
import { type CreatedOrder, create, untilStatus } from '../support/orders.ts';
import { type Credentials, createPartner } from '../support/partner.ts';
import { eventually, serviceForFile } from '../support/service.ts';

const service = serviceForFile({}, { pages: true });
const { run } = operatorOf(service.current);
const sql = <T = Record<string, unknown>>(statement: string, ...values: unknown[]) =>
	service.current().sql<T>(statement, ...values);
const folder = mkdtempSync(join(tmpdir(), 'solvency-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Where a visitor would look for it. */
const SHOWN = '<span class="solvency"> · <a href="/solvency">';
const LINKING = ['/', '/docs', '/docs/book/solvency', '/status'];

let partner: Credentials;
/** Its deposit waits for a decision. */
let waiting: CreatedOrder;
/** Its payout is not sent. */
let unsent: CreatedOrder;
let key: string;

beforeAll(async () => {
	const { url } = service.current();
	const published = (await (await fetch(`${url}/.well-known/partner-exchange-keys.json`)).json()) as PromiseKeys;
	key = published.keys[0]?.publicKey ?? '';
	partner = await createPartner(service.current(), { weightPerMinute: 1_000_000, afftaxBps: 200 });
	await earn(service.current(), partner, {});
	waiting = (await create(service.current(), partner)).data;
	await operator('sandbox/deposit', { orders: [waiting.id], amount: '0.1' });
	await untilStatus(service.current(), partner, waiting, 'EMERGENCY');
	unsent = (await create(service.current(), partner)).data;
	await operator('network/update', { name: 'Ethereum', send: false });
	await operator('sandbox/deposit', { orders: [unsent.id] });
	await untilStatus(service.current(), partner, unsent, 'EXCHANGE');
});

const operator = <T = Record<string, unknown>>(command: string, input: unknown = {}) =>
	service.current().operator<T>(command, input);
const get = (path: string) => fetch(`${service.current().url}${path}`);

async function nextHour(): Promise<void> {
	await sql("UPDATE periodic_checks SET due_at = 0 WHERE name = 'solvency'");
	await service.current().local.runScheduled();
}

/** What the page of an order gives to who asks for its proof. */
async function ownFile({ id, token }: CreatedOrder): Promise<OwnFile | null> {
	const response = await fetch(`${service.current().url}/o/${id}`, {
		method: 'POST',
		headers: { authorization: `Bearer ${token}` },
		body: new URLSearchParams({ action: 'proof' }),
	});
	const [, file] = /data:application\/json;charset=utf-8,([^"]+)/.exec(await response.text()) ?? [];
	return file === undefined ? null : JSON.parse(decodeURIComponent(file));
}

/** Null where the hour ended meanwhile. */
async function filesOfOneHour() {
	const visitor = await new CabinetVisitor(service.current()).enter(partner.id);
	const earnings = JSON.parse((await visitor.get('/cabinet/earnings/solvency.json')).text) as OwnFile;
	const owns = [await ownFile(waiting), await ownFile(unsent), earnings];
	const file = (await (await get('/solvency.json')).json()) as SolvencyFile;
	const { number } = JSON.parse(file.statement) as SolvencyStatement;
	return owns.every((own) => own?.number === number) ? { file, owns } : null;
}

const written = (name: string, value: unknown): string => {
	writeFileSync(join(folder, name), JSON.stringify(value));
	return join(folder, name);
};

describe('what is owed and held', () => {
	it('is published only where the operator has switched it on', async () => {
		await nextHour();
		for (const path of ['/solvency', '/solvency.json', '/solvency-heads.json'])
			expect((await get(path)).status).toBe(404);
		for (const path of LINKING) expect((await (await get(path)).text()).includes(SHOWN)).toBe(false);
		expect(await ownFile(unsent)).toBeNull();
		expect(await sql('SELECT * FROM solvency_reports')).toEqual([]);
	});

	it('is not published where the books have kept another sum than the debts add up to, which is an incident', async () => {
		const keep = (more: string) =>
			sql(`UPDATE ledger_balances SET limb_0 = limb_0 ${more} WHERE account = 'payable' AND asset = 'ETH'`);
		await keep('- 1');
		// No hour begins: what is switched on is due at the next minute.
		await operator('site/update', { provesSolvency: true });
		await service.current().local.runScheduled();
		await keep('+ 1');
		expect(await (await get('/solvency')).text()).toContain('There is no proof yet');
		expect(await sql('SELECT * FROM solvency_reports')).toEqual([]);
		expect(await operator('attention')).toContainEqual(
			expect.objectContaining({
				area: 'incident',
				cause: expect.stringContaining('what is owed in ETH is not what the books have kept'),
			}),
		);
	});

	it('is in a file of the hour, in which payers and the partner find theirs, and a command checks all of it', async () => {
		await nextHour();
		const { file, owns } = await eventually('files of one hour', filesOfOneHour);
		const statement = JSON.parse(file.statement) as SolvencyStatement;
		expect(statement.debts.map(({ asset }) => asset)).toEqual(['ETH', 'LTC']);
		// What waits in LTC is the deposit of one order, to the base unit.
		expect(statement.debts.find(({ asset }) => asset === 'LTC')?.sum).toBe('10000000');
		expect(owns.map((own) => own?.debts.map(({ asset }) => asset))).toEqual([['LTC'], ['ETH'], ['ETH']]);
		const total = owns
			.flatMap((own) => own?.debts ?? [])
			.reduce((sum, { asset, amount }) => (asset === 'ETH' ? sum + BigInt(amount) : sum), 0n);
		expect(statement.debts.find(({ asset }) => asset === 'ETH')?.sum).toBe(total.toString());
		const names = owns.map((own, i) => written(`own-${i}.json`, own));
		const hour = written('hour.json', file);
		const { status, stdout, stderr } = await run('proof', 'verify', hour, ...names, '--key', key, '--owed', '0.1 LTC');
		expect(stdout).toContain('0.1 LTC of it is yours.');
		// A ledger that only we have proves nothing, so here no wallet covers what is owed.
		expect(stderr.split('\n').filter((line) => line && !line.startsWith('not covered'))).toEqual([]);
		expect(status).toBe(1);
		const short = { ...owns[0], debts: [] };
		const left = await run('proof', 'verify', hour, written('short.json', short), '--key', key, '--owed', '0.1 LTC');
		expect(left.stderr).toContain('left out: 0.1 LTC');
	});

	it('is on a page with the files to save, and the order of another token is not', async () => {
		const page = await (await get('/solvency')).text();
		for (const said of ['What is owed and held', '0.1 LTC', '/solvency.json', '/solvency-heads.json'])
			expect(page).toContain(said);
		expect(page).toMatch(/because nothing of it is in the file: .*Bitcoin/);
		for (const path of LINKING)
			await eventually(`${path} to lead there`, async () => (await (await get(path)).text()).includes(SHOWN));
		expect(await (await get('/solvency-heads.json')).json()).not.toEqual([]);
		expect(await ownFile({ ...unsent, token: waiting.token })).toBeNull();
		expect((await get('/solvency.json?hour=1')).status).toBe(404);
	});

	it('has one report an hour, also where the signer’s answer was lost or the database set back', async () => {
		const { heads } = (await (await get('/solvency.json')).json()) as SolvencyFile;
		const stored = async () => (await (await get('/solvency-heads.json')).json()) as SolvencyFile['heads'];
		await sql('UPDATE solvency_reports SET head = NULL, head_number = NULL');
		await nextHour();
		expect((await stored()).slice(0, heads.length)).toEqual(heads);
		const [{ number } = { number: 0 }] = await sql<{ number: number }>('SELECT number FROM solvency_reports');
		expect((await get(`/solvency.json?hour=${number}`)).status).toBe(200);
		await sql('DELETE FROM solvency_reports');
		await nextHour();
		expect((await stored()).slice(0, heads.length)).toEqual(heads);
		// The head is signed, and nobody has what it is of.
		expect((await get(`/solvency.json?hour=${number}`)).status).toBe(404);
	});
});
