/** Keys that are wrong, that differ between the Workers, and that are replaced while orders are open. */
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { keyRing } from '../../src/crypto/key-ring.ts';
import type { Row } from '../../src/operator/doctor/row.ts';
import { sealOrder } from '../../src/orders/seal.ts';
import type { OrderRow } from '../../src/orders/table.ts';
import { SOURCES } from '../../src/pricing/sources/table.ts';
import { payoutsTo } from '../support/earnings.ts';
import { create, ETH_RECIPIENT, LTC_REFUND, readOrder, untilStatus } from '../support/orders.ts';
import { type Credentials, call, createPartner, signed } from '../support/partner.ts';
import { endPauses } from '../support/pauses.ts';
import { eventually, startTestService, type TestService } from '../support/service.ts';

const newKey = (): string => randomBytes(32).toString('base64');
const NO_SEED = `${'abandon '.repeat(11)}abuot`;

let service: TestService | null = null;
afterEach(async () => {
	await service?.local.stop();
	if (service) rmSync(service.stateDirectory, { recursive: true, force: true });
	service = null;
});

interface Check {
	readonly who: string;
	readonly what: string;
	readonly ok: boolean;
	readonly detail: string;
}

async function keyChecks(of: TestService): Promise<string[]> {
	const { checks } = await of.operator<{ checks: Check[] }>('network/check', { name: 'Litecoin' });
	return checks.filter(({ what }) => /KEY|SEED/.test(what)).map(({ what, ok, detail }) => `${what} ${ok}: ${detail}`);
}

it('a SEED that fails its checksum signs nothing and makes no address, and each command says why', async () => {
	// A service that ran just before: a new one with this SEED would never become ready.
	const { local, stateDirectory } = await startTestService();
	await local.stop();
	service = await startTestService({}, stateDirectory, { SEED: NO_SEED });
	const partner = await createPartner(service);
	const created = await create(service, partner);
	// Addresses of the right seed are still in stock; none is derived from the wrong one.
	expect([0, 11]).toContain(created.code);
	const checks = await keyChecks(service);
	expect(checks).toContainEqual(expect.stringMatching(/^SEED false: SEED fails its checksum/));
	expect(checks).toContainEqual('SEAL_KEY true: the same in each Worker that has it');
	const { operator } = service;
	await eventually('the agent to say what is wrong', async () => {
		const [litecoin] = (await operator<{ name: string; lastError: string | null }[]>('network/list')).filter(
			({ name }) => name === 'Litecoin',
		);
		return litecoin?.lastError?.includes('SEED fails its checksum');
	});
	expect(JSON.stringify(checks)).not.toContain('abuot');
});

it('a SEAL_KEY that differs between the Workers is named, and no address is shown', async () => {
	service = await startTestService({ SEAL_KEY: newKey() }, undefined, { SEAL_KEY: newKey() });
	expect(await keyChecks(service)).toContainEqual(
		expect.stringMatching(/^SEAL_KEY false: it differs between the API Worker and the signer/),
	);
	expect((await create(service, await createPartner(service), { fromCcy: 'DASH', refundAddress: DASH })).code).toBe(11);
});

const DASH = 'XoJA8qE3N2Y3jMLEtZ3vcN42qseZ8LvFf5';

