/** What was revoked stays revoked, whatever the database is set back to. */
import { describe, expect, it } from 'vitest';
import { keyRing } from '../../src/crypto/key-ring.ts';
import { sealIssued } from '../../src/partners/secrets.ts';
import { CabinetVisitor } from '../support/cabinet.ts';
import { hiddenFields, signIn } from '../support/console-visit.ts';
import { create } from '../support/orders.ts';
import { type Credentials, createPartner, signed } from '../support/partner.ts';
import { serviceForFile } from '../support/service.ts';
import { startWebhookReceiver, verify } from '../support/webhook-receiver.ts';

const service = serviceForFile({}, { pages: true });
const sql = <Row = Record<string, unknown>>(statement: string, ...values: unknown[]) =>
	service.current().sql<Row>(statement, ...(values as string[]));
const admitted = async (partner: Credentials): Promise<number> =>
	(await signed(service.current(), partner, '/api/v1/codes', '', { method: 'GET' })).code;
const evict = (partner: Pick<Credentials, 'id'>) => service.current().evict('PARTNER_GATE', partner.id);

/** What is there of these tables; the answer puts it back as it was, as a database that is set back would have it. */
async function takenDown(...tables: string[]): Promise<() => Promise<void>> {
	const taken = await Promise.all(tables.map(async (table) => ({ table, rows: await sql(`SELECT * FROM ${table}`) })));
	return async () => {
		for (const { table, rows } of taken) {
			for (const row of rows) {
				const names = Object.keys(row);
				const places = names.map(() => '?').join(', ');
				await sql(`INSERT OR IGNORE INTO ${table} (${names.join(', ')}) VALUES (${places})`, ...Object.values(row));
				const set = names.map((name) => `${name} = ?`).join(', ');
				const id = names.includes('hash') ? 'hash' : 'id';
				await sql(`UPDATE ${table} SET ${set} WHERE ${id} = ?`, ...Object.values(row), row[id]);
			}
		}
	};
}
const setBackAccess = () => takenDown('cabinet_passkeys', 'cabinet_sessions', 'cabinet_invitations');
const SIGN_IN = '/cabinet/sign-in';
const isIn = async (one: CabinetVisitor, cookie: string): Promise<boolean> => {
	one.cookie = cookie;
	const { status, location } = await one.get('/cabinet');
	if (status === 303) expect(location).toBe(SIGN_IN);
	return status === 200;
};

const SECRETS = `UPDATE partners SET api_secret_sealed = ?, webhook_secret_sealed = ?, updated_at = updated_at + 1 WHERE id = ?`;
const secretsOf = async ({ id }: Pick<Credentials, 'id'>) => {
	const [row] = await sql<{ api: string; webhook: string }>(
		'SELECT api_secret_sealed AS api, webhook_secret_sealed AS webhook FROM partners WHERE id = ?',
		id,
	);
	if (!row) throw new Error('no such partner');
	return row;
};

/** Makes the gate read the record, as it does by itself each minute. */
const reload = ({ id }: Credentials, name: string) => service.current().operator('partner/update', { id, name });

