/** The cabinet's pages: whole in a real browser, and what each form does and refuses. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ADDRESS_ON } from '../support/addresses.ts';
import { browserForFile, flawsOf, openPage, overflows, PHONE } from '../support/browser.ts';
import { CabinetVisitor, cabinetUrl } from '../support/cabinet.ts';
import { fillCabinet } from '../support/cabinet-pages.ts';
import { type CreatedOrder, create, LTC_REFUND, untilStatus } from '../support/orders.ts';
import { overHttp } from '../support/over-http.ts';
import { type Credentials, createPartner, signed } from '../support/partner.ts';
import { eventually, sharedService } from '../support/service.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

const service = sharedService();
const MAX_BYTES = 100_000;
const PATHS = [
	'',
	'/orders',
	'/earnings',
	'/codes',
	'/webhooks',
	'/credentials',
	'/keys',
	'/settings',
	'/limits',
	'/team',
	'/access',
	'/log',
];
/** Text that would be HTML, or would turn what stands beside it around. */
const BIDI = '\u202Egnp';
const HOSTILE = `<img src=x onerror=alert(1)>${BIDI}`;

let receiver: WebhookReceiver;
let partner: Credentials;
let order: CreatedOrder;
let one: CabinetVisitor;
let stranger: { readonly partner: Credentials; readonly order: CreatedOrder; readonly visitor: CabinetVisitor };

beforeAll(async () => {
	receiver = await startWebhookReceiver();
	const { current } = service;
	const filled = await fillCabinet(current(), receiver.url);
	({ partner } = filled);
	[order] = filled.orders as [CreatedOrder];
	await current().operator('partner/update', { id: partner.id, name: `A <img src=x> ${BIDI}` });
	await sql("UPDATE orders SET external_id = '=cmd()' WHERE id = ?", order.id);
	const other = await createPartner(current(), { name: 'Stranger', webhookUrl: receiver.url });
	await signed(current(), other, '/api/v1/codes', { code: 'theirs' });
	const theirs = (await create(current(), other, { externalId: 'theirs-1' })).data;
	await signed(current(), other, '/api/v1/webhooks/test', {});
	one = await new CabinetVisitor(current()).enter(partner.id);
	stranger = { partner: other, order: theirs, visitor: await new CabinetVisitor(current()).enter(other.id) };
}, 60_000);
browserForFile();
afterAll(async () => {
	await service.current().operator('site/update', { unpaidShareBps: 2500 });
	await receiver?.close();
});

const sql = <T = Record<string, unknown>>(text: string, ...values: unknown[]) =>
	service.current().sql<T>(text, ...values);
const audited = (id: string) =>
	sql<{ command: string }>("SELECT command FROM audit_log WHERE subject = ? AND command LIKE 'cabinet%'", id);

/** Signed in as `one`. */
const signedIn = () => ({
	cookies: [
		{
			name: 'cabinet',
			value: one.cookie.split('=')[1] ?? '',
			domain: 'localhost',
			path: '/',
			expires: -1,
			httpOnly: true,
			secure: false,
			sameSite: 'Lax' as const,
		},
	],
});