it('a key that is malformed or missing is named in the log and by doctor, and callers get 11, not 99', async () => {
	// Without price sources the start does not wait for a quote, which this Worker cannot give.
	const nowhere = JSON.stringify(Object.fromEntries(SOURCES.map(({ name }) => [name, 'http://127.0.0.1:1'])));
	const prices = { PRICES: 'public', PRICE_SOURCE_URLS: nowhere };
	const malformed = { API_KEY_KEY: '', SECRETS_KEY: randomBytes(31).toString('base64') };
	const signers = { NODE_URL_BITCION: 'https://node.example', WITHDRAW_TO_ETHEREUM: 'nowhere', SECRETS_KEY: newKey() };
	service = await startTestService({ ...prices, ...malformed }, undefined, signers);
	const answer = await call(service, '/api/v1/price', {});
	expect([answer.status, answer.code]).toEqual([503, 11]);
	const { logged } = service;
	const told = await eventually('the log to name it', async () => logged('configuration_wrong')[0]);
	expect(told['problem']).toBe('SECRETS_KEY holds 31 bytes instead of 32');
	await expect(service.operator('partner/create', { name: 'A partner' })).rejects.toThrow('API_KEY_KEY is missing');
	// The cron names each, and a monitor is told that something is wrong, not what.
	expect(new Set(logged('configuration_wrong').map(({ problem }) => problem))).toContain('API_KEY_KEY is missing');
	const health = await fetch(`${service.url}/healthz`);
	expect([health.status, await health.text()]).toEqual([503, 'configuration wrong\n']);
	const { rows } = await service.operator<{ rows: Row[] }>('doctor');
	const wrong = rows
		.filter(({ area, state }) => area === 'configuration' && state !== 'fine')
		.map(({ detail, todo }) => `${detail}: ${todo}`);
	expect(wrong).toEqual([
		expect.stringMatching(/^SECRETS_KEY holds 31 bytes instead of 32: .*npx wrangler secret put SECRETS_KEY;/),
		expect.stringMatching(/^API_KEY_KEY is missing: .*npx wrangler secret put API_KEY_KEY;/),
		'SECRETS_KEY belongs to the API Worker alone: npx wrangler secret delete SECRETS_KEY -c src/signer/wrangler.toml',
		'NODE_URL_BITCION is not a variable of this service: did you mean NODE_URL_BITCOIN? Set that, and delete NODE_URL_BITCION',
		expect.stringMatching(
			/^cold in the signer's WITHDRAW_TO_ETHEREUM is no address of Ethereum: .* -c src.signer.wrangler.toml$/,
		),
	]);
	expect(rows.filter(({ area }) => area === 'keys').map(({ detail }) => detail)).toEqual([
		'without a name',
		'the same in each Worker that has it',
		expect.stringMatching(/^fingerprint/),
		'no person is asked: the operator’s token alone moves the reserve',
	]);
	expect(rows.find(({ area }) => area === 'queue')?.detail).toMatch(/^a message came back/);
});

const listed = async (on: TestService, by: Credentials) => (await signed(on, by, '/api/v1/orders', '{}')).code;

// Then the previous keys are removed: `faults/secrets`.
it('every key can be replaced while orders are open: no call fails, and older orders are paid', async () => {
	service = await startTestService();
	const { SEAL_KEY, SECRETS_KEY, API_KEY_KEY } = service.local.secrets;
	const old = { SEAL_KEY, SECRETS_KEY, API_KEY_KEY };
	const partner = await createPartner(service);
	const asked = { id: partner.id, kind: 'read', label: 'Report' };
	const scoped = { ...partner, ...(await service.operator<Credentials>('partner/make-key', asked)) };
	const [open, ended] = [await create(service, partner), await create(service, partner)];
	await service.operator('sandbox/deposit', { orders: [ended.data.id] });
	await untilStatus(service, partner, ended.data, 'DONE');
	const strayed = await enteredStray(service, partner);
	await enteredToken(service, partner);
	const { stateDirectory } = service;
	await service.local.stop();

	// The operator replaces all three, and keeps each as the previous one.
	const changedAt = String(Math.floor(Date.now() / 1000) + 1);
	const replaced = Object.entries(old).flatMap(([name, key]) => [
		[name, newKey()],
		[`${name}_NUMBER`, '2'],
		[`${name}_PREVIOUS`, key],
		[`${name}_CHANGED_AT`, changedAt],
	]);
	const variables = Object.fromEntries(replaced) as Record<string, string>;
	service = await startTestService(variables, stateDirectory);
	expect((await readOrder(service, partner, open.data)).status).toBe('NEW');
	expect((await readOrder(service, partner, ended.data)).status).toBe('DONE');
	const newer = await create(service, partner);
	expect([newer.code, await listed(service, scoped)]).toEqual([0, 0]);
	await service.operator('sandbox/deposit', { orders: [open.data.id, newer.data.id] });
	for (const { data } of [open, newer]) await untilStatus(service, partner, data, 'DONE');

	// The old key alone can seal nothing that is newer than the change, which a fast machine has not reached yet.
	await sleep(Math.max(0, Number(changedAt) * 1000 - Date.now()));
	const stale = await create(service, partner);
	const [row] = await service.sql<OrderRow>(ORDER_TERMS, stale.data.id);
	if (!row) throw new Error('the order is not there');
	const forged = await sealOrder(keyRing(old, 'SEAL_KEY'), row);
	await service.sql('update orders set seal = ? where id = ?', forged, row.id);
	const shown = await signed(service, partner, '/api/v1/order', { id: stale.data.id, token: stale.data.token });
	expect(shown.code).toBe(99);

	// Rows under the previous keys are sealed again, except for the forged one, which is listed.
	const done = await service.operator<{ done: { what: string; broken: string[] }[]; next: string }>('keys/reseal');
	expect(done.done.find(({ what }) => what === 'orders')?.broken).toEqual([row.id]);
	await service.sql(
		'update orders set seal = ? where id = ?',
		await sealOrder(keyRing(variables, 'SEAL_KEY'), row),
		row.id,
	);
	const left = await service.operator<{ sealedWithOlderKeys: { rows: number }[] }>('keys/show');
	expect(left.sealedWithOlderKeys.map(({ rows }) => rows)).toEqual(left.sealedWithOlderKeys.map(() => 0));
	for (const kind of ['addresses for strays', 'addresses for tokens that are not listed', 'scoped keys'])
		expect(done.done.find(({ what }) => what === kind)).toMatchObject({ resealed: 1, broken: [] });
	expect(await listed(service, scoped)).toBe(0);
	// The signer believes where the operator had it go back to.
	await playStray(service, strayed, '500');
	const { sql } = service;
	await eventually('the stray to go back', async () => {
		const [sent] = await sql("SELECT to_address AS sentTo FROM transactions WHERE kind = 'stray' AND state = 'final'");
		return sent?.['sentTo'] === ELSEWHERE;
	});
	const again = service;
	await again.operator('network/update', { name: 'BSC', send: true });
	await eventually('the token to go back', async () => {
		await endPauses(again);
		return (await payoutsTo(again, 'BSC', ELSEWHERE)).some(({ asset, amount }) => asset === TOKEN && amount === '77');
	});
});