describe('a secret that was replaced', () => {
	it.each([
		['by the partner', false],
		['by the operator', true],
	])(
		'%s stays dead when the row is put back, and the newest goes on, also after the gate starts again',
		async (_, byOperator) => {
			const partner = await createPartner(service.current());
			expect(await admitted(partner)).toBe(0);
			const before = await secretsOf(partner);
			const replaced = byOperator
				? await service
						.current()
						.operator<Credentials>('partner/replace-secret', { id: partner.id, secret: 'apiSecret' })
				: (await signed<Credentials>(service.current(), partner, '/api/v1/keys/rotate', { rotate: ['apiSecret'] }))
						.data;
			const newest = { ...partner, apiSecret: replaced.apiSecret };
			for (const restarts of [false, true]) {
				await sql(SECRETS, before.api, before.webhook, partner.id);
				if (restarts) await evict(partner);
				else await reload(partner, 'Set back');
				expect([await admitted(partner), await admitted(newest)]).toEqual([3, 0]);
				// What counts is in the database again.
				expect((await secretsOf(partner)).api).not.toBe(before.api);
			}
			const [{ times } = { times: 0 }] = await sql<{ times: number }>(
				"SELECT times FROM incidents WHERE kind = 'secret-set-back' AND subject = ?",
				partner.id,
			);
			expect(times).toBe(2);
			const audit = await sql<{ changes: string }>(
				"SELECT changes FROM audit_log WHERE command = 'keys put-back' AND subject = ?",
				partner.id,
			);
			expect(audit.map(({ changes }) => JSON.parse(changes))).toEqual(Array(2).fill({ putBack: ['apiSecretSealed'] }));
		},
	);

	it('stays dead where the database takes no write, and the operator’s next replacement counts', async () => {
		const partner = await createPartner(service.current());
		expect(await admitted(partner)).toBe(0);
		const before = await secretsOf(partner);
		const replace = () =>
			service.current().operator<Credentials>('partner/replace-secret', { id: partner.id, secret: 'apiSecret' });
		const newest = { ...partner, apiSecret: (await replace()).apiSecret };
		await sql(SECRETS, before.api, before.webhook, partner.id);
		await sql(`CREATE TRIGGER no_change BEFORE UPDATE ON partners BEGIN SELECT RAISE(ABORT, 'no'); END`);
		await evict(partner);
		expect([await admitted(partner), await admitted(newest)]).toEqual([3, 0]);
		await sql('DROP TRIGGER no_change');
		const third = { ...partner, apiSecret: (await replace()).apiSecret };
		expect([await admitted(partner), await admitted(newest), await admitted(third)]).toEqual([3, 3, 0]);
	});

	it('signs no webhook again, and is not shown in the cabinet', async () => {
		const receiver = await startWebhookReceiver();
		const partner = await createPartner(service.current(), { webhookUrl: receiver.url });
		const visitor = await new CabinetVisitor(service.current()).enter(partner.id);
		const before = await secretsOf(partner);
		const { webhookSecret } = await service
			.current()
			.operator<Credentials>('partner/replace-secret', { id: partner.id, secret: 'webhookSecret' });
		await sql(SECRETS, before.api, before.webhook, partner.id);
		await evict(partner);
		const { data: order } = await create(service.current(), partner);
		await sql(SECRETS, before.api, before.webhook, partner.id);
		await service.current().operator('sandbox/deposit', { orders: [order.id], confirmations: 0 });
		const delivery = await receiver.waitFor(() => true, 20_000);
		expect([verify(delivery, webhookSecret), verify(delivery, partner.webhookSecret)]).toEqual([true, false]);
		await receiver.close();
		await visitor.get('/cabinet/credentials');
		const page = await visitor.confirmed('/cabinet/credentials/show', 'secrets');
		expect(page.text).toContain(webhookSecret);
		expect(page.text).not.toContain(partner.webhookSecret);
	});

	it('does not come back with a time that was changed in its row', async () => {
		const partner = await createPartner(service.current());
		expect(await admitted(partner)).toBe(0);
		const before = await secretsOf(partner);
		const { apiSecret } = await service
			.current()
			.operator<Credentials>('partner/replace-secret', { id: partner.id, secret: 'apiSecret' });
		const newest = { ...partner, apiSecret };
		const withTime = (at: number) => before.api.replace(/\d+$/, String(at));
		// It does not open: calls fail loudly, and the old secret is not taken.
		await sql(SECRETS, withTime(Date.now()), before.webhook, partner.id);
		expect([await admitted(partner), await admitted(newest)]).toEqual([3, 0]);
		await evict(partner);
		expect(await admitted(partner)).toBe(99);
		await sql(SECRETS, withTime(9_999_999_999_999), before.webhook, partner.id);
		expect([await admitted(partner), await admitted(newest)]).toEqual([3, 0]);
	});

	it('nor with one of the future that the key itself has sealed, and later replacements count', async () => {
		const partner = await createPartner(service.current());
		expect(await admitted(partner)).toBe(0);
		const before = await secretsOf(partner);
		const keys = keyRing(service.current().local.secrets, 'SECRETS_KEY');
		const planted = { partnerId: partner.id, name: 'apiSecret', secret: 'planted', at: 999_999_999_999_999 } as const;
		await sql(SECRETS, await sealIssued(keys, planted), before.webhook, partner.id);
		await evict(partner);
		expect([await admitted({ ...partner, apiSecret: 'planted' }), await admitted(partner)]).toEqual([3, 0]);
		await sql(SECRETS, await sealIssued(keys, planted), before.webhook, partner.id);
		const { apiSecret } = await service
			.current()
			.operator<Credentials>('partner/replace-secret', { id: partner.id, secret: 'apiSecret' });
		expect([await admitted(partner), await admitted({ ...partner, apiSecret })]).toEqual([3, 0]);
	});
});

