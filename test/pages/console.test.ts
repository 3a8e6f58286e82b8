/** The operator console by the operator's token: who gets in, what they see, and what a form may do. */
import { beforeAll, describe, expect, it } from 'vitest';
import { pathOf, type Topic } from '../../src/operator/topic.ts';
import { TOPICS } from '../../src/operator/topics/table.ts';
import { browserForFile, flawsOf, openPage, overflows, PHONE } from '../support/browser.ts';
import { CabinetVisitor } from '../support/cabinet.ts';
import { type Filled, fillConsole } from '../support/console-pages.ts';
import { hiddenFields, signIn, type Visitor, visitor } from '../support/console-visit.ts';
import { copyOrder } from '../support/copies.ts';
import { COUNTING_CONSOLE, sumOf, takeConsoleEvents, takePageEvents } from '../support/counted/service.ts';
import { operatorOf } from '../support/operator.ts';
import { overHttp } from '../support/over-http.ts';
import { createPartner } from '../support/partner.ts';
import { eventually, serviceForFile } from '../support/service.ts';

const service = serviceForFile({}, { ...COUNTING_CONSOLE, pages: true });
const { json, run } = operatorOf(service.current);
const token = (): string => service.current().local.secrets.OPERATOR_TOKEN;
let filled: Filled;
let operator: Visitor;

const HOSTILE = 'Ann <script>alert(1)</script> \u202Egnirts';
const UPDATE = '/operator/command/network/update';
/** More than one call of the operator Worker brings, of one order a page. */
const COPIES = 45;

const PAGES = (): readonly string[] => [
	'/operator',
	'/operator/networks',
	'/operator/networks/Litecoin',
	'/operator/prices',
	'/operator/orders',
	`/operator/orders/${filled.emergency}`,
	'/operator/transactions',
	'/operator/partners',
	`/operator/partners/${filled.partner.id}`,
	'/operator/settings',
	'/operator/settings/pairs?from=LTC',
	'/operator/ledger',
	'/operator/reports',
	'/operator/audit',
	'/operator/command',
];

beforeAll(async () => {
	filled = await fillConsole(service.current());
	await service.current().operator('partner/create', { name: HOSTILE });
	operator = (await signIn(service.current(), token())).visitor;
});
browserForFile();

const switchOf = async (name: string) =>
	(await service.current().operator<{ name: string; receive: boolean }[]>('network/list')).find(
		(network) => network.name === name,
	)?.receive;

