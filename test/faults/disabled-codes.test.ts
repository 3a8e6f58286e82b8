/** A reference code that a partner disabled, and D1 that has it as enabled again. The partner's gate knows better. */
import { expect, it } from 'vitest';
import { type Credentials, createPartner, signed } from '../support/partner.ts';
import { serviceForFile } from '../support/service.ts';

const service = serviceForFile();
const CODE = 'summer-2026';

const call = async (partner: Credentials, method: string, path: string, body: unknown = '') =>
	(await signed(service.current(), partner, path, body as never, { method })).code;
const admittedWith = async (partner: Credentials) =>
	(
		await signed(service.current(), { ...partner, apiKey: `${partner.apiKey}.${CODE}` }, '/api/v1/codes', '', {
			method: 'GET',
		})
	).code;
const setBack = ({ id }: Credentials) =>
	service.current().sql('UPDATE reference_codes SET enabled = 1 WHERE partner_id = ?', id);
const stored = async ({ id }: Credentials) =>
	(await service.current().sql('SELECT enabled FROM reference_codes WHERE partner_id = ?', id)).map(
		({ enabled }) => enabled,
	);
const incidents = async ({ id }: Credentials) =>
	service.current().sql("SELECT detail, times FROM incidents WHERE kind = 'code-set-back' AND subject = ?", id);

it('stays disabled, also after the gate starts again, is disabled in D1 again, and its partner can enable it', async () => {
	const partner = await createPartner(service.current());
	expect(await call(partner, 'POST', '/api/v1/codes', { code: CODE })).toBe(0);
	expect(await admittedWith(partner)).toBe(0);
	expect(await call(partner, 'DELETE', '/api/v1/codes', { code: CODE })).toBe(0);
	expect(await incidents(partner)).toEqual([]);
	for (const restarts of [false, true]) {
		await setBack(partner);
		if (restarts) await service.current().evict('PARTNER_GATE', partner.id);
		// The gate reads the record, as it does by itself each minute.
		else await service.current().operator('partner/update', { id: partner.id, name: 'Set back' });
		expect(await admittedWith(partner)).toBe(3);
		expect(await stored(partner)).toEqual([0]);
	}
	expect(await incidents(partner)).toEqual([{ detail: CODE, times: 2 }]);
	expect(await call(partner, 'POST', '/api/v1/codes/enable', { code: CODE })).toBe(0);
	await service.current().evict('PARTNER_GATE', partner.id);
	expect([await admittedWith(partner), await stored(partner)]).toEqual([0, [1]]);
	expect(await incidents(partner)).toEqual([{ detail: CODE, times: 2 }]);
});

it('stays disabled where D1 takes no write', async () => {
	const partner = await createPartner(service.current());
	await call(partner, 'POST', '/api/v1/codes', { code: CODE });
	await call(partner, 'DELETE', '/api/v1/codes', { code: CODE });
	await setBack(partner);
	await service
		.current()
		.sql("CREATE TRIGGER no_codes BEFORE UPDATE ON reference_codes BEGIN SELECT RAISE(ABORT, 'no'); END");
	await service.current().evict('PARTNER_GATE', partner.id);
	expect(await admittedWith(partner)).toBe(3);
	await service.current().sql('DROP TRIGGER no_codes');
});
