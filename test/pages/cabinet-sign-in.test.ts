/** Who gets into the cabinet, and who does not: nothing is shown to those who do not. */
import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { keyRing } from '../../src/crypto/key-ring.ts';
import { sealAccess } from '../../src/partners/sign-in/seal.ts';
import { Authenticator } from '../support/authenticator.ts';
import { CabinetVisitor, cabinetUrl, type Page } from '../support/cabinet.ts';
import { createPartner } from '../support/partner.ts';
import { sharedService } from '../support/service.ts';

const service = sharedService();
const NAME = 'Alpha Wallet';

const visitor = (passkey?: Authenticator) => new CabinetVisitor(service.current(), passkey);
const newPartner = (more: object = {}) => createPartner(service.current(), { name: NAME, ...more });
const inside = async () => visitor().enter((await newPartner()).id);

/** Refused, without a session and without a word of the partner. */
function expectNothing(page: Page, { cookie }: { readonly cookie: string }): void {
	expect(page.status).toBe(403);
	expect(cookie).toBe('');
	expect(page.text).not.toContain(NAME);
}

describe('an invitation', () => {
	it('lets its holder make a passkey and sign in, once', async () => {
		const { id } = await newPartner();
		const one = visitor();
		const token = await one.invited(id);
		const page = await one.accept(token);
		expect([page.status, page.location]).toEqual([303, '/cabinet']);
		expect(page.headers.get('set-cookie')).toMatch(/HttpOnly; SameSite=Lax/);
		expect((await one.get('/cabinet')).text).toContain(NAME);
		const thief = visitor();
		await expect(thief.accept(token)).rejects.toThrow('403');
		expectNothing(await thief.post('/cabinet/invitation', { token, label: 'Thief', answer: '{}' }), thief);
	});

	it('is used by one of two who come at the same time', async () => {
		const { id } = await newPartner();
		const two = [visitor(), visitor()];
		const token = await visitor().invited(id);
		const pages = await Promise.all(two.map((each) => each.accept(token)));
		expect(pages.map(({ status }) => status).toSorted()).toEqual([303, 403]);
		const rows = await service.current().sql('SELECT id FROM cabinet_passkeys WHERE partner_id = ?', id);
		expect(rows).toHaveLength(1);
	});

	it('that has expired, that was made up, or that stands in the database without a seal opens nothing', async () => {
		const { id } = await newPartner();
		const one = visitor();
		const token = await one.invited(id);
		const { sql } = service.current();
		await sql('UPDATE cabinet_invitations SET expires_at = 1 WHERE partner_id = ?', id);
		await expect(one.accept(token)).rejects.toThrow('403');
		// Set back by somebody who writes rows: the seal is over the time as well.
		await sql('UPDATE cabinet_invitations SET expires_at = 9999999999999 WHERE partner_id = ?', id);
		await expect(one.accept(token)).rejects.toThrow('403');
		await expect(one.accept('A'.repeat(43))).rejects.toThrow('403');
		expect(one.cookie).toBe('');
	});

	it('that recovers ends older passkeys, sessions and links when it is used, not before', async () => {
		const { id } = await newPartner();
		const lost = await visitor().enter(id);
		const [older, recovery] = [await lost.invited(id), await lost.invited(id, { recover: true })];
		expect((await lost.get('/cabinet/orders')).status).toBe(200);
		const owner = visitor();
		expect((await owner.accept(recovery)).status).toBe(303);
		expect((await lost.get('/cabinet/orders')).location).toBe('/cabinet/sign-in?to=%2Fcabinet%2Forders');
		expect((await lost.signIn()).status).toBe(403);
		await expect(visitor().accept(older)).rejects.toThrow('403');
		expect((await owner.get('/cabinet')).status).toBe(200);
	});
});

