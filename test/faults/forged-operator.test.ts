/**
 * Somebody controls the pages Worker: their code stands in its place, and asks the desk for what it likes, with any request
 * that reaches it. Who acts is judged by what the request brought, and by nothing that the page says.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LocalWorkers, PAGES_WORKER } from '../../src/local/workers.ts';
import { type AccessTeam, AUDIENCE, EMAIL, seconds, startAccessTeam } from '../support/access-team.ts';
import { startTestService, type TestService } from '../support/service.ts';

/** Calls the desk as it is told to. */
const ATTACKER = `
import { WorkerEntrypoint } from 'cloudflare:workers';
export default class extends WorkerEntrypoint {
	async show(request, desk) {
		const [method, ...given] = JSON.parse(request.headers.get('x-attack'));
		if (request.headers.has('x-hold')) {
			await desk.operator();
			await scheduler.wait(2_500);
		}
		return desk[method](...given).then(
			(answer) => Response.json({ answer }),
			(error) => Response.json({ thrown: String(error) }),
		);
	}
	version() { return { id: null, tag: null, migration: '' }; }
	examine() { return { problems: [] }; }
}`;

const arrange = (workers: LocalWorkers): LocalWorkers =>
	workers.map((worker) => (worker.name === PAGES_WORKER ? Object.assign({ ...worker }, { script: ATTACKER }) : worker));

const started = (variables: Readonly<Record<string, string>> = {}) =>
	startTestService(variables, undefined, {}, { arrange, pages: true });

interface Told {
	readonly answer?: unknown;
	readonly thrown?: string;
}

const attacker =
	({ url }: TestService, headers: Readonly<Record<string, string>>) =>
	async (...asked: readonly unknown[]): Promise<Told> => {
		const answer = await fetch(`${url}/operator`, { headers: { ...headers, 'x-attack': JSON.stringify(asked) } });
		return (await answer.json()) as Told;
	};

const FORGED = 'boss@house.example';
const NOTHING = { answer: { ok: false, error: 'nobody is signed in at the console' } };
const updates = (name: string) => ['operate', 'network/update', { name, receive: false }, FORGED] as const;

const writtenBy = async (service: TestService, subject: string): Promise<string[]> =>
	(await service.operator<{ by: string }[]>('audit/list', { subject })).map(({ by }) => by);

describe('behind Cloudflare Access', () => {
	let team: AccessTeam;
	let service: TestService;
	beforeAll(async () => {
		team = await startAccessTeam();
		service = await started({ ACCESS_TEAM_DOMAIN: team.origin, ACCESS_AUDIENCE: AUDIENCE });
	});
	afterAll(async () => {
		await service?.local.stop();
		team.stop();
	});

	it('a page that names somebody else changes nothing of the audit log: it names who was there', async () => {
		const attack = attacker(service, { 'cf-access-jwt-assertion': team.jwt(team.claims()) });
		expect(await attack(...updates('Dash'))).toMatchObject({ answer: { ok: true } });
		expect(await writtenBy(service, 'Dash')).toEqual([EMAIL]);
	});

	it.each<[string, () => Record<string, string>]>([
		['no token at all', () => ({})],
		['a token that is over', () => ({ 'cf-access-jwt-assertion': team.jwt(team.claims({ exp: seconds() - 1 })) })],
		[
			'a token for another application',
			() => ({ 'cf-access-jwt-assertion': team.jwt(team.claims({ aud: ['f'.repeat(32)] })) }),
		],
		['a name in the header of the command line', () => ({ 'x-operator': FORGED })],
	])('who brings %s runs no command and reads none', async (_, headers) => {
		const attack = attacker(service, headers());
		expect(await attack(...updates('Tron'))).toEqual(NOTHING);
		expect(await attack('operatePages', 'order/list', {}, FORGED)).toEqual(NOTHING);
		expect(await writtenBy(service, 'Tron')).toEqual([]);
	});

	it('the operator’s token opens no session beside it', async () => {
		const token = service.local.secrets.OPERATOR_TOKEN;
		expect(await attacker(service, {})('signIn', token)).toEqual({ answer: 'closed' });
	});
});

describe('by the operator’s token', () => {
	let service: TestService;
	beforeAll(async () => {
		service = await started();
	});
	afterAll(() => service?.local.stop());

	const signedIn = async (): Promise<Record<string, string>> => {
		const { answer } = await attacker(service, {})('signIn', service.local.secrets.OPERATOR_TOKEN);
		const [cookie = ''] = (answer as { readonly cookie: string }).cookie.split(';');
		return { cookie };
	};

	it('a session is the token’s, not that of a name which the page gives, and after the sign-out its cookie is nobody’s', async () => {
		const attack = attacker(service, await signedIn());
		expect(await attack(...updates('Dash'))).toMatchObject({ answer: { ok: true } });
		expect(await writtenBy(service, 'Dash')).toEqual(['token']);
		const rows = await service.sql('SELECT * FROM operator_sessions');
		expect(await attack('signOut')).toMatchObject({ answer: expect.stringContaining('Max-Age=0') });
		expect(await attack(...updates('Tron'))).toEqual(NOTHING);
		// Who writes the database puts the row back.
		for (const row of rows)
			await service.sql(
				'INSERT INTO operator_sessions (id, mark, created_at, expires_at) VALUES (?, ?, ?, ?)',
				...Object.values(row),
			);
		expect(await attack(...updates('Tron'))).toEqual(NOTHING);
		expect(await writtenBy(service, 'Tron')).toEqual([]);
	});

	it('a page that holds its request open acts for nobody who has signed out meanwhile', async () => {
		const own = await signedIn();
		const held = attacker(service, { ...own, 'x-hold': 'on' })(...updates('Solana'));
		await new Promise((wait) => setTimeout(wait, 500));
		await attacker(service, own)('signOut');
		expect(await held).toEqual(NOTHING);
		expect(await writtenBy(service, 'Solana')).toEqual([]);
	});

	it('no page has a session of the console sealed, or ends one, or has an invitation sealed that recovers', async () => {
		const own = await signedIn();
		const terms = { hash: 'a'.repeat(64), partnerId: 'operator', createdAt: Date.now(), passkeyHash: '', who: '' };
		const attack = attacker(service, {});
		expect((await attack('sealAccess', 'session', terms)).thrown).toContain('the console is of no partner');
		const invitation = { ...terms, partnerId: 'a partner', recovers: true, expiresAt: Date.now() + 60_000 };
		expect((await attack('sealAccess', 'invitation', invitation)).thrown).toContain('the operator alone recovers');
		const earlier = { kinds: ['session'], at: Date.now() + 1, except: '' };
		expect((await attack('endAccess', 'operator', { earlier })).thrown).toContain('the console is of no partner');
		expect(await attacker(service, own)('operate', 'network/list', {})).toMatchObject({ answer: { ok: true } });
	});

	it('what a page asks of a token says nothing beyond the sign-in’s own budget', async () => {
		for (const method of ['admitsOperator', 'operatorMarks'])
			expect((await attacker(service, {})(method, service.local.secrets.OPERATOR_TOKEN)).thrown).toContain(method);
		const from = attacker(service, { 'cf-connecting-ip': '203.0.113.9' });
		for (let i = 0; i < 5; i++) expect(await from('signIn', `guess-${i}`.padEnd(43, '-'))).toEqual({ answer: 'wrong' });
		expect(await from('signIn', service.local.secrets.OPERATOR_TOKEN)).toMatchObject({
			answer: { waitSeconds: expect.any(Number) },
		});
	});
});
