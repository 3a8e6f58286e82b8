/** Scoped keys where D1 is set back, takes no write, or says other than what was made. */
import { describe, expect, it } from 'vitest';
import { keyRing } from '../../src/crypto/key-ring.ts';
import { newScoped } from '../../src/partners/scoped.ts';
import { type Answer, type Credentials, createPartner, signed } from '../support/partner.ts';
import { eventually, sharedService } from '../support/service.ts';

const service = sharedService();
const sql = (statement: string, ...values: unknown[]) => service.current().sql(statement, ...(values as string[]));
const send = <T>(by: Credentials, path: string, body: unknown, method = 'POST') =>
	signed<T>(service.current(), by, path, body, { method });
const make = async (by: Credentials, more: Record<string, unknown> = {}): Promise<Credentials> =>
	(await send<Credentials>(by, '/api/v1/keys', { kind: 'app', label: 'A key', ...more })).data;
const revoke = (by: Credentials, id: string) => send(by, '/api/v1/keys', { id }, 'DELETE');
const listed = async (by: Credentials) => (await send<Credentials[]>(by, '/api/v1/keys', '', 'GET')).data;
const codeOf = async (asked: Promise<Answer<unknown>>) => (await asked).code;
const works = (by: Credentials) => codeOf(send(by, '/api/v1/currencies', '{}'));
const mayListOrders = (by: Credentials) => codeOf(send(by, '/api/v1/orders', '{}'));
const evict = ({ id }: Credentials) => service.current().evict('PARTNER_GATE', id);
const rowOf = async (key: Credentials) => {
	const [row] = await sql('SELECT * FROM partner_keys WHERE id = ?', key.id);
	if (!row) throw new Error('no such key');
	return row;
};
const putBack = (row: Record<string, unknown>) =>
	sql(
		`INSERT OR REPLACE INTO partner_keys (${Object.keys(row).join(', ')}) VALUES (${Object.keys(row)
			.map(() => '?')
			.join(', ')})`,
		...Object.values(row),
	);
/** Makes the gate read the record, as it does by itself each minute. */
const reload = ({ id }: Credentials, name: string) => service.current().operator('partner/update', { id, name });

describe('a key that was revoked', () => {
	it.each([
		['by its partner', false],
		['by the operator', true],
	])('%s stays so when D1 is set back, and D1 loses it again', async (_, byOperator) => {
		const partner = await createPartner(service.current());
		const [key, other] = [await make(partner), await make(partner)];
		expect(await works(key)).toBe(0);
		const row = await rowOf(key);
		if (byOperator) await service.current().operator('partner/revoke-key', { id: partner.id, key: key.id });
		else await revoke(partner, key.id);
		for (const restarts of [false, true]) {
			await putBack(row);
			expect((await listed(partner)).map(({ id }) => id)).toEqual([other.id]);
			if (restarts) await evict(partner);
			else await reload(partner, 'Set back');
			expect([await works(key), await works(other), await works(partner)]).toEqual([3, 0, 0]);
			await eventually('D1 to lose it', async () => {
				const rows = await sql('SELECT id FROM partner_keys WHERE id = ?', key.id);
				return rows.length === 0;
			});
		}
	});

	it('stays so where D1 takes no write', async () => {
		const partner = await createPartner(service.current());
		const key = await make(partner);
		await sql(
			`CREATE TRIGGER no_keys BEFORE DELETE ON partner_keys WHEN OLD.id = '${key.id}' BEGIN SELECT RAISE(ABORT, 'no'); END`,
		);
		// The gate knows before D1 does.
		expect(await codeOf(revoke(partner, key.id))).toBe(99);
		expect(await works(key)).toBe(3);
		await evict(partner);
		expect([await works(key), await works(partner), await listed(partner)]).toEqual([3, 0, []]);
		await sql('DROP TRIGGER no_keys');
		expect(await codeOf(revoke(partner, key.id))).toBeOneOf([0, 6]);
	});
});

it('a secret of a server key that was rotated stays dead when D1 is set back', async () => {
	const partner = await createPartner(service.current());
	const key = await make(partner, { kind: 'server' });
	const row = await rowOf(key);
	const { data } = await send<Credentials>(key, '/api/v1/keys/rotate', { rotate: ['apiSecret'] });
	const newest = { ...key, apiSecret: data.apiSecret };
	for (const restarts of [false, true]) {
		await putBack(row);
		if (restarts) await evict(partner);
		else await reload(partner, 'Set back');
		expect([await works(key), await works(newest)]).toEqual([3, 0]);
		await eventually('D1 to have the newest', async () => (await rowOf(key)).secret_sealed !== row.secret_sealed);
	}
});

it('a row that was changed to allow more does not open: the key is refused, and no other', async () => {
	const partner = await createPartner(service.current());
	const other = await make(partner);
	for (const change of [
		"kind = 'server'",
		"addresses = '[]'",
		'expires_at = NULL',
		`partner_id = '${(await createPartner(service.current())).id}'`,
		`secret_sealed = secret_sealed || '9'`,
	]) {
		const more = { addresses: ['0.0.0.0/0', '::/0'], expiresAt: Math.floor(Date.now() / 1000) + 3600 };
		const key = await make(partner, more);
		await sql(`UPDATE partner_keys SET ${change} WHERE id = ?`, key.id);
		await evict(partner);
		const answers = [await works(key), await mayListOrders(key), await works(other), await works(partner)];
		expect([change, ...answers]).toEqual([change, 3, 3, 0, 0]);
		await sql('DELETE FROM partner_keys WHERE id = ?', key.id);
	}
});

it('a key is refused from the moment at which it expires', async () => {
	const partner = await createPartner(service.current());
	const { secrets } = service.current().local;
	const rings = { apiKeys: keyRing(secrets, 'API_KEY_KEY'), secrets: keyRing(secrets, 'SECRETS_KEY') };
	const plant = async (expiresAt: number): Promise<Credentials> => {
		const chosen = { kind: 'app', label: 'A key', addresses: [], expiresAt } as const;
		const { id, apiKey, secret, sealed } = await newScoped(rings, partner.id, chosen);
		await putBack({
			id,
			partner_id: partner.id,
			kind: 'app',
			label: 'A key',
			api_key: apiKey,
			secret_sealed: sealed,
			addresses: '[]',
			expires_at: expiresAt,
			created_at: 1,
		});
		return { ...partner, apiKey, apiSecret: secret };
	};
	const [over, open] = [await plant(Date.now() - 1), await plant(Date.now() + 3_600_000)];
	expect([await works(over), await works(open)]).toEqual([3, 0]);
	expect(await listed(partner)).toHaveLength(2);
});

it('a flood of forged calls under a scoped apiKey does not reach its partner’s gate', async () => {
	const partner = await createPartner(service.current(), { weightPerMinute: 1_000_000 });
	const key = await make(partner);
	const refusedBefore = () =>
		service
			.current()
			.logged('refused')
			.filter(({ reason }) => reason === 'signature, one of many').length;
	const before = refusedBefore();
	const forge = () => works({ ...key, apiSecret: 'A'.repeat(43) });
	for (let i = 0; i < 3; i++)
		expect(new Set(await Promise.all(Array.from({ length: 20 }, forge)))).toEqual(new Set([3]));
	await eventually('the log', async () => refusedBefore() > before);
	expect([await works(key), await works(partner)]).toEqual([0, 0]);
	await revoke(partner, key.id);
	expect([await works(key), await works(partner)]).toEqual([3, 0]);
});