describe('access to the cabinet that has ended', () => {
	const newVisitor = (passkey?: CabinetVisitor['passkey']) => new CabinetVisitor(service.current(), passkey);
	const entered = async () => {
		const partner = await createPartner(service.current());
		return { partner, one: await newVisitor().enter(partner.id) };
	};
	/** What follows holds at once, and after the gate has started again. */
	const twice = async (partner: Pick<Credentials, 'id'>, check: () => Promise<void>): Promise<void> => {
		await check();
		await evict(partner);
		await check();
	};

	it('a session that was signed out opens nothing, though its row is back', async () => {
		const { partner, one } = await entered();
		const [before, setBack] = [one.cookie, await setBackAccess()];
		await one.post('/cabinet/sign-out');
		await setBack();
		await twice(partner, async () => expect(await isIn(one, before)).toBe(false));
	});

	it('nor one that another sign-in in the same browser ended', async () => {
		const { partner, one } = await entered();
		const [before, setBack] = [one.cookie, await setBackAccess()];
		expect((await one.signIn()).status).toBe(303);
		const newer = one.cookie;
		await setBack();
		await twice(partner, async () => expect([await isIn(one, before), await isIn(one, newer)]).toEqual([false, true]));
	});

	it('nor one that was ended from another session, alone or with all others', async () => {
		const { partner, one } = await entered();
		const [second, third] = [newVisitor(one.passkey), newVisitor(one.passkey)];
		for (const each of [second, third]) await each.signIn();
		const [own, cookies, setBack] = [one.cookie, [second.cookie, third.cookie], await setBackAccess()];
		const [row] = await sql<{ id: string }>('SELECT id FROM cabinet_sessions ORDER BY created_at DESC LIMIT 1');
		await one.get('/cabinet/access');
		await one.post('/cabinet/access/sessions/end', { id: row?.id ?? '' });
		expect(await isIn(third, cookies[1] ?? '')).toBe(false);
		await setBack();
		expect(await isIn(third, cookies[1] ?? '')).toBe(false);
		// Hidden by who writes rows while all others are ended.
		const [{ id: mine } = { id: '' }] = await sql<{ id: string }>(
			'SELECT id FROM cabinet_sessions WHERE partner_id = ? ORDER BY created_at LIMIT 1',
			partner.id,
		);
		await sql('DELETE FROM cabinet_sessions WHERE id <> ?', mine);
		await one.post('/cabinet/access/sessions/end-others');
		await setBack();
		await twice(partner, async () => {
			expect([await isIn(second, cookies[0] ?? ''), await isIn(third, cookies[1] ?? '')]).toEqual([false, false]);
			expect(await isIn(one, own)).toBe(true);
		});
	});

	it('a passkey that was removed signs nobody in, nor does its session go on, and it is not listed', async () => {
		const { partner, one } = await entered();
		const other = await newVisitor().enter(partner.id);
		const [cookie, setBack] = [other.cookie, await setBackAccess()];
		await one.get('/cabinet/access');
		expect((await one.confirmed('/cabinet/access/passkeys/remove', 'passkeys', { id: other.passkey.id })).status).toBe(
			303,
		);
		await setBack();
		await twice(partner, async () => {
			expect(await isIn(other, cookie)).toBe(false);
			expect((await other.signIn()).status).toBe(403);
			expect((await one.get('/cabinet/access')).text).not.toContain(other.passkey.id);
			const shown = await service.current().operator<{ passkeys: unknown[] }>('partner/access', { id: partner.id });
			expect(shown.passkeys).toHaveLength(1);
		});
	});

	it('two who remove each other’s passkey at once do not shut everybody out', async () => {
		const { partner, one } = await entered();
		const other = await newVisitor().enter(partner.id);
		for (const each of [one, other]) await each.get('/cabinet/access');
		const remove = (by: CabinetVisitor, of: CabinetVisitor) =>
			by.confirmed('/cabinet/access/passkeys/remove', 'passkeys', { id: of.passkey.id });
		await Promise.all([remove(one, other), remove(other, one)]);
		const signedIn = [(await one.signIn()).status, (await other.signIn()).status];
		expect(signedIn.filter((status) => status === 303)).toHaveLength(1);
	});

	it('all that end-access ended stays ended, also what had no row at that moment, and a new link lets in', async () => {
		const { partner, one } = await entered();
		const link = await one.invited(partner.id);
		const [cookie, setBack] = [one.cookie, await setBackAccess()];
		await sql('DELETE FROM cabinet_sessions WHERE partner_id = ?', partner.id);
		await service.current().operator('partner/end-access', { id: partner.id });
		await setBack();
		await twice(partner, async () => {
			expect(await isIn(one, cookie)).toBe(false);
			expect((await one.signIn()).status).toBe(403);
			await expect(newVisitor().accept(link)).rejects.toThrow('403');
		});
		const again = await newVisitor().enter(partner.id);
		expect((await again.get('/cabinet')).status).toBe(200);
	});

	it('a link that was used is not used again, and what one that recovers ended stays ended', async () => {
		const { partner, one } = await entered();
		const [older, recovery] = [await one.invited(partner.id), await one.invited(partner.id, { recover: true })];
		const [cookie, setBack] = [one.cookie, await setBackAccess()];
		const owner = newVisitor();
		expect((await owner.accept(recovery)).status).toBe(303);
		const own = owner.cookie;
		await setBack();
		await twice(partner, async () => {
			expect([await isIn(one, cookie), await isIn(owner, own)]).toEqual([false, true]);
			expect((await one.signIn()).status).toBe(403);
			for (const link of [older, recovery]) await expect(newVisitor().accept(link)).rejects.toThrow('403');
		});
	});

	it('a session of the console that was signed out stays ended', async () => {
		const { visitor: operator } = await signIn(service.current(), service.current().local.secrets.OPERATOR_TOKEN);
		const setBack = await takenDown('operator_sessions');
		const page = await operator.get('/operator/partners');
		expect(page.status).toBe(200);
		expect((await operator.post('/operator/sign-out', hiddenFields(page, '/operator/sign-out'))).status).toBe(303);
		await setBack();
		await twice({ id: 'operator' }, async () => {
			expect((await operator.get('/operator/partners')).status).toBe(401);
		});
	});
});