describe('in a browser', () => {
	it('a person comes by an invitation, reads orders, replaces a secret, signs out and in again', async () => {
		const { link } = await service.current().operator<{ link: string }>('partner/invite', { id: partner.id });
		const { page, problems, hosts, close } = await openPage(link);
		const session = await page.context().newCDPSession(page);
		await session.send('WebAuthn.enable');
		await session.send('WebAuthn.addVirtualAuthenticator', {
			options: {
				protocol: 'ctap2',
				transport: 'internal',
				hasResidentKey: true,
				hasUserVerification: true,
				isUserVerified: true,
				automaticPresenceSimulation: true,
			},
		});
		expect(page.url()).not.toContain('#');
		await page.getByLabel('Name of this passkey').fill('Laptop');
		await page.getByRole('button', { name: 'Make a passkey and sign in' }).click();
		await page.getByRole('heading', { level: 1, name: /swapped/ }).waitFor();
		await page.getByRole('link', { name: 'Orders', exact: true }).click();
		await page.getByRole('link', { name: order.id.slice(0, 8) }).click();
		await page.getByRole('heading', { level: 1, name: /^Sent 0\.05/ }).waitFor();
		await page.getByRole('link', { name: 'Credentials' }).click();
		await page.getByLabel(/^apiSecret/).check();
		await page.getByRole('button', { name: 'Replace with your passkey' }).click();
		await page.getByRole('heading', { level: 1, name: 'Store your new secrets now' }).waitFor();
		const apiSecret = (await page.getByRole('button', { name: 'Copy apisecret' }).getAttribute('data-copy')) ?? '';
		expect((await signed(service.current(), partner, '/api/v1/codes', '', { method: 'GET' })).code).toBe(3);
		partner = { ...partner, apiSecret };
		expect((await signed(service.current(), partner, '/api/v1/codes', '', { method: 'GET' })).code).toBe(0);
		await page.reload();
		await page.getByRole('heading', { level: 1, name: 'Credentials' }).waitFor();
		expect(await page.getByRole('alert').count()).toBe(0);
		await page.getByRole('link', { name: 'Access' }).click();
		await page.getByLabel('Name', { exact: true }).fill('The same laptop');
		await page.getByRole('button', { name: 'Add a passkey' }).click();
		await page.getByText('This device has a passkey for this cabinet already.').waitFor();
		await page.getByRole('button', { name: 'Sign out' }).click();
		await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
		await page.getByRole('heading', { level: 1, name: /swapped/ }).waitFor();
		expect([problems, [...hosts]]).toEqual([[], [new URL(cabinetUrl(service.current())).host]]);
		await session.detach();
		await close();
	});

	const base = () => `${cabinetUrl(service.current())}/cabinet`;

	/** Of each plot with few bars: pixels of the widest bar, and how far its first label stands from the middle of its bar. */
	const BARS = `[...document.querySelectorAll('.plot svg')].filter((svg) => svg.querySelectorAll('.bar').length <= 6).map((svg) => {
		const boxes = (name) => [...svg.querySelectorAll(name)].map((one) => one.getBoundingClientRect());
		const bars = boxes('.bar');
		const [label] = boxes('[text-anchor="middle"]');
		const middle = ({ left, right }) => (left + right) / 2;
		return { width: Math.max(...bars.map(({ width }) => width)), off: Math.abs(middle(label) - middle(bars[0])) };
	})`;

	it('its pages are whole on a desk, on a phone and in the dark, with bars over their labels', async () => {
		const { page, problems, hosts, transferred, close } = await openPage(base(), signedIn());
		for (const path of PATHS) {
			if (path !== '') await page.goto(base() + path);
			if (path === '')
				for (const { width, off } of (await page.evaluate(BARS)) as { width: number; off: number }[])
					expect([width <= 48, off < 2]).toEqual([true, true]);
			// Plots, states of deliveries: the other pages have the parts of these.
			expect([path, await flawsOf(page, { inTheDark: path === '' || path === '/webhooks' })]).toEqual([path, []]);
		}
		expect(problems).toEqual([]);
		expect([...hosts]).toEqual([new URL(base()).host]);
		expect((await transferred()) / PATHS.length).toBeLessThan(MAX_BYTES);
		await close();
	});

	it('its pages are whole without JavaScript, on a phone', async () => {
		const { page, close } = await openPage(base(), { ...PHONE, javaScriptEnabled: false, ...signedIn() });
		for (const path of ['', '/orders?status=DONE', '/credentials']) {
			if (path !== '') await page.goto(base() + path);
			expect([path, await page.locator('h1').count(), await overflows(page)]).toEqual([path, 1, false]);
		}
		await close();
	});
});

/** Every change that the cabinet has. */
const CHANGES = [
	'/sign-out',
	'/confirm/options',
	'/orders/exchange',
	'/orders/refund',
	'/earnings',
	'/codes',
	'/codes/disable',
	'/codes/enable',
	'/webhooks',
	'/webhooks/test',
	'/webhooks/again',
	'/credentials',
	'/credentials/show',
	'/keys',
	'/keys/revoke',
	'/settings',
	'/team/invite',
	'/team/cancel',
	'/team/remove',
	'/access/passkeys',
	'/access/passkeys/options',
	'/access/passkeys/remove',
	'/access/sessions/end',
	'/access/sessions/end-others',
].map((path) => `/cabinet${path}`);

