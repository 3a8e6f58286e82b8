/**
 * Two deployments that were given the same keys: staging with the secrets file of production. Nothing of one counts in the
 * other, and a sandbox with the words of a wallet shows none of its addresses.
 */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openPiece, readHeader } from '../../src/backup/sealed.ts';
import type { NetworkName } from '../../src/catalog/networks.ts';
import { seedOf } from '../../src/chains/seed.ts';
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
const { json, refusal } = operatorOf(() => service);

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
	expect(await refusal('restore', backup)).toContain(
		'the backup is of the deployment production, and this is the deployment staging',
	);
	const { checks } = await service.operator<{ checks: { what: string; detail: string }[] }>('network/check', {
		name: 'Litecoin',
	});
	expect(checks).toContainEqual(expect.objectContaining({ what: 'DEPLOYMENT', ok: true, detail: 'staging' }));
});