const ELSEWHERE = '0x1234567890123456789012345678901234567890';
const TOKEN = '0x70c0000000000000000000000000000000000ab1';

const STRAY_TERMS = {
	fromCcy: 'USDTERC20',
	toCcy: 'LTC',
	amount: '500',
	toAddress: LTC_REFUND,
	refundAddress: ETH_RECIPIENT,
};

async function playStray({ operator }: TestService, id: string, amount: string): Promise<void> {
	await operator('sandbox/deposit', { orders: [id], asset: 'USDCERC20', amount });
	await operator('order/find-stray', { id });
}

/** A token that is not listed, of which the return is planned and not signed. */
async function enteredToken(of: TestService, partner: Credentials): Promise<void> {
	await of.operator('network/update', { name: 'BSC', send: false });
	const terms = { ...STRAY_TERMS, fromCcy: 'USDTBEP20' };
	const { id } = (await create(of, partner, terms)).data;
	await of.operator('sandbox/deposit', { orders: [id], asset: TOKEN, amount: '77' });
	await of.operator('order/find-stray', { id });
	await of.operator('order/return-stray', { id, asset: TOKEN, to: ELSEWHERE, reason: 'the payer asked' });
	await eventually(
		'its return to be planned',
		async () => (await of.sql("SELECT 1 FROM transactions WHERE kind = 'token'"))[0],
	);
}

/** An order with a stray that is too small to go back, and that the operator sends elsewhere. */
async function enteredStray(of: TestService, partner: Credentials): Promise<string> {
	const { id } = (await create(of, partner, STRAY_TERMS)).data;
	await playStray(of, id, '0.01');
	await of.operator('order/return-stray', { id, asset: 'USDCERC20', to: ELSEWHERE, reason: 'the payer asked' });
	return id;
}

const ORDER_TERMS = `select id, partner_id as partnerId, from_asset as fromAsset, to_asset as toAsset,
	to_address as toAddress, refund_address as refundAddress, pay_in_address as payInAddress, pay_in_index as payInIndex,
	base_fee_bps as baseFeeBps, lean_bps as leanBps, afftax_bps as afftaxBps, created_at as createdAt from orders where id = ?`;