describe('a form', () => {
	it('is refused from another site, from another host’s page, and without the token of its session', async () => {
		const before = (await audited(partner.id)).length;
		for (const path of CHANGES) {
			const foreign = await one.post(path, {}, { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' });
			const sibling = await one.post(path, {}, { 'sec-fetch-site': 'same-site', origin: 'null' });
			const silent = await one.post(path, {}, {});
			const forged = await one.post(path, { form: stranger.visitor.formToken });
			expect([path, foreign.status, sibling.status, silent.status, forged.status]).toEqual([path, 403, 403, 403, 403]);
			expect(forged.text).not.toContain(partner.apiKey);
		}
		expect((await audited(partner.id)).length).toBe(before);
		expect((await one.get('/cabinet')).status).toBe(200);
	});

	it('is refused with other methods, with a body that is too large, and over http that is not loopback', async () => {
		const url = `${cabinetUrl(service.current())}/cabinet/codes`;
		expect((await fetch(url, { method: 'DELETE', redirect: 'manual' })).status).toBe(405);
		expect((await one.post('/cabinet/codes', { label: 'x'.repeat(40_000) })).status).toBe(413);
		for (const path of ['/cabinet', '/cabinet/sign-in', '/cabinet/invitation', '/cabinet/orders.csv']) {
			const { status, text, headers } = await overHttp(
				service.current(),
				{ host: 'swap.example', path },
				{ cookie: one.cookie },
			);
			expect([path, status, text.includes('Open this page with https')]).toEqual([path, 403, true]);
			expect([text.includes(partner.apiKey), headers['set-cookie']]).toEqual([false, undefined]);
		}
	});

	it('that a passkey confirms does nothing without it, with an answer for another thing, or with one of another session', async () => {
		const own = await new CabinetVisitor(service.current()).enter(partner.id);
		const rotate = (answer: string) => own.post('/cabinet/credentials', { rotate: 'apiSecret', answer });
		const forPayout = own.passkey.get(
			await own.options('/cabinet/confirm', { rotate: 'apiSecret', confirms: 'payout' }),
		);
		const ofOther = own.passkey.get(
			await one.options('/cabinet/confirm', { rotate: 'apiSecret', confirms: 'credentials' }),
		);
		const ofStranger = one.passkey.get(
			await own.options('/cabinet/confirm', { rotate: 'apiSecret', confirms: 'credentials' }),
		);
		const strange = stranger.visitor.passkey.get(
			await own.options('/cabinet/confirm', { rotate: 'apiSecret', confirms: 'credentials' }),
		);
		for (const answer of ['', '{}', forPayout, ofOther, strange]) {
			const page = await rotate(answer);
			expect([page.status, page.text.includes('did not confirm')]).toEqual([403, true]);
		}
		expect((await signed(service.current(), partner, '/api/v1/codes', '', { method: 'GET' })).code).toBe(0);
		// Another passkey of the same partner may confirm.
		expect((await rotate(ofStranger)).text).toContain('Store your new secrets now');
		const apiSecret = /data-copy="([A-Za-z0-9_-]{43})"/.exec(
			(await own.confirmed('/cabinet/credentials', 'credentials', { rotate: 'apiSecret' })).text,
		)?.[1];
		partner = { ...partner, apiSecret: apiSecret ?? '' };
	});

	it('makes and revokes scoped keys after a fresh passkey check, and shows a secret once', async () => {
		const own = await new CabinetVisitor(service.current()).enter(partner.id);
		const asked = { kind: 'read', label: HOSTILE.slice(0, 60), addresses: '127.0.0.0/8, ::/0', days: '30' };
		const refused = await own.post('/cabinet/keys', asked);
		const elsewhere = own.passkey.get(await own.options('/cabinet/confirm', { ...asked, confirms: 'keys' }));
		const other = await own.post('/cabinet/keys', { ...asked, kind: 'server', answer: elsewhere });
		expect([refused.status, other.status]).toEqual([403, 403]);
		const wrong = await own.confirmed('/cabinet/keys', 'keys', { ...asked, label: 'Office', addresses: 'office' });
		expect([wrong.status, wrong.text.includes('Not made')]).toEqual([403, true]);
		const made = await own.confirmed('/cabinet/keys', 'keys', { ...asked, label: 'A <b>desk' });
		expect(made.text).toContain('A &lt;b&gt;desk');
		const [apiKey = '', apiSecret = ''] = [...made.text.matchAll(/data-copy="([^"]+)"/g)].map(([, text]) => text);
		const call = async (address: string) =>
			(
				await signed(service.current(), { ...partner, apiKey, apiSecret }, '/api/v1/orders', '{}', {
					headers: { 'cf-connecting-ip': address },
				})
			).code;
		expect(await call('127.0.0.1')).toBe(0);
		const later = await own.get('/cabinet/keys');
		expect([later.text.includes(apiKey), later.text.includes(apiSecret)]).toEqual([true, false]);
		const id = /name="id" value="([0-9a-f]{16})"/.exec(later.text)?.[1] ?? '';
		expect((await own.post('/cabinet/keys/revoke', { id })).status).toBe(403);
		expect((await own.confirmed('/cabinet/keys/revoke', 'keys', { id })).location).toBe('/cabinet/keys');
		expect([await call('127.0.0.1'), (await own.get('/cabinet/keys')).text.includes(apiKey)]).toEqual([3, false]);
		expect((await stranger.visitor.get('/cabinet/keys')).text).not.toContain(apiKey);
	});

	it('shows both secrets for a minute after a fresh passkey check, with a row in the audit log, unless the operator switched that off', async () => {
		const own = await new CabinetVisitor(service.current()).enter(partner.id);
		const views = async () => (await audited(partner.id)).filter(({ command }) => command === 'cabinet secrets').length;
		const before = await views();
		const forReplacing = own.passkey.get(
			await own.options('/cabinet/confirm', { rotate: 'apiSecret', confirms: 'credentials' }),
		);
		for (const answer of ['', '{}', forReplacing]) {
			const refused = await own.post('/cabinet/credentials/show', { answer });
			expect([refused.status, refused.text.includes(partner.apiSecret)]).toEqual([403, false]);
		}
		expect((await own.get('/cabinet/credentials')).text).not.toContain(partner.apiSecret);
		expect(await views()).toBe(before);
		const shown = await own.confirmed('/cabinet/credentials/show', 'secrets');
		const secrets = [...shown.text.matchAll(/data-copy="([A-Za-z0-9_-]{43})"/g)].map(([, secret]) => secret);
		expect(secrets).toEqual([partner.apiSecret, partner.webhookSecret]);
		expect([shown.headers.get('refresh'), shown.headers.get('cache-control')]).toEqual([
			'60; url=/cabinet/credentials',
			'no-store',
		]);
		expect(await views()).toBe(before + 1);
		await service.current().operator('site/update', { showsSecrets: false });
		onTestFinished(async () => void (await service.current().operator('site/update', { showsSecrets: true })));
		const off = await own.confirmed('/cabinet/credentials/show', 'secrets');
		expect([off.status, off.text.includes(partner.apiSecret)]).toEqual([403, false]);
	});

	it('changes the payout address: it waits, the operator is told, and a webhook says so whatever was chosen', async () => {
		const wrong = await one.confirmed('/cabinet/earnings', 'payout', { payoutAsset: 'LTC', payoutAddress: 'nowhere' });
		expect([wrong.status, wrong.text.includes('is not an address on Litecoin')]).toEqual([403, true]);
		expect(wrong.text).toMatch(/<option value="LTC" selected[\s\S]*value="nowhere"/);
		const fields = { payoutAsset: 'LTC', payoutAddress: LTC_REFUND };
		expect((await one.confirmed('/cabinet/earnings', 'payout', fields)).status).toBe(303);
		const announced = await receiver.waitFor(({ rawBody }) => rawBody.includes('payout_address_changed'));
		expect(announced.json).toMatchObject({ data: { asset: 'LTC', address: LTC_REFUND, previousAddress: null } });
		expect((await one.get('/cabinet')).text).toContain('Nothing is paid to it before');
		const waiting = await service.current().operator<{ subject: string; cause: string }[]>('attention');
		expect(waiting.some(({ subject, cause }) => subject.includes(partner.id) && cause.includes('earnings'))).toBe(true);
		await expect(service.current().operator('earnings/pay-out', { partner: partner.id })).rejects.toThrow(
			'was changed',
		);
		expect((await audited(partner.id)).map(({ command }) => command)).toContain('cabinet payout address');
	});

	it('that a passkey confirms is what it signed for, and nothing else: another address, other secrets, another passkey', async () => {
		const own = await new CabinetVisitor(service.current()).enter(partner.id);
		const before = await sql('SELECT payout_address, api_secret_sealed FROM partners WHERE id = ?', partner.id);
		const signedFor = async (confirms: string, fields: Record<string, string>) =>
			own.passkey.get(await own.options('/cabinet/confirm', { ...fields, confirms }));
		const address = await signedFor('payout', { payoutAsset: 'LTC', payoutAddress: LTC_REFUND });
		const secret = await signedFor('credentials', { rotate: 'webhookSecret' });
		const removal = await signedFor('passkeys', { id: 'another' });
		const tried = [
			await own.post('/cabinet/earnings', { payoutAsset: 'ETH', payoutAddress: ADDRESS_ON.Ethereum, answer: address }),
			await own.post('/cabinet/credentials', { rotate: 'apiSecret', answer: secret }),
			await own.post('/cabinet/access/passkeys/remove', { id: one.passkey.id, answer: removal }),
		];
		for (const page of tried) expect([page.status, page.text.includes('did not confirm')]).toEqual([403, true]);
		const after = await sql('SELECT payout_address, api_secret_sealed FROM partners WHERE id = ?', partner.id);
		expect(after).toEqual(before);
	});

	it('sets order pages, margin and payouts after a fresh passkey check, within the operator’s bounds', async () => {
		const save = (fields: Record<string, string>) => own.confirmed('/cabinet/settings', 'settings', fields);
		const fresh = await createPartner(service.current());
		const own = await new CabinetVisitor(service.current()).enter(fresh.id);
		const pages = { orderPageName: 'Coins & Co', orderPageSupport: 'help@coins.example', payerDecides: 'on' };
		expect((await own.post('/cabinet/settings', { ...pages, answer: '{}' })).text).toContain('did not confirm');
		expect((await save({ ...pages, orderPageFrames: 'https://a.example, https://b.example' })).status).toBe(303);
		const shown = () => service.current().operator('partner/show', { id: fresh.id });
		expect(await shown()).toMatchObject({
			orderPage: {
				name: 'Coins & Co',
				support: 'help@coins.example',
				payerDecides: true,
				frameOrigins: ['https://a.example', 'https://b.example'],
				returnUrl: null,
			},
		});
		const wrong = await save({ orderPageReturn: 'javascript:alert(1)' });
		expect([wrong.status, wrong.text.includes('is not an https URL')]).toEqual([403, true]);
		expect((await save({ afftaxBps: '75' })).location).toBe('/cabinet/settings?done=saved');
		expect((await save({ afftaxBps: '7.5' })).text).toContain('whole numbers');
		const weekly = { autoPayout: 'weekly', autoPayoutMinUsd: '20' };
		expect((await save(weekly)).text).toContain('need a payout address');
		await service.current().operator('partner/update', { id: fresh.id, payoutAsset: 'LTC', payoutAddress: LTC_REFUND });
		expect((await save({ ...weekly, autoPayout: 'daily' })).text).toContain('that are weekly or rarer');
		expect((await save(weekly)).status).toBe(303);
		expect(await shown()).toMatchObject({ afftaxBps: 75, autoPayout: 'weekly', autoPayoutMinUsd: 20 });
		expect((await audited(fresh.id)).map(({ command }) => command)).toContain('cabinet settings');
	});

	it('makes a code and switches it off and on; labels and names are text, whatever they hold', async () => {
		const wrong = await one.post('/cabinet/codes', { code: 'no', label: 'kept', afftaxBps: '9999' });
		expect([wrong.status, wrong.text.match(/aria-invalid="true"/g)?.length]).toEqual([400, 2]);
		for (const typed of ['value="no"', 'value="kept"', 'value="9999"']) expect(wrong.text).toContain(typed);
		expect((await one.post('/cabinet/codes', { code: 'autumn', label: HOSTILE, afftaxBps: '50' })).status).toBe(303);
		const page = await one.get('/cabinet/codes');
		expect(page.text).toContain('&lt;img src=x onerror=alert(1)&gt;\uFFFDgnp');
		expect(page.text).not.toMatch(/<img|\u202E/);
		for (const [action, enabled] of [
			['disable', 0],
			['enable', 1],
		] as const) {
			expect((await one.post(`/cabinet/codes/${action}`, { code: 'autumn' })).status).toBe(303);
			const ours = "SELECT enabled FROM reference_codes WHERE code = 'autumn' AND partner_id = ?";
			expect(await sql(ours, partner.id)).toEqual([{ enabled }]);
		}
		const token = await one.invited(partner.id);
		expect((await new CabinetVisitor(service.current()).accept(token, {}, HOSTILE)).status).toBe(403);
	});

	it('saves the webhook URL, sends a test, and sends a delivery again', async () => {
		const refused = await one.post('/cabinet/webhooks', {
			webhookUrl: 'https://10.0.0.1/',
			events: 'partner.paid_out',
		});
		expect([refused.status, refused.text.includes('names an IP address')]).toEqual([400, true]);
		const fields = { webhookUrl: receiver.url, events: ['order.status_changed'] };
		expect((await one.post('/cabinet/webhooks', fields)).status).toBe(303);
		receiver.clear();
		expect((await one.post('/cabinet/webhooks/test')).status).toBe(303);
		const { json } = await receiver.waitFor(({ rawBody }) => rawBody.includes('webhook.test'));
		const { id } = json as { id: string };
		await eventually('the test to be delivered', async () => {
			const [event] = await sql<{ state: string }>('SELECT state FROM webhook_events WHERE event_id = ?', id);
			return event?.state === 'delivered';
		});
		const list = (await one.get('/cabinet/webhooks')).text;
		expect(list).toContain('HTTP 200');
		expect(list).toMatch(/order\.status_changed<\/code> DONE/);
		expect(list).toContain(`href="/cabinet/webhooks/${id}"`);
		const page = await one.get(`/cabinet/webhooks/${id}`);
		for (const said of ['webhook.test', 'HTTP 200', '&quot;type&quot;']) expect(page.text).toContain(said);
		expect((await stranger.visitor.get(`/cabinet/webhooks/${id}`)).status).toBe(404);
		// An attempt that is under way is no failure.
		await sql("UPDATE webhook_events SET state = 'due', attempts = attempts + 1 WHERE event_id = ?", id);
		expect((await one.get(`/cabinet/webhooks/${id}`)).text).toContain('Being sent');
		await sql("UPDATE webhook_events SET state = 'delivered', attempts = attempts - 1 WHERE event_id = ?", id);
		receiver.clear();
		expect((await one.post('/cabinet/webhooks/again', { id })).status).toBe(303);
		await receiver.waitFor(({ rawBody }) => rawBody.includes(id));
	});
});

describe('an order that needs a decision', () => {
	const paid = async (more = {}) => {
		const { current } = service;
		const { data } = await create(current(), stranger.partner);
		await current().operator('sandbox/deposit', { orders: [data.id], amount: '0.1', ...more });
		await untilStatus(current(), stranger.partner, data, 'EMERGENCY');
		return data;
	};
	const rowOf = (text: string, id: string) =>
		(text.split('<tr>').find((row) => row.includes(`/orders/${id}`)) ?? '').replaceAll(/<[^>]*>/g, '|');

	it('waits on the first page and in the menu, is exchanged by a passkey for this order alone, and listed by what moved', async () => {
		const { visitor } = stranger;
		const [ours, other] = [await paid(), await paid()];
		const overview = await visitor.get('/cabinet');
		expect(overview.text).toContain('2 orders wait for your decision');
		expect(overview.text).toContain('>To decide: 2<');
		const waits = rowOf((await visitor.get('/cabinet/orders')).text, ours.id);
		expect(waits).toMatch(/Needs a decision\|+2\u00A0LTC\|+0\.1\u00A0LTC\|/);
		// No estimate stands where sums are.
		expect(waits).not.toContain('ETH');
		const path = `/cabinet/orders/${ours.id}`;
		const page = await visitor.get(path);
		for (const said of ['0.1 LTC came; the order asked for 2 LTC.', 'Exchange with your passkey', 'Would bring about'])
			expect(page.text).toContain(said);
		const forOther = visitor.passkey.get(
			await visitor.options('/cabinet/confirm', { id: other.id, confirms: 'exchange' }),
		);
		const refused = await visitor.post('/cabinet/orders/exchange', { id: ours.id, answer: forOther });
		expect([refused.status, refused.text.includes('did not confirm')]).toEqual([403, true]);
		const foreign = await one.confirmed('/cabinet/orders/exchange', 'exchange', { id: ours.id });
		expect([foreign.status, foreign.text.includes('You have no order')]).toEqual([404, true]);
		expect(
			await sql(
				'SELECT count(*) AS chosen FROM orders WHERE partner_id = ? AND emergency_choice IS NOT NULL',
				stranger.partner.id,
			),
		).toEqual([{ chosen: 0 }]);
		expect(await visitor.confirmed('/cabinet/orders/exchange', 'exchange', { id: ours.id })).toMatchObject({
			status: 303,
			location: path,
		});
		await untilStatus(service.current(), stranger.partner, ours, 'DONE');
		await service.current().operator('order/refund', { id: other.id });
		await untilStatus(service.current(), stranger.partner, other, 'EXPIRED');
		const list = (await visitor.get('/cabinet/orders')).text;
		expect(rowOf(list, ours.id)).toMatch(/Done\|+2\u00A0LTC\|+0\.1\u00A0LTC\|+0\.00\d+\u00A0ETH/);
		expect(rowOf(list, other.id)).toMatch(/Returned\|+2\u00A0LTC\|+0\.1\u00A0LTC\|+0\.09\d+\u00A0LTC/);
		expect(list).not.toContain('To decide');
		const rows = JSON.parse((await visitor.get('/cabinet/orders.json')).text) as Record<string, unknown>[];
		expect(rows.find(({ id }) => id === other.id)).toMatchObject({ asked: '2', received: '0.1', sent: null });
		expect(rows.find(({ id }) => id === other.id)?.['returned']).toMatch(/^0\.09/);
		const late = await visitor.confirmed('/cabinet/orders/exchange', 'exchange', { id: other.id });
		expect([late.status, late.text.includes('needs no decision any more')]).toEqual([403, true]);
	});

	it('stands on the first page among all else that waits: what partner.attention tells of', async () => {
		const { current } = service;
		const waits = 'Your automatic payout cannot be made now. It is tried again each hour. Since';
		const without = (await stranger.visitor.get('/cabinet')).text;
		const set = (kind: string, why: string | null, since: number | null) =>
			sql(
				'UPDATE partners SET auto_payout = ?, auto_payout_waits = ?, auto_payout_waits_since = ? WHERE id = ?',
				...[kind, why, since, stranger.partner.id],
			);
		await set('weekly', 'no address', Date.now());
		const shown = (await stranger.visitor.get('/cabinet')).text;
		await set('none', null, null);
		expect([without.includes(waits), shown.includes(waits)]).toEqual([false, true]);
		const asked = await create(current(), stranger.partner);
		await current().operator('sandbox/deposit', { orders: [asked.data.id], amount: '0.1' });
		await untilStatus(current(), stranger.partner, asked.data, 'EMERGENCY');
		await sql("UPDATE orders SET refund_asked_at = 1, refund_asked_by = 'payer' WHERE id = ?", asked.data.id);
		const { text } = await stranger.visitor.get('/cabinet');
		expect(text).toContain(`A customer asked for a refund.`);
		expect(text).toContain(`<a href="/cabinet/orders/${asked.data.id}">See the order</a>`);
		await current().operator('order/refund', { id: asked.data.id });
	});

	it('is what a sign-in leads to, where it was asked for; an address elsewhere is not', async () => {
		const own = await new CabinetVisitor(service.current()).enter(stranger.partner.id);
		const [cookie, path] = [own.cookie, '/cabinet/orders?status=EMERGENCY'];
		own.cookie = '';
		const { location } = await own.get(path);
		expect(location).toBe(`/cabinet/sign-in?${new URLSearchParams({ to: path })}`);
		expect((await own.get(String(location))).text).toContain(`name="to" value="${path}"`);
		for (const [to, there] of [
			[path, path],
			['//evil.example', '/cabinet'],
		] as const) {
			const answer = own.passkey.get(await own.options('/cabinet/sign-in'));
			expect((await own.post('/cabinet/sign-in', { to, answer })).location).toBe(there);
		}
		expect(own.cookie).not.toBe(cookie);
	});
});

describe('another partner’s', () => {
	it('orders, webhooks, codes, sessions and passkeys are not there, whatever id is asked for', async () => {
		const { order: theirs, visitor } = stranger;
		expect((await one.get(`/cabinet/orders/${theirs.id}`)).status).toBe(404);
		expect((await visitor.get(`/cabinet/orders/${theirs.id}`)).status).toBe(200);
		for (const q of [theirs.id, theirs.id.slice(0, 6), theirs.from.address, theirs.to.address, 'theirs-1'])
			expect((await one.get(`/cabinet/orders?q=${q}`)).text).not.toContain(`/cabinet/orders/${theirs.id}`);
		for (const path of ['', '/orders?code=theirs', '/orders.csv', '/orders.json', '/webhooks', '/codes', '/access'])
			expect((await one.get(`/cabinet${path}`)).text).not.toMatch(new RegExp(`${theirs.id}|>theirs<|Stranger`));
		const [event] = await sql<{ id: string }>(
			'SELECT event_id AS id FROM webhook_events WHERE partner_id = ?',
			stranger.partner.id,
		);
		const [session] = await sql<{ id: string }>(
			'SELECT id FROM cabinet_sessions WHERE partner_id = ?',
			stranger.partner.id,
		);
		expect((await one.post('/cabinet/webhooks/again', { id: event?.id ?? '' })).text).toContain('there is no webhook');
		expect((await one.post('/cabinet/codes/disable', { code: 'theirs' })).status).toBe(400);
		await one.post('/cabinet/access/sessions/end', { id: session?.id ?? '' });
		const removal = await one.confirmed('/cabinet/access/passkeys/remove', 'passkeys', { id: visitor.passkey.id });
		expect(removal.status).toBe(403);
		expect((await visitor.get('/cabinet')).status).toBe(200);
	});
});

describe('orders', () => {
	it('are found by id, reference, address and transaction, and shown with what happened', async () => {
		const [row] = await sql<Record<string, string>>('SELECT * FROM orders WHERE id = ?', order.id);
		for (const q of [
			order.id,
			order.id.slice(0, 6),
			'=cmd()',
			row?.['deposit_tx_id'],
			row?.['payout_tx_id'],
			order.from.address,
		])
			expect([q, (await one.get(`/cabinet/orders?q=${encodeURIComponent(q ?? '')}`)).text.includes(order.id)]).toEqual([
				q,
				true,
			]);
		const { text } = await one.get(`/cabinet/orders/${order.id}`);
		for (const said of ['Order created', 'Deposit of 2 LTC seen', 'Payout of']) expect(text).toContain(said);
	});

	it('of which somebody changed the row are named, in the list and in the files, and shown no further', async () => {
		const changed = (await create(service.current(), partner)).data;
		const other = (await create(service.current(), partner)).data;
		await sql("UPDATE orders SET pay_in_address = 'ltc1qthief' WHERE id = ?", changed.id);
		onTestFinished(async () => {
			await sql('UPDATE orders SET pay_in_address = ? WHERE id = ?', changed.from.address, changed.id);
		});
		const list = await one.get('/cabinet/orders');
		expect(list.text).toMatch(new RegExp(`${changed.id}[\\s\\S]*?Cannot be shown`));
		expect(list.text).toContain(`/cabinet/orders/${other.id}`);
		const page = await one.get(`/cabinet/orders/${changed.id}`);
		expect([page.status, page.text.includes('does not match its seal')]).toEqual([500, true]);
		const csv = (await one.get('/cabinet/orders.csv')).text;
		expect(csv.split('\r\n').find((line) => line.startsWith(changed.id))).toMatch(/^[0-9a-f-]{36},+cannot be shown: /);
		const rows = JSON.parse((await one.get('/cabinet/orders.json')).text) as Record<string, unknown>[];
		expect(rows.find(({ id }) => id === other.id)).toMatchObject({ depositAddress: other.from.address, problem: null });
		for (const text of [list.text, page.text, csv, JSON.stringify(rows)]) expect(text).not.toContain('thief');
		await eventually('the log to say so', async () =>
			service
				.current()
				.logged('order_seal_broken')
				.some(({ orders }) => (orders as string[])[0] === changed.id),
		);
	});

	it('are exported whole, however many there are, and no cell is a formula', async () => {
		const columns = (await sql<{ name: string }>("SELECT name FROM pragma_table_info('orders')")).map(
			({ name }) => name,
		);
		const cloned: Record<string, string> = {
			id: "printf('%08x-0000-4000-8000-000000000000', n)",
			pay_in_address: "'clone' || n",
			external_id: "'n' || n",
			seal: "'1.clone'",
			created_at: 'created_at - n',
			status: "'EXPIRED'",
			finished_at: 'NULL',
			idempotency_key: 'NULL',
			holds_cap: '0',
			reference_code: 'NULL',
		};
		await sql(
			`WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 1200)
				INSERT INTO orders (${columns.join(', ')})
				SELECT ${columns.map((name) => cloned[name] ?? name).join(', ')} FROM orders, numbers WHERE id = ?`,
			order.id,
		);
		onTestFinished(async () => {
			await sql("DELETE FROM orders WHERE seal = '1.clone'");
		});
		const csv = await one.get('/cabinet/orders.csv');
		const lines = csv.text.trimEnd().split('\r\n');
		expect(lines.length).toBe(1 + 1209);
		expect(csv.text).toContain(",'=cmd(),");
		const rows = JSON.parse((await one.get('/cabinet/orders.json?status=EXPIRED&sort=oldest')).text) as {
			id: string;
		}[];
		expect(new Set(rows.map(({ id }) => id)).size).toBe(1201);
		const idsOf = (text: string) => [...text.matchAll(/orders\/([0-9a-f-]{36})/g)].map(([, id]) => id);
		for (const path of ['/cabinet/orders?status=EXPIRED', `/cabinet/orders?q=${order.to.address}`]) {
			const first = await one.get(path);
			const next = /href="([^"]*after=[^"]*)">Next page/.exec(first.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
			const [here, there] = [idsOf(first.text), idsOf((await one.get(next)).text)];
			const both = here.filter((id) => there.includes(id));
			expect([path, here.length, there.length, both]).toEqual([path, 50, 50, []]);
		}
	});

	it('add up on the first page, and the weight of the last minute is on the page of limits', async () => {
		const { text } = await one.get('/cabinet?days=7');
		expect(text).toContain('$665.00');
		expect(text).toContain('$6.65');
		const used = Number(/<h1>(\d+) of/.exec((await one.get('/cabinet/limits')).text.replaceAll('\u202F', ''))?.[1]);
		expect(used).toBeGreaterThan(0);
		expect((await signed(service.current(), partner, '/api/v1/create', {})).code).toBe(1);
		const later = Number(/<h1>(\d+) of/.exec((await one.get('/cabinet/limits')).text.replaceAll('\u202F', ''))?.[1]);
		expect(later).toBe(used + 50);
	});
});