describe('a passkey', () => {
	it('signs in again after signing out, under a new session', async () => {
		const one = await inside();
		const before = one.cookie;
		expect((await one.post('/cabinet/sign-out')).location).toBe('/cabinet/sign-in');
		one.cookie = before;
		expect((await one.get('/cabinet')).location).toBe('/cabinet/sign-in');
		expect((await one.signIn()).location).toBe('/cabinet');
		expect(one.cookie).not.toBe(before);
	});

	it.each(['ES256', 'RS256', 'EdDSA'] as const)('of %s is made and signs in', async (algorithm) => {
		const one = visitor(new Authenticator(cabinetUrl(service.current()), algorithm));
		await one.enter((await newPartner()).id);
		await one.post('/cabinet/sign-out');
		expect((await one.signIn()).location).toBe('/cabinet');
	});

	it('signs for one challenge once: a replayed answer is refused', async () => {
		const one = await inside();
		const answer = one.passkey.get(await one.options('/cabinet/sign-in'));
		const other = visitor();
		expect((await visitor().post('/cabinet/sign-in', { answer })).status).toBe(303);
		expectNothing(await other.post('/cabinet/sign-in', { answer }), other);
	});

	it.each([
		['of another origin', { origin: 'https://evil.example' }],
		['of the same host on another port', { origin: 'http://localhost:1' }],
		['of another host', { host: 'evil.example' }],
		['to a challenge that was never asked', { challenge: 'A'.repeat(43) }],
		['of a device that did not verify its owner', { verified: false }],
		['with a counter that goes back', { counter: 0 }],
		['with the handle of another partner', { userHandle: Buffer.from('other').toString('base64url') }],
	])('is refused with an answer %s', async (_, bent) => {
		const one = await inside();
		const { sql } = service.current();
		await sql('UPDATE cabinet_passkeys SET counter = 1 WHERE id = ?', one.passkey.id);
		const other = visitor(one.passkey);
		expectNothing(await other.signIn(bent), other);
	});

	it('is refused once its challenge has expired, and with a challenge that was asked for something else', async () => {
		const one = await inside();
		const other = visitor(one.passkey);
		const asked = await other.options('/cabinet/sign-in');
		await service.current().sql('UPDATE cabinet_challenges SET expires_at = 1');
		expectNothing(await other.post('/cabinet/sign-in', { answer: one.passkey.get(asked) }), other);
		const confirming = await one.options('/cabinet/confirm', { confirms: 'credentials' });
		expectNothing(await other.post('/cabinet/sign-in', { answer: one.passkey.get(confirming) }), other);
	});

	it('that somebody wrote into the database opens nothing, though its signature is right: it has no seal', async () => {
		const one = await inside();
		const forged = visitor();
		await service.current().sql(
			`INSERT INTO cabinet_passkeys SELECT ?1, partner_id, ?2, 0, transports, label, seal, created_at, last_used_at, member, role
				FROM cabinet_passkeys WHERE id = ?3`,
			forged.passkey.id,
			forged.passkey.publicKey,
			one.passkey.id,
		);
		const handle = await service
			.current()
			.sql<{ id: string }>('SELECT partner_id AS id FROM cabinet_passkeys WHERE id = ?', one.passkey.id);
		const userHandle = Buffer.from(handle[0]?.id ?? '').toString('base64url');
		expectNothing(await forged.signIn({ userHandle }), forged);
	});
});

it.each([
	['sign-in', { answer: '{}' }],
	['invitation', { token: 'A'.repeat(43), label: 'Phone', answer: '{}' }],
])('sixty answers of a network to the %s are looked at in a minute; who is signed in goes on', async (path, fields) => {
	const one = await inside();
	const stranger = visitor();
	stranger.address = one.address.replace(/1$/, '2');
	const pages: Page[] = [];
	for (let i = 0; i < 100; i++) pages.push(await stranger.post(`/cabinet/${path}`, fields));
	const refused = pages.filter(({ status }) => status === 429);
	// The reader's invitation took some of the sixty.
	expect(refused.length).toBeGreaterThanOrEqual(40);
	expect(pages.filter(({ status }) => status === 403)).toHaveLength(pages.length - refused.length);
	expect(refused.at(-1)?.text).toContain('Too many tries from your network');
	expect(refused.at(-1)?.headers.get('retry-after')).toMatch(/^[1-6]?\d$/);
	expect((await one.get('/cabinet/orders')).status).toBe(200);
	expect((await inside()).cookie).not.toBe('');
});

