/** The operator's commands for scoped keys (book: run, "Commands"). */
import { expect, it } from 'vitest';
import { type Credentials, createPartner, signed } from '../support/partner.ts';
import { sharedService } from '../support/service.ts';

const service = sharedService();
const works = async (key: Credentials) => (await signed(service.current(), key, '/api/v1/currencies', '{}')).code;
const run = <T>(command: string, input: Record<string, unknown>) => service.current().operator<T>(command, input);

interface Shown extends Credentials {
	readonly kind: string;
	readonly addresses: readonly string[];
	readonly expiresAt: string | null;
}

it('makes, lists and revokes them for a partner', async () => {
	const { id } = await createPartner(service.current());
	const asked = { id, kind: 'read', label: 'Support desk', addresses: ['127.0.0.0/8', '::/0'], days: 30 };
	const key = await run<Shown>('partner/make-key', asked);
	expect(key).toMatchObject({ kind: 'read', label: 'Support desk', addresses: ['127.0.0.0/8', '::/0'] });
	expect(Date.parse(key.expiresAt ?? '')).toBeGreaterThan(Date.now() + 29 * 86_400_000);
	const open = await run<Shown>('partner/make-key', { id, kind: 'app', label: 'Wallet' });
	expect([open.expiresAt, open.addresses, await works(open)]).toEqual([null, [], 0]);
	const listed = await run<Shown[]>('partner/keys', { id });
	expect(listed.map((one) => one.id)).toEqual([open.id, key.id]);
	expect(JSON.stringify(listed)).not.toContain(open.apiSecret);
	await run('partner/revoke-key', { id, key: open.id });
	expect([await works(open), (await run<Shown[]>('partner/keys', { id })).length]).toEqual([3, 1]);
	await expect(run('partner/revoke-key', { id, key: open.id })).rejects.toThrow('has no key');
});

it('refuses the eleventh, and what is no block of addresses', async () => {
	const { id } = await createPartner(service.current());
	const make = (more: Record<string, unknown> = {}) =>
		run('partner/make-key', { id, kind: 'app', label: 'A key', ...more });
	await expect(make({ addresses: ['example.com'] })).rejects.toThrow('no address');
	for (let made = 0; made < 10; made++) await make();
	await expect(make()).rejects.toThrow('revoke one first');
});
