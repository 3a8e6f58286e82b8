/** A partner's team: who may do what, how people come and go, and the log of what they did. */
import { beforeAll, describe, expect, it } from 'vitest';
import { ACTIONS } from '../../src/pages/cabinet/roles.ts';
import { ROLES, type Role } from '../../src/partners/partner.ts';
import { CabinetVisitor } from '../support/cabinet.ts';
import { type Credentials, createPartner } from '../support/partner.ts';
import { sharedService } from '../support/service.ts';

const service = sharedService();
let partner: Credentials;
let owner: CabinetVisitor;

beforeAll(async () => {
	partner = await createPartner(service.current(), { name: 'Team' });
	owner = await new CabinetVisitor(service.current()).enter(partner.id);
});

const invite = (by: CabinetVisitor, member: string, role: string) =>
	by.confirmed('/cabinet/team/invite', 'passkeys', { member, role });
const tokenIn = ({ text }: { readonly text: string }) => /invitation#([A-Za-z0-9_-]{43})/.exec(text)?.[1] ?? '';

/** Comes by a link of the team. */
async function join(by: CabinetVisitor, member: string, role: Role): Promise<CabinetVisitor> {
	const one = new CabinetVisitor(service.current());
	await one.accept(tokenIn(await invite(by, member, role)));
	await one.get('/cabinet');
	return one;
}

const LEAST: Readonly<Record<Role, readonly string[]>> = {
	view: [
		...['sign-in', 'invitation', 'sign-out', 'confirm/options', 'access/passkeys/options', 'access/passkeys'],
		...['access/passkeys/remove', 'access/sessions/end'],
	],
	support: ['orders/exchange', 'orders/refund', 'webhooks/test', 'webhooks/again'],
	admin: [
		...['access/sessions/end-others', 'webhooks', 'codes', 'codes/disable', 'codes/enable', 'earnings', 'settings'],
		...['appearance', 'appearance/look'],
		...['credentials', 'credentials/show', 'keys', 'keys/revoke', 'team/invite', 'team/cancel', 'team/remove'],
	],
};
const NOT_ALLOWED = 'may not do this';

describe('a role', () => {
	it.each(ROLES)('“%s” has its actions, and no other', (role) => {
		const found = Object.entries(ACTIONS).filter(([, { least }]) => least === role);
		expect(found.map(([name]) => name).toSorted()).toEqual([...LEAST[role]].toSorted());
	});

	it.each(['view', 'support'] as const)('“%s” is refused every action above it, by the server', async (role) => {
		const one = await join(owner, `Only ${role}`, role);
		const allowed = role === 'view' ? LEAST.view : [...LEAST.view, ...LEAST.support];
		const above = Object.values(LEAST)
			.flat()
			.filter((name) => !allowed.includes(name));
		for (const name of [...above, 'what-comes-later']) {
			const page = await one.post(`/cabinet/${name}`);
			expect([name, page.status, page.text.includes(NOT_ALLOWED)]).toEqual([name, 403, true]);
		}
		for (const name of allowed.filter((each) => !['sign-in', 'invitation', 'sign-out'].includes(each))) {
			const page = await one.post(`/cabinet/${name}`);
			expect([name, page.text.includes(NOT_ALLOWED)]).toEqual([name, false]);
		}
		expect((await one.get('/cabinet/settings')).text).not.toContain('Save with your passkey');
	});

	it('is not raised by who writes the database: the passkey then signs nobody in', async () => {
		const one = await join(owner, 'Riser', 'view');
		await service.current().sql("UPDATE cabinet_passkeys SET role = 'admin' WHERE id = ?", one.passkey.id);
		expect((await one.post('/cabinet/keys')).text).toContain(NOT_ALLOWED);
		expect((await new CabinetVisitor(service.current(), one.passkey).signIn()).status).toBe(403);
	});

	it('lets nobody confirm in a session of another member', async () => {
		const viewer = await join(owner, 'Viewer', 'view');
		const asked = await owner.options('/cabinet/confirm', { confirms: 'secrets' });
		const answer = viewer.passkey.get(asked);
		const page = await owner.post('/cabinet/credentials/show', { confirms: 'secrets', answer });
		expect([page.status, page.text.includes(partner.apiSecret)]).toEqual([403, false]);
	});

	it('lets who is no admin end what is theirs, and nothing of others', async () => {
		const one = await join(owner, 'Modest', 'support');
		const others = await one.confirmed('/cabinet/access/passkeys/remove', 'passkeys', { id: owner.passkey.id });
		expect([others.status, others.text.includes('it is not yours')]).toEqual([403, true]);
		const [session] = await service
			.current()
			.sql<{ id: string }>('SELECT id FROM cabinet_sessions WHERE passkey_id = ?', owner.passkey.id);
		expect((await one.post('/cabinet/access/sessions/end', { id: session?.id ?? '' })).status).toBe(403);
		expect((await owner.get('/cabinet/team')).status).toBe(200);
		expect((await one.get('/cabinet/access')).text).not.toContain('Owner');
		await one.confirmed('/cabinet/access/passkeys/remove', 'passkeys', { id: one.passkey.id });
		expect((await one.get('/cabinet')).location).toBe('/cabinet/sign-in');
	});
});