describe('a session', () => {
	it('cannot be prepared for somebody: signing in never takes the cookie that was there', async () => {
		const one = await inside();
		await one.post('/cabinet/sign-out');
		const planted = one.cookie.replace(/=[A-Za-z0-9_-]{43}/, `=${'A'.repeat(43)}`);
		one.cookie = planted;
		await one.signIn();
		expect(one.cookie).not.toBe(planted);
		const attacker = visitor();
		attacker.cookie = planted;
		expect((await attacker.get('/cabinet')).location).toBe('/cabinet/sign-in');
	});

	it('can be ended from another one, and ends with its partner’s access and with the partner', async () => {
		const { id } = await newPartner();
		const [one, other] = [await visitor().enter(id), visitor()];
		other.passkey.create({ challenge: '' });
		await other.accept(await other.invited(id));
		await one.post('/cabinet/access/sessions/end-others');
		expect((await other.get('/cabinet')).location).toBe('/cabinet/sign-in');
		expect((await one.get('/cabinet')).status).toBe(200);
		await service.current().operator('partner/update', { id, enabled: false });
		expect((await one.get('/cabinet')).location).toBe('/cabinet/sign-in');
		await service.current().operator('partner/update', { id, enabled: true });
		await service.current().operator('partner/end-access', { id });
		expect((await one.get('/cabinet')).location).toBe('/cabinet/sign-in');
		expect((await one.signIn()).status).toBe(403);
	});

	it('ends after a day without use, and after a week in any case', async () => {
		const one = await inside();
		const { sql } = service.current();
		await sql('UPDATE cabinet_sessions SET last_seen_at = last_seen_at - 86400001');
		expect((await one.get('/cabinet')).location).toBe('/cabinet/sign-in');
		await one.signIn();
		await sql('UPDATE cabinet_sessions SET expires_at = 1');
		expect((await one.get('/cabinet')).location).toBe('/cabinet/sign-in');
	});
});

/** Of a passkey that is added. */
const LABEL = 'Mine';