describe('the way in', () => {
	it('without a session every page is the sign-in, and shows nothing else', async () => {
		const stranger = visitor(service.current(), { cookie: `console=${'A'.repeat(43)}` });
		for (const path of PAGES()) {
			const { status, html } = await stranger.get(path);
			expect([path, status]).toEqual([path, 401]);
			expect(html).toContain('name="token"');
			expect(html.replace(/name="to" value="[^"]*"/, '')).not.toMatch(/Litecoin|Blue Wallet|EMERGENCY/);
		}
		expect((await stranger.post('/operator/command/site/update', { maintenance: 'on' })).status).toBe(401);
	});

	it('a cookie asks the database only where its seal holds: one that a stranger makes up costs no row', async () => {
		const [, secret, since, seal] = /^console=(.{43})\.(\d+)\.(.+)$/.exec(operator.cookie) ?? [];
		const made = (...parts: unknown[]) => `console=${parts.join('.')}`;
		const madeUp = [
			made('A'.repeat(43)),
			made('A'.repeat(43), since, seal),
			made(secret, Number(since) + 1, seal),
			made(secret, since, `1.${'0'.repeat(64)}`),
			`${operator.cookie}0`,
		];
		await takeConsoleEvents(service.current());
		for (const cookie of madeUp)
			expect((await visitor(service.current(), { cookie }).get('/operator/networks')).status).toBe(401);
		const events = await takeConsoleEvents(service.current());
		expect([events.length, sumOf(events).database]).toEqual([2 * madeUp.length, undefined]);
		expect((await operator.get('/operator/networks')).status).toBe(200);
		expect(sumOf(await takeConsoleEvents(service.current())).database).toBeGreaterThan(0);
	});

	it('guessing is slowed: five wrong tokens a minute of a network, on every way in together; then even the right one waits', async () => {
		const from = (ip: string) => ({ 'cf-connecting-ip': ip });
		const command = async (given: string, ip: string) => {
			const headers = { ...from(ip), authorization: `Bearer ${given}` };
			const answer = await fetch(`${service.current().url}/operator/v1/network/list`, {
				method: 'POST',
				headers,
				body: '{}',
			});
			return [answer.status, Number(answer.headers.get('retry-after'))] as const;
		};
		const wrong = (i: number) => `guess-${i}`.padEnd(43, '-');
		for (const i of [0, 1]) expect(await command(wrong(i), `203.0.113.${i}`)).toEqual([401, 0]);
		// The right one spends nothing.
		for (let i = 0; i < 9; i++) expect((await command(token(), '203.0.113.9'))[0]).toBe(200);
		for (const i of [2, 3, 4])
			expect((await signIn(service.current(), wrong(i), from(`203.0.113.${i}`))).status).toBe(403);
		const late = await signIn(service.current(), token(), from('203.0.113.77'));
		expect([late.status, late.headers.get('set-cookie')]).toEqual([429, null]);
		expect(Number(late.headers.get('retry-after'))).toBeGreaterThan(30);
		for (const given of [token(), wrong(5)]) {
			const [status, retryAfter] = await command(given, '203.0.113.78');
			expect([status, retryAfter > 30 && retryAfter <= 60]).toEqual([429, true]);
		}
		expect((await signIn(service.current(), token(), from('198.51.100.1'))).status).toBe(303);
		expect((await command(token(), '198.51.100.1'))[0]).toBe(200);
		await eventually('the log to say so', async () =>
			service
				.current()
				.logged('console_refused')
				.some(({ why }) => why === 'too many tries'),
		);
	});

	it('of three hundred guesses at once five are judged, and the right one among them is none that counts', async () => {
		const headers = (given: string) => ({ 'cf-connecting-ip': '198.18.0.1', authorization: `Bearer ${given}` });
		const ask = async (given: string) => {
			const url = `${service.current().url}/operator/v1/network/list`;
			return (await fetch(url, { method: 'POST', headers: headers(given), body: '{}' })).status;
		};
		const guesses = Array.from({ length: 300 }, (_, i) => `many-${i}`.padEnd(43, '-'));
		const answers = await Promise.all(guesses.map(ask));
		expect([401, 429].map((status) => answers.filter((one) => one === status).length)).toEqual([5, 295]);
		expect(await ask(token())).toBe(429);
	});

	it('a wrong token costs the database nothing, however often it is sent', async () => {
		const tries = () => signIn(service.current(), 'wrong'.padEnd(43, '-'), { 'cf-connecting-ip': '198.18.1.1' });
		await takeConsoleEvents(service.current());
		const answers = await Promise.all(Array.from({ length: 40 }, tries));
		expect(answers.filter(({ status }) => status === 429)).toHaveLength(35);
		const events = await takeConsoleEvents(service.current());
		expect([events.length, sumOf(events).database]).toEqual([80, undefined]);
	});

	it('each sign-in makes a session of its own, whatever cookie was there, and a script cannot read it', async () => {
		const fixed = `console=${'B'.repeat(43)}`;
		const { headers, visitor: signedIn } = await signIn(service.current(), token(), { cookie: fixed });
		expect(headers.get('set-cookie')).toMatch(
			/^console=[\w-]{43}\.\d{13}\.\d+\.[0-9a-f]{64}; .*Path=\/; HttpOnly; SameSite=Lax$/,
		);
		expect(signedIn.cookie).not.toBe(fixed);
		expect((await signedIn.get('/operator')).status).toBe(200);
		expect((await visitor(service.current(), { cookie: fixed }).get('/operator')).status).toBe(401);
	});

	it('a session ends when its operator signs out, after 12 hours, and when the token is another', async () => {
		const { sql } = service.current();
		const out = (await signIn(service.current(), token())).visitor;
		await out.post('/operator/sign-out', hiddenFields(await out.get('/operator'), '/operator/sign-out'));
		expect((await out.get('/operator')).status).toBe(401);
		const late = (await signIn(service.current(), token())).visitor;
		await sql('UPDATE operator_sessions SET created_at = 0, expires_at = ?', Date.now() - 1);
		expect((await late.get('/operator')).status).toBe(401);
		operator = (await signIn(service.current(), token())).visitor;
		const [{ mark } = { mark: '' }] = await sql<{ mark: string }>('SELECT mark FROM operator_sessions');
		await sql('UPDATE operator_sessions SET mark = ?', 'f'.repeat(64));
		expect((await operator.get('/operator')).status).toBe(401);
		await sql('UPDATE operator_sessions SET mark = ?', mark);
		expect((await operator.get('/operator')).status).toBe(200);
	});

	it('over http it is closed but on this machine: no form is read, no session counts, and it says what to do', async () => {
		const { sql } = service.current();
		const sessions = () => sql('SELECT count(*) AS all_of_them FROM operator_sessions');
		const before = await sessions();
		const from = { 'cf-connecting-ip': '192.0.2.1' };
		for (const host of ['swap.example', 'localhost.swap.example', '127.0.0.1.swap.example', '192.168.1.5:8787']) {
			const page = await overHttp(service.current(), { host, path: '/operator' }, { ...from, cookie: operator.cookie });
			expect([host, page.status, page.text.includes('Open this page with https')]).toEqual([host, 403, true]);
			expect(page.text).not.toMatch(/name="token"|Sign out|Litecoin/);
			const tried = [token(), 'wrong', token(), 'wrong', 'wrong', 'wrong', 'wrong'].map((one) =>
				overHttp(service.current(), { host, path: '/operator/sign-in' }, from, { token: one, to: '/operator' }),
			);
			const [right, wrong] = await Promise.all(tried);
			expect([right?.status, right?.headers['set-cookie'], right?.text]).toEqual([403, undefined, wrong?.text]);
			expect(right?.text).toContain('Replace it now');
		}
		expect(await sessions()).toEqual(before);
		expect(service.current().logged('console_refused')).toContainEqual(
			expect.objectContaining({ why: 'over http', path: '/operator/sign-in' }),
		);
		for (const name of ['localhost', '[::1]']) {
			const host = `${name}:${new URL(service.current().url).port}`;
			const { status } = await overHttp(service.current(), { host, path: '/operator/sign-in' }, from, {
				token: token(),
			});
			expect([host, status]).toEqual([host, 303]);
		}
	});

	it('over https it takes the token on any host, and no other page can set its session’s cookie', async () => {
		const { miniflare } = service.current().local;
		const origin = 'https://swap.example';
		const body = new URLSearchParams({ token: token(), to: '/operator/orders' }).toString();
		// A page over http, or of another host of the domain, can set a cookie of this name, and none with the prefix.
		const planted = { cookie: operator.cookie };
		const kept = await miniflare.dispatchFetch(`${origin}/operator/networks`, { headers: planted, redirect: 'manual' });
		expect(kept.status).toBe(401);
		const { status, headers } = await miniflare.dispatchFetch(`${origin}/operator/sign-in`, {
			method: 'POST',
			redirect: 'manual',
			body,
			headers: { origin, 'content-type': 'application/x-www-form-urlencoded' },
		});
		expect([status, headers.get('location')]).toEqual([303, '/operator/orders']);
		expect(headers.get('set-cookie')).toMatch(
			/^__Host-console=[\w-]{43}\.\d{13}\.\d+\.[0-9a-f]{64}; .*Path=\/; HttpOnly; Secure; SameSite=Lax$/,
		);
	});

	it.each(['/', '/docs', '/docs/', '/assets/style.css', '/o/nothing', '/operator'])(
		'%s tells a browser that came over https to come back over nothing else',
		async (path) => {
			const { url, local } = service.current();
			const told = async (origin: string) => {
				const { headers } = await local.miniflare.dispatchFetch(origin + path, { redirect: 'manual' });
				return headers.get('strict-transport-security');
			};
			expect([await told('https://swap.example'), await told(url)]).toEqual(['max-age=31536000', null]);
		},
	);

	it('a sign-in leads only back into the console', async () => {
		const { headers } = await visitor(service.current()).post('/operator/sign-in', {
			token: token(),
			to: '//evil.example/operator',
		});
		expect(headers.get('location')).toBe('/operator');
	});
});

describe('a form', () => {
	it.each([
		['from another origin', { origin: 'https://evil.example' }, {}],
		['without an origin', { origin: 'null' }, {}],
		['without the key of the session', {}, { _key: '' }],
		['with the key of another session', {}, { _key: 'e'.repeat(64) }],
	])('%s changes nothing', async (_, headers, fields) => {
		const page = await operator.get(`${UPDATE}?name=Tron&receive=off`);
		const answer = await operator.post(UPDATE, { ...hiddenFields(page, UPDATE), ...fields }, headers);
		expect(answer.status).toBe(403);
		expect(await switchOf('Tron')).toBe(true);
		const out = { ...hiddenFields(page, '/operator/sign-out'), ...fields };
		await operator.post('/operator/sign-out', out, headers);
		expect((await operator.get('/operator')).status).toBe(200);
	});

	it('from another origin does not sign in', async () => {
		const { status, headers } = await visitor(service.current()).post(
			'/operator/sign-in',
			{ token: token() },
			{ origin: 'https://evil.example' },
		);
		expect([status, headers.get('set-cookie')]).toEqual([403, null]);
	});

	it('says what it will do, does it once, and shows its line of the audit log', async () => {
		const page = await operator.get(`${UPDATE}?name=Solana&receive=off`);
		expect(await switchOf('Solana')).toBe(true);
		expect(page.html).toMatch(
			/New deposits<\/th><td[^>]*><span class="state good">.*?on<\/span><\/td><td[^>]*><span class="state bad">.*?off</,
		);
		const fields = hiddenFields(page, UPDATE);
		const done = await operator.post(UPDATE, fields);
		expect(done.html).toContain('Done: change the switch');
		expect(done.html).toMatch(/token<\/bdi><\/td>.*network update.*Solana.*New deposits: on → off/);
		expect(await switchOf('Solana')).toBe(false);
		await service.current().operator('network/update', { name: 'Solana', receive: true });
		const again = await operator.post(UPDATE, fields);
		expect([again.status, again.html.includes('did its work then')]).toEqual([409, true]);
		expect(await switchOf('Solana')).toBe(true);
	});

	it('of an emergency names the coins and the address, asks why, and who did it is in the audit log', async () => {
		const address = '/operator/command/order/finalise';
		const { html: own } = await operator.get(`/operator/orders/${filled.emergency}`);
		for (const command of ['refund', 'finalise'])
			expect(own).toContain(`href="/operator/command/order/${command}?id=${filled.emergency}"`);
		expect(own).not.toContain('`');
		const page = await operator.get(`${address}?id=${filled.emergency}`);
		expect(page.html).toContain('0.1 LTC stays here until it is refunded.');
		const refund = await operator.get(`/operator/command/order/refund?id=${filled.emergency}`);
		expect(refund.html).toMatch(
			/0\.1 LTC of 1 deposit is held.*goes back to ltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c2rkk4wh/,
		);
		const done = await operator.post(address, { ...hiddenFields(page, address), reason: 'asked by the payer' });
		expect(done.html).toContain('Done: end the order');
		const [line] = await json<{ by: string; command: string }[]>('audit', 'list', '--subject', filled.emergency);
		expect(line).toMatchObject({ by: 'token', command: 'order finalise' });
	});

	it('with a wrong value says which, and keeps the others', async () => {
		const address = '/operator/command/pair/update';
		const page = await operator.get(`${address}?from=LTC&to=ETH`);
		const { status, html } = await operator.post(address, { ...hiddenFields(page, address), minUsd: 'many' });
		expect([status, html.includes('“Smallest order, US dollars” takes a whole number, not many')]).toEqual([200, true]);
		expect(html).toContain('value="many"');
	});
});

describe('what is shown', () => {
	it('is never kept, framed, or mixed with a script of somebody else', async () => {
		for (const path of PAGES()) {
			const { status, headers, html } = await operator.get(path);
			expect([path, status, headers.get('cache-control'), headers.get('x-frame-options')]).toEqual([
				path,
				200,
				'no-store',
				'DENY',
			]);
			expect(headers.get('content-security-policy')).toMatch(/script-src 'self';.*frame-ancestors 'none'/);
			expect(html).not.toMatch(/ style="|<style|<script(?! type="module" src="\/assets\/)/);
		}
	});

	it('has no HTML of a partner’s name in it, and none of the characters that turn a text', async () => {
		for (const path of ['/operator/partners', '/operator/audit', '/operator/command/partner/list']) {
			const { html } = await operator.get(path);
			expect(html).toContain('Ann &lt;script&gt;');
			expect(html).not.toMatch(/<script>alert|\u202E/);
		}
	});

	it('is everything that the command can read', async () => {
		const reads = Object.entries<Topic>(TOPICS).flatMap(([topic, { commands }]) =>
			Object.entries(commands).flatMap(([verb, { reads: isRead, arguments: positional = {} }]) =>
				isRead && Object.values(positional).every(({ optional }) => optional) ? [pathOf(topic, verb)] : [],
			),
		);
		expect(reads.length).toBeGreaterThan(20);
		for (const path of reads) {
			const { status, html } = await operator.get(`/operator/command/${path}`);
			expect([path, status, html.includes('cannot be shown')]).toEqual([path, 200, false]);
		}
		expect((await operator.get('/operator/command/partner/nothing')).status).toBe(404);
	});

	it.each([
		['/operator/orders?status=DONE', 'order list', ['--status', 'DONE']],
		['/operator/transactions', 'payout list', []],
		['/operator/reports?since=7d&by=asset', 'report', ['--since', '7d', '--by', 'asset']],
		['/operator/command/export/orders?since=7d', 'export orders', ['--since', '7d']],
	])(
		'is there as a file too: %s links to what the command prints, as CSV and as JSON',
		async (path, words, options) => {
			const { html } = await operator.get(path);
			const links = [...html.matchAll(/href="([^"]*_file=(csv|json))"/g)];
			expect(links.map(([, , format]) => format)).toEqual(['csv', 'json']);
			for (const [, address = '', format = ''] of links) {
				const file = await operator.get(address.replaceAll('&amp;', '&'));
				expect(file.headers.get('content-disposition')).toMatch(
					new RegExp(`^attachment; filename="${words.replace(' ', '-')}-[\\d-]{10}\\.${format}"$`),
				);
				const printed = await run(...words.split(' '), ...options, '--format', format);
				expect(printed).toMatchObject({ status: 0, stdout: file.html });
				expect(file.html).toContain(words === 'report' ? 'LTC' : filled.done);
			}
		},
	);

	it('as a file has all its pages, however many', async () => {
		const { sql } = service.current();
		await copyOrder(sql, { id: filled.done, copies: COPIES, age: 60_000, apart: 60_000 });
		const file = await operator.get('/operator/command/export/orders?since=7d&limit=1&_file=csv');
		expect(file.html.trim().split('\n').length).toBeGreaterThan(COPIES);
		expect(file.html).toBe((await run('export', 'orders', '--since', '7d', '--format', 'csv')).stdout);
	});

	it('as a file that cannot be had says why on its page', async () => {
		const { headers, html } = await operator.get('/operator/command/export/orders?since=yesterday&_file=csv');
		expect(headers.get('content-type')).toMatch(/^text\/html/);
		expect(html).toContain('cannot be shown now');
	});

	it('says in doctor’s answer who gets in', async () => {
		const { html } = await operator.get('/operator/command/doctor');
		expect(html).toMatch(/pages<.*the console takes the operator token/);
	});

	it('begins with what needs a person: why, since when, how much, and the button beside it', async () => {
		const { html } = await operator.get('/operator');
		expect(html).toMatch(
			/Payouts are off.*since <time.*href="\/operator\/command\/network\/update\?name=Dash&amp;send=on"/,
		);
	});

	it('has the networks’ history, which the cron notes each hour', async () => {
		const { sql, local } = service.current();
		await sql('DELETE FROM network_history');
		await sql('UPDATE periodic_checks SET due_at = 0');
		await local.runScheduled();
		const [row] = await json<{ network: string; lagSeconds: number; reserveUsd: string }[]>(
			'network',
			'history',
			'Litecoin',
		);
		expect(row).toMatchObject({ network: 'Litecoin', reserveUsd: expect.stringMatching(/^\d{10}\.\d\d$/) });
		expect(row?.lagSeconds).toBeLessThan(60);
	});
});

