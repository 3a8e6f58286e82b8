/**
 * Two deployments that were given the same keys: staging with the secrets file of production. Nothing of one counts in the
 * other, and a sandbox with the words of a wallet shows none of its addresses.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openPiece, readHeader, sealPiece } from '../../src/backup/sealed.ts';
import type { NetworkName } from '../../src/catalog/networks.ts';
import { seedFingerprint, seedOf } from '../../src/chains/seed.ts';
import { ownAddresses } from '../../src/chains/signing-registry.ts';
import { keyRing } from '../../src/crypto/key-ring.ts';
import { openSecret, sealSecret } from '../../src/crypto/sealed.ts';
import { seal, sealHolds } from '../../src/crypto/seals.ts';
import { operatorOf } from '../support/operator.ts';
import { type CreatedOrder, create } from '../support/orders.ts';
import { type Credentials, createPartner } from '../support/partner.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let partner: Credentials;
let order: CreatedOrder;
let backup: string;
const { typing, json, refusal } = operatorOf(() => service);

beforeAll(async () => {
	service = await startTestService({ DEPLOYMENT: 'production' });
	partner = await createPartner(service);
	const made = await create(service, partner);
	expect(made.code, made.text).toBe(0);
	order = made.data;
	backup = join(service.stateDirectory, 'backup');
	await json('backup', backup);
}, 60_000);
afterAll(async () => {
	await service?.local.stop();
	rmSync(service.stateDirectory, { recursive: true, force: true });
});

it('a sandbox with the words of a wallet shows none of its addresses', async () => {
	const seed = await seedOf(service.local.secrets.SEED);
	const rows = await service.sql<{ network: NetworkName; index: number; address: string }>(
		'SELECT from_network AS network, pay_in_index AS "index", pay_in_address AS address FROM orders',
	);
	expect(rows).toHaveLength(1);
	for (const { network, index, address } of rows)
		expect(ownAddresses(network, seed).payInAddress(index)).not.toBe(address);
	const networks = await service.operator<{ name: NetworkName; hotAddress: string }[]>('network/list');
	expect(networks.length).toBeGreaterThan(10);
	for (const { name, hotAddress } of networks) expect(ownAddresses(name, seed).hotAddress()).not.toBe(hotAddress);
});

it('a seal, a secret and a backup of one open in no other, whose keys are the same', async () => {
	const SEAL_KEY = service.local.secrets.SEAL_KEY;
	const ring = (DEPLOYMENT?: string) => keyRing({ SEAL_KEY, ...(DEPLOYMENT && { DEPLOYMENT }) }, 'SEAL_KEY');
	const [own, other] = [ring('production'), [ring('staging'), ring()]];
	const sealed = await seal(own, 'a text');
	const secret = await sealSecret(own, 'a secret', 'partner');
	const lines = readFileSync(backup, 'utf8').trimEnd().split('\n');
	const header = readHeader(lines[0] ?? '');
	if (!header) throw new Error('no header');
	expect(header.deployment).toBe('production');
	const holds = (of: typeof own) => sealHolds(of, { text: 'a text', at: 0, sealed });
	const opens = async (of: typeof own) => (await openPiece(of, header, 'end', lines.at(-1) ?? '')) !== null;
	expect([await holds(own), await openSecret(own, secret, 'partner'), await opens(own)]).toEqual([
		true,
		'a secret',
		true,
	]);
	for (const of of other) {
		expect([await holds(of), await opens(of)]).toEqual([false, false]);
		await expect(openSecret(of, secret, 'partner')).rejects.toThrow();
	}
});

it('a key that was kept is compared with the service by its fingerprint, and nothing of it is shown', async () => {
	const { SEED, SEAL_KEY, SECRETS_KEY, API_KEY_KEY, OPERATOR_TOKEN } = service.local.secrets;
	const kept = { SEED, SEAL_KEY, SECRETS_KEY, API_KEY_KEY, OPERATOR_TOKEN };
	for (const [name, secret] of Object.entries(kept)) {
		const right = await typing(secret, 'keys', 'verify', name, '--json');
		expect([right.status, JSON.parse(right.stdout)]).toMatchObject([0, { name, is: 'in use' }]);
		const other = name === 'SEED' ? `${'abandon '.repeat(11)}about` : 'A'.repeat(43);
		const wrong = await typing(other, 'keys', 'verify', name);
		const { fingerprint } = JSON.parse(right.stdout) as { fingerprint: string };
		expect([wrong.status, wrong.stdout]).toEqual([1, '']);
		expect(wrong.stderr).toContain(`this is not the ${name} of the service: its fingerprint is `);
		expect(wrong.stderr).toContain(`and the service has ${fingerprint};`);
		expect(right.stdout + wrong.stderr).not.toContain(secret);
	}
	const cut = await typing(SEED.slice(0, -1), 'keys', 'verify', 'SEED');
	expect([cut.status, cut.stderr]).toEqual([1, expect.stringMatching(/^SEED (?:fails its checksum|has \d+ words)/)]);
	expect((await typing('short', 'keys', 'verify', 'SEAL_KEY')).stderr).toMatch(/^SEAL_KEY (?:holds|is neither)/);
});

it('a key is piped to the command, and never a word of its line', async () => {
	const { url, local, stateDirectory } = service;
	const line = [
		join(import.meta.dirname, '../../src/operator/cli/exchange.cjs'),
		'keys',
		'verify',
		'SEAL_KEY',
		'--json',
	];
	const environment = { ...process.env, SERVICE_URL: url, STATE_DIR: stateDirectory };
	const piped = spawnSync(process.execPath, line, { input: `${local.secrets.SEAL_KEY}\n`, env: environment });
	expect([piped.status, String(piped.stderr)]).toEqual([0, '']);
	expect(JSON.parse(String(piped.stdout))).toMatchObject({ name: 'SEAL_KEY', is: 'in use' });
});

it('a backup says of which deployment it is, when it was made and with which keys, with and without a service', async () => {
	const { SEAL_KEY, SEED } = service.local.secrets;
	const online = await json('backup', 'check', backup);
	const offline = await typing(SEAL_KEY, 'backup', 'check', backup, '--offline', '--json');
	expect(online).toMatchObject({
		deployment: 'production',
		at: expect.stringMatching(/^\d{4}-.*Z$/),
		sealKeyNumber: 1,
		seedFingerprint: seedFingerprint(await seedOf(SEED)),
		rows: expect.any(Number),
		beforeRestore: null,
	});
	const { beforeRestore: _, ...contents } = online;
	expect(JSON.parse(offline.stdout)).toEqual(contents);
	const otherKey = await typing('A'.repeat(43), 'backup', 'check', backup, '--offline');
	expect([otherKey.status, otherKey.stderr]).toEqual([
		1,
		expect.stringContaining(
			'production sealed it with SEAL_KEY number 1, and its last line does not open with this key',
		),
	]);
});

it('a backup that was altered, and one with the keys of yesterday, are refused by name', async () => {
	const lines = readFileSync(backup, 'utf8').trimEnd().split('\n');
	const [header = '', first = '', ...rest] = lines;
	const bad = join(service.stateDirectory, 'bad');
	const refusedBoth = async (text: readonly string[]) => {
		writeFileSync(bad, `${text.join('\n')}\n`);
		const { stderr } = await typing(service.local.secrets.SEAL_KEY, 'backup', 'check', bad, '--offline');
		return [await refusal('backup', 'check', bad), stderr.trim()];
	};
	const altered = `${first.startsWith('A') ? 'B' : 'A'}${first.slice(1)}`;
	const wrong = 'the backup was altered: its lines are not those that were written';
	expect(await refusedBoth([header, altered, ...rest])).toEqual([wrong, wrong]);
	expect(await refusedBoth([header, ...rest])).toEqual([wrong, wrong]);
	expect(await refusedBoth([header])).toEqual(Array(2).fill(`${bad} is not a whole backup`));
	// One that was made before SECRETS_KEY was replaced.
	const ring = keyRing({ SEAL_KEY: service.local.secrets.SEAL_KEY, DEPLOYMENT: 'production' }, 'SEAL_KEY');
	const read = readHeader(header);
	if (!read) throw new Error('no header');
	const manifest = JSON.parse(String(await openPiece(ring, read, 'end', lines.at(-1) ?? '')));
	const older = { ...manifest, keys: { ...manifest.keys, SECRETS_KEY: '0'.repeat(16) } };
	writeFileSync(
		bad,
		`${[...lines.slice(0, -1), await sealPiece(ring, read, 'end', JSON.stringify(older))].join('\n')}\n`,
	);
	expect(await refusal('backup', 'check', bad)).toBe(
		'SECRETS_KEY is not the one of the backup, whose fingerprint is 0000000000000000: set that one first',
	);
});

it('rows of one count for nothing in the other, and a restore says whose the backup is', async () => {
	const { stateDirectory } = service;
	await service.local.stop();
	service = await startTestService({ DEPLOYMENT: 'staging' }, stateDirectory);
	// Its apiKey has the checksum of another deployment, its secret and the seal of its order are another's.
	expect((await create(service, partner)).code).toBe(3);
	const page = await fetch(`${service.url}/o/${order.id}/state`, {
		method: 'POST',
		body: new URLSearchParams({ token: String(order.token) }),
	});
	expect(await page.text()).not.toContain(order.from.address);
	expect(await refusal('backup', 'check', backup)).toContain('the backup is of the deployment production');
	expect(await refusal('restore', backup)).toContain(
		'the backup is of the deployment production, and this is the deployment staging',
	);
	const { checks } = await service.operator<{ checks: { what: string; detail: string }[] }>('network/check', {
		name: 'Litecoin',
	});
	expect(checks).toContainEqual(expect.objectContaining({ what: 'DEPLOYMENT', ok: true, detail: 'staging' }));
});