describe('who writes the database', () => {
	const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
	const passkeysOf = (id: string) => service.current().sql('SELECT id FROM cabinet_passkeys WHERE partner_id = ?', id);
	const tokenOf = ({ cookie }: CabinetVisitor): string => cookie.slice('cabinet='.length, 'cabinet='.length + 43);
	/** Answers `challenge` with a new device, as if the page had asked. */
	const addTo = (one: CabinetVisitor, challenge: string): Promise<Page> => {
		const answer = visitor().passkey.create({ challenge, user: { id: '' } });
		return one.post('/cabinet/access/passkeys', { label: LABEL, confirms: 'passkeys', answer });
	};

	it('is signed in by no session that they write there or take over', async () => {
		const { id } = await newPartner();
		const [victim, thief] = [await visitor().enter(id), await inside()];
		const [token, own, rest] = [randomBytes(32).toString('base64url'), tokenOf(thief), thief.cookie.slice(-146)];
		const { sql } = service.current();
		await sql(
			`INSERT INTO cabinet_sessions (hash, id, partner_id, passkey_id, user_agent, created_at, last_seen_at, expires_at)
				SELECT ?1, ?1, partner_id, id, '', ?2, ?2, ?2 + 3600000 FROM cabinet_passkeys WHERE partner_id = ?3`,
			hashOf(token),
			Date.now(),
			id,
		);
		await sql(
			'UPDATE cabinet_sessions SET partner_id = ?1, passkey_id = ?2 WHERE hash = ?3',
			id,
			victim.passkey.id,
			hashOf(own),
		);
		for (const value of [
			token,
			`${token}.${id}${rest}`,
			`${own}.${id}${rest}`,
			thief.cookie.slice('cabinet='.length),
		]) {
			thief.cookie = `cabinet=${value}`;
			expect(await thief.get('/cabinet')).toMatchObject({ status: 303, location: '/cabinet/sign-in' });
		}
	});

	it('prolongs no session beyond its week', async () => {
		const { id } = await newPartner();
		const one = await visitor().enter(id);
		const { sql, local } = service.current();
		await sql('UPDATE cabinet_sessions SET expires_at = 9999999999999');
		const begunAt = async (createdAt: number): Promise<void> => {
			const passkeyHash = hashOf(one.passkey.id);
			const terms = { hash: hashOf(tokenOf(one)), partnerId: id, createdAt, passkeyHash, who: 'admin Owner' };
			const seal = await sealAccess(keyRing(local.secrets, 'SEAL_KEY'), 'session', terms);
			const who = Buffer.from(terms.who).toString('base64url');
			one.cookie = `cabinet=${tokenOf(one)}.${id}.${createdAt}.${passkeyHash}.${who}.${seal}`;
		};
		const week = 7 * 86_400_000;
		await begunAt(Date.now() - week + 60_000);
		expect((await one.get('/cabinet')).status).toBe(200);
		await begunAt(Date.now() - week);
		expect((await one.get('/cabinet')).location).toBe('/cabinet/sign-in');
	});

	it('makes no passkey of a challenge that they wrote there, even in a session of the partner', async () => {
		const { id } = await newPartner();
		const thief = await visitor().enter(id);
		const challenge = randomBytes(32).toString('base64url');
		await service.current().sql(
			`INSERT INTO cabinet_challenges (hash, purpose, bound_to, expires_at, seal)
				SELECT ?, 'add passkey', ?, ?, coalesce((SELECT seal FROM cabinet_challenges LIMIT 1), '')`,
			hashOf(challenge),
			`${hashOf(tokenOf(thief))} ${id}`,
			Date.now() + 60_000,
		);
		expect((await addTo(thief, challenge)).status).toBe(403);
		expect(await passkeysOf(id)).toHaveLength(1);
	});

	it('takes no passkey over to another partner by changing whose the session is', async () => {
		const [own, other] = [await newPartner(), await newPartner()];
		const one = await visitor().enter(own.id);
		const answer = one.passkey.get(await one.options('/cabinet/confirm', { label: LABEL, confirms: 'passkeys' }));
		const { challenge } = await one.options('/cabinet/access/passkeys', { label: LABEL, confirms: 'passkeys', answer });
		await visitor().enter(other.id);
		await service.current().sql(
			`UPDATE cabinet_sessions SET partner_id = ?1, passkey_id = (SELECT id FROM cabinet_passkeys WHERE partner_id = ?1)
				WHERE partner_id = ?2`,
			other.id,
			own.id,
		);
		expect((await addTo(one, challenge)).location).toBe('/cabinet/sign-in');
		expect(await passkeysOf(other.id)).toHaveLength(1);
	});
});

it('a passkey that is under way when the operator ends all access is not added', async () => {
	const { id } = await newPartner();
	const one = await visitor().enter(id);
	const answer = one.passkey.get(await one.options('/cabinet/confirm', { label: LABEL, confirms: 'passkeys' }));
	const { challenge } = await one.options('/cabinet/access/passkeys', { label: LABEL, confirms: 'passkeys', answer });
	const { sql, operator } = service.current();
	// In the moment before the passkey is stored, after the session was read.
	await sql(
		`CREATE TRIGGER shut AFTER DELETE ON cabinet_challenges BEGIN
			DELETE FROM cabinet_sessions WHERE partner_id = '${id}'; DELETE FROM cabinet_passkeys WHERE partner_id = '${id}'; END`,
	);
	const made = visitor().passkey.create({ challenge, user: { id: '' } });
	const page = await one.post('/cabinet/access/passkeys', { label: LABEL, confirms: 'passkeys', answer: made });
	await sql('DROP TRIGGER shut');
	expect(page.status).not.toBe(303);
	expect(await operator<object[]>('partner/access', { id })).toMatchObject({ passkeys: [] });
});