// Here, because the pages of this file's service count what they ask.
describe('a session of the cabinet', () => {
	it('costs a database row only where its cookie’s seal holds: one that a stranger makes up asks no database', async () => {
		const { current } = service;
		const [one, stranger] = [
			await new CabinetVisitor(current()).enter((await createPartner(current())).id),
			new CabinetVisitor(current()),
		];
		const [, secret, partner, since, passkey, who, seal] =
			/^cabinet=(.{43})\.(.{32})\.(\d+)\.(.{64})\.([^.]+)\.(.+)$/.exec(one.cookie) ?? [];
		const made = (...parts: unknown[]) => `cabinet=${parts.join('.')}`;
		const madeUp = [
			'',
			made('A'.repeat(43)),
			made('A'.repeat(43), partner, since, passkey, who, seal),
			made(secret, (await createPartner(current())).id, since, passkey, who, seal),
			made(secret, partner, Number(since) + 1, passkey, who, seal),
			made(secret, partner, since, 'f'.repeat(64), who, seal),
			made(secret, partner, since, passkey, Buffer.from('admin Eve').toString('base64url'), seal),
			made(secret, partner, since, passkey, who, `1.${'0'.repeat(64)}`),
			made(secret, partner, since, passkey, who, seal?.replace(/^1/, '9')),
			`${one.cookie}0`,
		];
		await takePageEvents(current());
		for (const cookie of madeUp) {
			stranger.cookie = cookie;
			expect((await stranger.get('/cabinet')).location).toBe('/cabinet/sign-in');
		}
		const events = await takePageEvents(current());
		expect([events.length, sumOf(events)]).toEqual([madeUp.length, {}]);
		expect((await one.get('/cabinet/codes')).status).toBe(200);
		expect(sumOf(await takePageEvents(current())).rowsRead).toBeGreaterThan(0);
	});
});

