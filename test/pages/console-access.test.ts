/** The operator console behind Cloudflare Access, whose team a local server plays. */
import { createHmac, generateKeyPairSync, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ASSET_IDS, assetOf } from '../../src/catalog/assets.ts';
import { sha256Hex } from '../../src/crypto/tokens.ts';
import { mayRun } from '../../src/operator/roles.ts';
import { COMMANDS, commandAt } from '../../src/pages/operator/commands.ts';
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
import { type Filled, fillConsole, NO_WORDS } from '../support/console-pages.ts';
import { hiddenFields, type Visited, visitor } from '../support/console-visit.ts';
import { startTestService, type TestService } from '../support/service.ts';

const CONTACT = 'mailto:security@example.com';
const ROLES = 'admin=Owners; support=Help desk; view=Staff';
const DAY_MILLISECONDS = 86_400_000;
const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;

let service: TestService;
let team: AccessTeam;
let filled: Filled & { readonly transaction: string };

beforeAll(async () => {
	team = await startAccessTeam();
	const variables = {
		ACCESS_TEAM_DOMAIN: team.origin,
		ACCESS_AUDIENCE: AUDIENCE,
		ACCESS_ROLES: ROLES,
		SECURITY_CONTACT: CONTACT,
	};
	service = await startTestService(variables, undefined, {}, { pages: true });
	const { partner, done, emergency } = await fillConsole(service);
	const [paid] = await service.operator<{ id: string }[]>('payout/list');
	filled = { partner, done, emergency, transaction: paid?.id ?? '' };
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
	const page = await ada.get(`${address}?name=Avalanche&receive=off`);
	expect([page.status, page.html.includes(EMAIL)]).toEqual([200, true]);
	expect((await ada.post(address, hiddenFields(page, address))).html).toContain('Done: change the switch');
	const lines = await service.operator<{ by: string; subject: string }[]>('audit/list', { subject: 'Avalanche' });
	expect(lines.map((line) => line.by)).toEqual([EMAIL]);
	const before = team.asked();
	await by(jwt(claims())).get('/operator');
	expect(team.asked()).toBe(before);
});

it.each([
	['view', { groups: ['Staff'] }, false],
	['support', { groups: [], custom: { groups: ['Help desk', 'Staff'] } }, true],
])('the role %s of a group reads, and runs no command above it', async (role, groups, mayRefund) => {
	const token = jwt(claims({ ...groups, email: `${role}@house.example` }));
	const one = by(token);
	expect((await one.get('/operator/networks')).status).toBe(200);
	// The page shows them no such form: they make it themselves.
	const send = async (command: string, fields: Readonly<Record<string, string>>) => {
		const own = { _key: await sha256Hex(`console form ${token}`), _form: randomUUID(), _sure: 'yes' };
		return (await one.post(`/operator/command/${command}`, { ...own, ...fields })).html;
	};
	const refused = `your role, ${role}, may not run this command`;
	expect(await send('network/update', { name: 'Solana', receive: 'off' })).toContain(refused);
	const refund = await send('order/refund', { id: '00000000-0000-4000-8000-000000000000' });
	expect(refund.includes(refused)).toBe(!mayRefund);
	expect(await service.operator('audit/list', { subject: 'Solana' })).toEqual([]);
});

const PAGES = (): readonly string[] => [
	'',
	'/networks',
	'/networks/Litecoin',
	'/prices',
	'/orders',
	`/orders/${filled.emergency}`,
	`/orders/${filled.done}`,
	'/transactions',
	`/transactions/${filled.transaction}`,
	'/partners',
	`/partners/${filled.partner.id}`,
	'/settings',
	'/settings/pairs?from=LTC',
	'/ledger',
	'/reports',
	'/audit',
	'/command',
	...COMMANDS.map(({ path }) => `/command/${path}`),
];

/** The commands that a page leads to by a link or a form, and those that it has a form for. */
function commandsOn({ html }: Visited): string[] {
	const found = html.matchAll(/(?:href|<form method="post" action)="\/operator\/command\/([a-z\d/-]+)/g);
	return [...new Set([...found].map(([, path = '']) => path))].toSorted();
}

it('each page of the console has exactly the buttons that the role may use, and says which it has not', async () => {
	const asRole = (group: string) => by(jwt(claims({ groups: [group] })));
	const roles = { view: asRole('Staff'), support: asRole('Help desk'), admin: asRole('Owners') };
	let withheld = 0;
	for (const path of PAGES()) {
		const admin = await roles.admin.get(`/operator${path}`);
		expect([path, admin.status, admin.html.includes('Not for your role')]).toEqual([path, 200, false]);
		for (const role of ['view', 'support'] as const) {
			const page = await roles[role].get(`/operator${path}`);
			const may = (one: string) => mayRun(role, one, commandAt(one)?.declaration.reads === true);
			const [all, left] = [commandsOn(admin), commandsOn(admin).filter(may)];
			expect([role, path, commandsOn(page)]).toEqual([role, path, left]);
			const isLess = left.length < all.length;
			expect([role, path, page.html.includes(`Not for your role, ${role}: `)]).toEqual([role, path, isLess]);
			if (isLess) withheld++;
		}
	}
	expect(withheld).toBeGreaterThan(COMMANDS.length);
});

/** Codes that say coin and network in one word. */
const CODES = new RegExp(`(?<![-\\w])(${ASSET_IDS.filter((code) => assetOf(code).coin !== code).join('|')})\\b`);

it('labels and heads of the console are words for people, and assets have their network beside them', async () => {
	const admin = by(jwt(claims()));
	const said = new Set<string>();
	for (const path of PAGES().filter((one) => one !== '/command')) {
		const { html } = await admin.get(`/operator${path}`);
		for (const [, text = ''] of html.matchAll(/<(?:label for|th scope="col"|dt)[^>]*>([^<]+)</g)) said.add(text);
		const found = [...html.matchAll(/<(?:td|th scope="row")[\s\S]*?<\/t[dh]>/g)].map(([cell]) => cell);
		// Those of monitors are theirs.
		const cells = found.filter((cell) => !cell.includes('data-head="Code at '));
		expect([path, cells.map((cell) => cell.replaceAll(/<[^>]*>/g, '')).filter((text) => CODES.test(text))]).toEqual([
			path,
			[],
		]);
	}
	expect(said.size).toBeGreaterThan(150);
	expect([...said].filter((text) => !/^[A-Z]/.test(text) || NO_WORDS.test(text))).toEqual([]);
	expect((await admin.get('/operator/settings')).html).toContain('USDC · Polygon');
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
