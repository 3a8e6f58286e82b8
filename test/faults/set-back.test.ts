/**
 * D1 is set back to a minute before the operator closed things down. What they decided holds all the same, from the first
 * second on, and they are told what D1 had forgotten.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ADDRESS_ON } from '../support/addresses.ts';
import { copyDatabaseFile, databaseFile } from '../support/database-file.ts';
import { payoutsTo } from '../support/earnings.ts';
import { operatorOf } from '../support/operator.ts';
import { type CreatedOrder, create, untilStatus } from '../support/orders.ts';
import { type Credentials, createPartner, signed } from '../support/partner.ts';
import { eventually, startTestService, type TestService } from '../support/service.ts';

const RECIPIENT = `0x${'5e7bac'.padStart(40, '0')}`;

let service: TestService;
let partner: Credentials;
let disabled: Credentials;
let strict: Credentials;
let owed: CreatedOrder;
const { json, run } = operatorOf(() => service);
/** On a pair that nobody has switched off. */
const newOrder = (by: Credentials) => create(service, by, { toCcy: 'BTC', toAddress: ADDRESS_ON.Bitcoin });
const bodyOnly = async () =>
	(await signed(service, strict, '/api/v1/codes', '', { method: 'GET', mode: 'body-only' })).code;
const timesPaid = async () => (await payoutsTo(service, 'Ethereum', RECIPIENT)).length;

/** The books are compared and the head of the history is signed. */
async function hour(): Promise<void> {
	await service.sql("UPDATE periodic_checks SET due_at = 0 WHERE name = 'books'");
	await service.local.runScheduled();
}

async function incidents(): Promise<string[]> {
	const rows = await service.operator<{ area: string; subject: string; cause: string }[]>('attention');
	return rows.filter(({ cause }) => cause.startsWith('settings-set-back')).map(({ subject }) => subject);
}

beforeAll(async () => {
	service = await startTestService();
	partner = await createPartner(service, { weightPerMinute: 1_000_000 });
	disabled = await createPartner(service, { weightPerMinute: 1_000_000 });
	strict = await createPartner(service);
	({ data: owed } = await create(service, partner, { toAddress: RECIPIENT }));
	await service.operator('network/update', { name: 'Ethereum', send: false });
	await service.operator('sandbox/deposit', { orders: [owed.id] });
	await untilStatus(service, partner, owed, 'EXCHANGE');
	await service.local.runScheduled();
	await hour();
	// What D1 goes back to: payouts on, everything at its default, and the payout still to be made.
	const earlier = join(service.stateDirectory, 'earlier');
	await copyDatabaseFile(databaseFile(service), earlier);
	await service.operator('site/update', { maintenance: true, dailyCapUsd: 500_000 });
	await service.operator('network/update', { name: 'Litecoin', confirmations: 40 });
	await service.operator('asset/update', { code: 'DASH', active: false });
	await service.operator('asset/update', { code: 'BTC', target: '1', surchargeBps: 20 });
	await service.operator('pair/update', { from: 'LTC', to: 'ETH', maxUsd: 900 });
	await service.operator('partner/update', { id: disabled.id, enabled: false });
	await service.operator('partner/update', { id: strict.id, requireTimestamp: true });
	await hour();
	const file = databaseFile(service);
	await service.local.stop();
	await copyDatabaseFile(earlier, file);
	// An attacker adds to it what no command would: payouts on, and a surcharge.
	service = await startTestService({}, service.stateDirectory);
	await service.sql("DELETE FROM network_settings WHERE name = 'Ethereum'");
	await service.sql("INSERT INTO asset_settings (code, active, surcharge_bps) VALUES ('BTC', 1, 500)");
});
afterAll(async () => {
	await service?.local.stop();
	rmSync(service.stateDirectory, { recursive: true, force: true });
});

it('maintenance, switches, bounds, caps and disabled partners hold, and what owes a payout pays nothing', async () => {
	expect((await newOrder(partner)).code).toBe(10);
	await eventually('the settings to be put back', async () => (await incidents()).length >= 9);
	expect((await incidents()).sort()).toEqual(
		['BTC', 'DASH', 'Ethereum', 'LTC-ETH', 'Litecoin', 'database', disabled.id, strict.id, 'site'].sort(),
	);
	const site = await json('site', 'show');
	expect(site).toMatchObject({ maintenance: true, dailyCapUsd: 500_000 });
	const networks = await service.operator<Record<string, unknown>[]>('network/list');
	expect(networks.find(({ name }) => name === 'Ethereum')).toMatchObject({ send: false, receive: true });
	expect(networks.find(({ name }) => name === 'Litecoin')).toMatchObject({ confirmations: 40 });
	const assets = await service.operator<Record<string, unknown>[]>('asset/list');
	expect(assets.find(({ code }) => code === 'BTC')).toMatchObject({ surchargeBps: 20 });
	const [pair] = await service.sql('SELECT * FROM pair_settings');
	expect(pair).toMatchObject({ active: 1, min_usd: 40, max_usd: 900 });
	expect((await newOrder(partner)).code).toBe(10);
	expect((await newOrder(disabled)).code).toBe(4);
	expect(await bodyOnly()).toBe(3);
	expect(await timesPaid()).toBe(0);
});

it('a person decides again with the same commands, and ends each incident', async () => {
	await json('site', 'update', '--maintenance', 'off');
	await json('pair', 'update', 'LTC', 'ETH', '--max-usd', '50000');
	await json('network', 'update', 'Ethereum', '--send', 'on');
	await json('network', 'update', 'Litecoin', '--confirmations', 'none');
	await json('partner', 'update', disabled.id, '--enabled', 'true');
	await service.operator('partner/update', { id: strict.id, requireTimestamp: false });
	await untilStatus(service, partner, owed, 'DONE');
	for (const subject of await incidents()) await json('alert', 'clear', 'settings-set-back', subject);
	await service.object<{ changed(): Promise<unknown> }>('RATE_BOOK', 'book').changed();
	expect(await incidents()).toEqual([]);
	expect((await newOrder(disabled)).code).toBe(0);
	expect(await bodyOnly()).toBe(0);
	expect(await timesPaid()).toBe(1);
});

it('that the history was set back is told within the hour, with its first row, until a person says why', async () => {
	await hour();
	const { status, stdout } = await run('history', 'verify', '--json');
	const { first } = JSON.parse(stdout) as { first: string };
	expect([status, first]).toEqual([
		1,
		expect.stringMatching(/^row \d+ of audit_log \(site update, of .*\) was changed$/),
	]);
	const waiting = await service.operator<{ subject: string; cause: string }[]>('attention');
	const told = waiting.find(({ subject }) => subject === 'history');
	expect(told?.cause).toContain('history-bent');
	await json('history', 'accept', '--reason', 'D1 was set back');
	await json('audit', 'accept', '--reason', 'D1 was set back');
	expect(await json('history', 'verify')).toMatchObject({ wrong: 0, first: null });
	await hour();
	expect(await json('history', 'verify')).toMatchObject({ wrong: 0, uncompared: 0 });
});