describe('a member', () => {
	it('is invited by an admin under a name that nobody has, by a link that works once', async () => {
		const made = await invite(owner, 'Ana', 'support');
		expect(made.text).toContain('Ana');
		const ana = new CabinetVisitor(service.current());
		expect((await ana.accept(tokenIn(made))).status).toBe(303);
		await expect(new CabinetVisitor(service.current()).accept(tokenIn(made))).rejects.toThrow('403');
		for (const name of ['ana', 'Owner']) expect((await invite(owner, name, 'view')).text).toContain('has this name');
		expect((await invite(owner, 'Eve\u202E', 'view')).text).toContain('plain letters');
		expect((await invite(owner, 'Eve', 'operator')).text).toContain('and a role');
	});

	it('whose link was cancelled does not come in', async () => {
		const token = tokenIn(await invite(owner, 'Late', 'view'));
		const hash = /name="hash" value="([0-9a-f]{64})"/.exec((await owner.get('/cabinet/team')).text)?.[1] ?? '';
		expect((await owner.post('/cabinet/team/cancel', { hash })).status).toBe(303);
		await expect(new CabinetVisitor(service.current()).accept(token)).rejects.toThrow('403');
	});

	it('who is removed is out at once, with all passkeys and every link that an admin could have kept', async () => {
		const bob = await join(owner, 'Bob', 'admin');
		const kept = tokenIn(await invite(bob, 'Bob’s friend', 'admin'));
		const gone = await owner.confirmed('/cabinet/team/remove', 'passkeys', { member: 'Bob', role: 'admin' });
		expect(gone.status).toBe(303);
		expect((await bob.get('/cabinet/orders')).location).toContain('/cabinet/sign-in');
		expect((await bob.signIn()).status).toBe(403);
		await expect(new CabinetVisitor(service.current()).accept(kept)).rejects.toThrow('403');
	});

	it('who is the last admin is not removed', async () => {
		const other = await createPartner(service.current(), { name: 'Alone' });
		const alone = await new CabinetVisitor(service.current()).enter(other.id);
		await join(alone, 'Helper', 'support');
		const page = await alone.confirmed('/cabinet/team/remove', 'passkeys', { member: 'Owner', role: 'admin' });
		expect([page.status, page.text.includes('nobody else of your team is an admin')]).toEqual([403, true]);
		expect((await alone.get('/cabinet')).status).toBe(200);
	});
});

it('the log says who did what and when, of this partner alone, and nobody rewrites it', async () => {
	const other = await createPartner(service.current(), { name: 'Logged' });
	const one = await new CabinetVisitor(service.current()).enter(other.id);
	const carla = await join(one, 'Carla', 'admin');
	await carla.post('/cabinet/codes', { code: 'logged', label: '', afftaxBps: '0' });
	await carla.post('/cabinet/codes', { code: 'x', label: '', afftaxBps: '0' });
	await carla.confirmed('/cabinet/credentials/show', 'secrets');
	const { text } = await one.get('/cabinet/log');
	const cellsOf = (row: string) => row.split(/<\/t[dh]>/).map((cell) => cell.replaceAll(/<[^>]*>/g, '').trim());
	const rows = text.split('<tr>').slice(2).map(cellsOf);
	expect(rows.map(([, who, what]) => `${who}: ${what}`)).toEqual([
		'Carla: Viewed the secrets',
		'Carla: Created a reference code',
		'Carla: Made a passkey by an invitation',
		'Owner: Invited a member',
		'Owner: Made a passkey by an invitation',
	]);
	expect(text).not.toContain(other.apiSecret);
	expect((await owner.get('/cabinet/log')).text).not.toContain('Carla');
	await expect(
		service.current().sql("UPDATE audit_log SET actor = 'partner Eve' WHERE subject = ?", other.id),
	).rejects.toThrow();
});