it.each([
	['on a desk, on a phone and in the dark', {}],
	['without JavaScript, on a phone', { ...PHONE, javaScriptEnabled: false }],
])('the console is whole %s, by keyboard too', async (_, options) => {
	const { url } = service.current();
	const opened = await openPage(`${url}/operator/settings`, options);
	const { page, problems, hosts } = opened;
	await page.locator('#token').fill(token());
	// The form is at the address that it leads to: its disappearance says that the answer is there.
	await page.keyboard.press('Enter');
	await page.locator('#token').waitFor({ state: 'detached' });
	await page.waitForLoadState();
	for (const path of ['/operator', `/operator/orders/${filled.done}`]) {
		await page.goto(url + path);
		expect([path, await page.locator('h1').count(), await overflows(page)]).toEqual([path, 1, false]);
		if (!('javaScriptEnabled' in options)) expect([path, await flawsOf(page, { inTheDark: true })]).toEqual([path, []]);
	}
	expect(problems.filter((problem) => !problem.includes('401'))).toEqual([]);
	expect([...hosts]).toEqual([new URL(url).host]);
	expect(await opened.transferred()).toBeLessThan(3 * 100_000);
	await opened.close();
});

it('attention loads itself again each half minute, and takes nothing away from under a focus', async () => {
	const { url } = service.current();
	const { page, close } = await openPage(`${url}/operator/settings`, { clock: true });
	await page.locator('#token').fill(token());
	await page.keyboard.press('Enter');
	await page.locator('#token').waitFor({ state: 'detached' });
	await page.goto(`${url}/operator`);
	const counted = async () => Number(/^\((\d+)\) Attention/.exec(await page.title())?.[1]);
	const before = await counted();
	let asked = 0;
	page.on('request', () => asked++);
	await service.current().operator('network/update', { name: 'Avalanche', send: false });
	await page.locator('[data-waiting] a').first().focus();
	await page.clock.fastForward('00:31');
	expect(asked).toBe(0);
	await page.evaluate('document.activeElement.blur()');
	await page.clock.fastForward('00:31');
	await page.locator('[data-waiting]', { hasText: 'Avalanche' }).waitFor();
	expect(await counted()).toBeGreaterThan(before);
	expect(await page.locator('#said').textContent()).toMatch(/things wait$/);
	// A focus that comes while the answer is under way stays as well.
	await service.current().operator('network/update', { name: 'Avalanche', send: true });
	await page.route(`${url}/operator`, async (route) => {
		await page.locator('[data-waiting] a').first().focus();
		await route.continue();
	});
	const answered = page.waitForResponse(`${url}/operator`);
	await page.clock.fastForward('00:31');
	await (await answered).finished();
	await page.unroute(`${url}/operator`);
	await page.evaluate('fetch(location.href).then((answer) => answer.text())');
	expect(await page.evaluate("document.activeElement.matches('[data-waiting] a')")).toBe(true);
	expect(await page.locator('[data-waiting]').textContent()).toContain('Avalanche');
	await page.evaluate('document.activeElement.blur()');
	await page.clock.fastForward('00:31');
	await page.locator('[data-waiting]:not(:has-text("Avalanche"))').waitFor();
	await close();
});
