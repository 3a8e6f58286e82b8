/** The operator console behind Cloudflare Access, whose team a local server plays. */
import { createHmac, generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
	type AccessTeam,
	AUDIENCE,
	type Claims,
	EMAIL,
	KID,
	part,
	seconds,
	startAccessTeam,
} from '../support/access-team.ts';
import { hiddenFields, visitor } from '../support/console-visit.ts';
import { startTestService, type TestService } from '../support/service.ts';

const CONTACT = 'mailto:security@example.com';
const ROLES = 'admin=Owners; support=Help desk; view=Staff';
const DAY_MILLISECONDS = 86_400_000;
const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;

let service: TestService;
let team: AccessTeam;

beforeAll(async () => {
	team = await startAccessTeam();
	const variables = {
		ACCESS_TEAM_DOMAIN: team.origin,
		ACCESS_AUDIENCE: AUDIENCE,
		ACCESS_ROLES: ROLES,
		SECURITY_CONTACT: CONTACT,
	};
	service = await startTestService(variables, undefined, {}, { pages: true });
});
afterAll(async () => {
	await service?.local.stop();
	team.stop();
});

const claims: AccessTeam['claims'] = (more) => team.claims({ groups: ['Guests', 'Owners'], ...more });
const jwt: AccessTeam['jwt'] = (...given) => team.jwt(...given);

const unsigned = (body: Claims): string => `${part({ alg: 'none', typ: 'JWT', kid: KID })}.${part(body)}.`;

/** The public key as the secret of an HMAC. */
function confused(body: Claims): string {
	const signed = `${part({ alg: 'HS256', typ: 'JWT', kid: KID })}.${part(body)}`;
	const pem = team.publicKey.export({ format: 'pem', type: 'spki' });
	return `${signed}.${createHmac('sha256', pem).update(signed).digest('base64url')}`;
}

const by = (token: string) => visitor(service, { 'cf-access-jwt-assertion': token });

it('who Access names gets in, and the audit log has their e-mail', async () => {
	const address = '/operator/command/network/update';
	const ada = by(jwt(claims()));
	const page = await ada.get(`${address}?name=Dash&receive=off`);
	expect([page.status, page.html.includes(EMAIL)]).toEqual([200, true]);
	expect((await ada.post(address, hiddenFields(page, address))).html).toContain('Done: network update');
	const lines = await service.operator<{ by: string; subject: string }[]>('audit/list', { subject: 'Dash' });
	expect(lines.map((line) => line.by)).toEqual([EMAIL]);
	const before = team.asked();
	await by(jwt(claims())).get('/operator');
	expect(team.asked()).toBe(before);
});

it.each([
	['view', { groups: ['Staff'] }, false],
	['support', { groups: [], custom: { groups: ['Help desk', 'Staff'] } }, true],
])('the role %s of a group reads, and runs no command above it', async (role, groups, mayRefund) => {
	const one = by(jwt(claims({ ...groups, email: `${role}@house.example` })));
	expect((await one.get('/operator/networks')).status).toBe(200);
	const send = async (command: string, query: string) => {
		const page = await one.get(`/operator/command/${command}?${query}`);
		return (await one.post(`/operator/command/${command}`, hiddenFields(page, `/operator/command/${command}`))).html;
	};
	const refused = `your role, ${role}, may not run this command`;
	expect(await send('network/update', 'name=Solana&receive=off')).toContain(refused);
	const refund = await send('order/refund', 'id=00000000-0000-4000-8000-000000000000');
	expect(refund.includes(refused)).toBe(!mayRefund);
	expect(await service.operator('audit/list', { subject: 'Solana' })).toEqual([]);
});

describe('nobody gets in, and nothing is shown,', () => {
	it.each<[string, () => string]>([
		['without a token', () => ''],
		['with what is no token', () => 'a.b.c'],
		['with a token that another key signed', () => jwt(claims(), {}, stranger)],
		['with a token of a key that nobody knows', () => jwt(claims(), { kid: 'another' })],
		[
			'with a token whose claims were changed',
			() => jwt(claims()).replace(/\.[^.]+\./, `.${part(claims({ email: 'eve@x.example' }))}.`),
		],
		['with a token that is over', () => jwt(claims({ exp: seconds() - 1 }))],
		['with a token without an end', () => jwt(claims({ exp: undefined }))],
		['with a token for another application', () => jwt(claims({ aud: ['f'.repeat(32)] }))],
		['with a token of another team', () => jwt(claims({ iss: 'https://other.cloudflareaccess.com' }))],
		['with a token without groups', () => jwt(claims({ groups: undefined }))],
		['with a token of groups without a role', () => jwt(claims({ groups: ['Guests', 'owners'] }))],
		['with a token whose groups are no list', () => jwt(claims({ groups: 'Owners', custom: 'Owners' }))],
		['with a token that has the group in another claim', () => jwt(claims({ groups: [], roles: ['Owners'] }))],
		[
			'with a token whose groups were changed',
			() => jwt(claims({ groups: [] })).replace(/\.[^.]+\./, `.${part(claims())}.`),
		],
		['with a token that names nobody', () => jwt(claims({ email: undefined }))],
		['with alg none', () => unsigned(claims())],
		['with the public key as a secret', () => confused(claims())],
	])('%s', async (_, token) => {
		const { status, html } = await by(token()).get('/operator/networks');
		expect(status).toBe(403);
		expect(html).not.toMatch(/Litecoin|name="token"/);
	});

	it('with the operator’s token, which signs in only where there is no Access', async () => {
		const fields = { token: service.local.secrets.OPERATOR_TOKEN };
		const { status, headers } = await visitor(service).post('/operator/sign-in', fields);
		expect([status, headers.get('set-cookie')]).toEqual([403, null]);
	});

	it('by another name of the host: a team on this machine is for this machine alone', async () => {
		const { status, html } = await by(jwt(claims())).get('/operator');
		expect(status).toBe(200);
		expect(html).toContain(EMAIL);
		const foreign = await fetch(`${service.url.replace('127.0.0.1', 'localhost')}/operator`, {
			headers: { 'cf-access-jwt-assertion': jwt(claims()) },
		});
		expect(foreign.status).toBe(403);
	});
});

it('a form of one person is none of another, and a name in the operator API’s header is only that of the command line', async () => {
	const address = '/operator/command/network/update';
	const page = await by(jwt(claims())).get(`${address}?name=Tron&receive=off`);
	const answer = await by(jwt(claims({ email: 'bob@house.example' }))).post(address, hiddenFields(page, address));
	expect(answer.status).toBe(403);
	await fetch(`${service.url}/operator/v1/network/update`, {
		method: 'POST',
		headers: {
			authorization: `Bearer ${service.local.secrets.OPERATOR_TOKEN}`,
			'x-operator': encodeURIComponent(`${EMAIL}\u202E`),
		},
		body: JSON.stringify({ name: 'Tron', receive: false }),
	});
	const lines = await service.operator<{ by: string }[]>('audit/list', { subject: 'Tron' });
	expect(lines.map((line) => line.by)).toEqual([`command ${EMAIL}`]);
});

// Here, because this file's service has variables of its own.
it('security.txt says whom to tell of a weakness, and does not expire', async () => {
	const address = `${service.url}/.well-known/security.txt`;
	const text = await (await fetch(address)).text();
	expect(text).toContain(`Contact: ${CONTACT}\n`);
	expect(text).toContain(`Canonical: ${address}\n`);
	expect(Date.parse(/^Expires: (.+)$/m.exec(text)?.[1] ?? '')).toBeGreaterThan(Date.now() + 90 * DAY_MILLISECONDS);
});
