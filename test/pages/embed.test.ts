/** A partner's appearance on the pages of their orders, and their widget on pages of other sites. */
import { randomInt } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { browserForFile, flawsOf, openPage, overflows, PHONE } from '../support/browser.ts';
import { CabinetVisitor } from '../support/cabinet.ts';
import { create, ETH_RECIPIENT, LTC_REFUND } from '../support/orders.ts';
import { type Credentials, createPartner } from '../support/partner.ts';
import { pngOf } from '../support/png-file.ts';
import { eventually, sharedService } from '../support/service.ts';

const service = sharedService();
const at = (path: string): string => service.current().url + path;
const MAX_BYTES = 60_000;
const NAME = 'Coins & Co';
const SMALL = pngOf({ width: 9, height: 9 });

let partner: Credentials;
let visitor: CabinetVisitor;
beforeAll(async () => {
	partner = await createPartner(service.current(), { name: NAME });
	await update({ orderPageName: NAME, widgetBps: 150 });
	visitor = await new CabinetVisitor(service.current()).enter(partner.id);
});
browserForFile();

const update = (change: object) => service.current().operator('partner/update', { id: partner.id, ...change });
const widget = (query = '', id = partner.id) => `/widget/${id}${query}`;
/** Each of a network of its own. */
const stranger = () => ({
	'cf-connecting-ip': `2001:${randomInt(0x10000).toString(16)}:${randomInt(0x10000).toString(16)}::1`,
});
const read = async (path: string, headers: Record<string, string> = {}) => {
	const response = await fetch(at(path), { headers: { ...stranger(), ...headers }, redirect: 'manual' });
	return { status: response.status, headers: response.headers, text: await response.text() };
};
const ORDER = { from: 'LTC', to: 'ETH', amount: '2', toAddress: ETH_RECIPIENT, refundAddress: LTC_REFUND };
const order = async (change: Record<string, string> = {}, headers: Record<string, string> = {}) => {
	const body = new URLSearchParams({ ...ORDER, ...change });
	const init = { method: 'POST', body, headers: { ...stranger(), ...headers }, redirect: 'manual' as const };
	const response = await fetch(at(widget()), init);
	return { status: response.status, location: response.headers.get('location'), text: await response.text() };
};
const ancestors = (headers: Headers) => /frame-ancestors (.*)$/.exec(headers.get('content-security-policy') ?? '')?.[1];

describe('appearance in the cabinet', () => {
	const TYPED = {
		accent: '#ffee00',
		terms: 'https://shop.example/terms',
		logo: '',
		widgetBps: '150',
		widgetUsd: '5000',
	};
	const logoIn = (text: string) => /name="logo" value="([0-9a-f]{64}-\d+x\d+)"/.exec(text)?.[1] ?? '';

	it('a logo and a colour are previewed, saved with a passkey, shown to payers, and replaced', async () => {
		const { text, status } = await visitor.upload(
			'/cabinet/appearance/look',
			TYPED,
			pngOf({ width: 480, height: 100 }),
		);
		expect({ status, size: logoIn(text).slice(65) }).toEqual({ status: 200, size: '240x50' });
		expect(text).toContain('data:image/png;base64,');
		expect(text).toMatch(/your colour is #[0-9a-f]{6} on light pages and #ffee00 on dark ones/);
		const logo = logoIn(text);
		expect((await read(`/brand/${logo}.png`)).status).toBe(404);

		const saved = { ...TYPED, logo };
		expect((await visitor.post('/cabinet/appearance', saved)).text).toContain('your passkey did not confirm it');
		const { location } = await visitor.confirmed('/cabinet/appearance', 'settings', saved);
		expect(location).toBe('/cabinet/appearance?done=saved');
		const image = await read(`/brand/${logo}.png`);
		expect(Object.fromEntries(image.headers)).toMatchObject({
			'content-type': 'image/png',
			'x-content-type-options': 'nosniff',
			'cache-control': 'public, max-age=31536000, immutable',
		});
		const made = (await create(service.current(), partner)).data;
		const { page, problems, hosts, transferred, close } = await openPage(at(`/o/${made.id}#${made.token}`), PHONE);
		await page.getByRole('heading', { level: 1, name: 'Send' }).waitFor();
		await page.getByRole('img', { name: NAME }).waitFor();
		expect(await page.title()).toContain(`· ${NAME}`);
		expect(await page.locator('a', { hasText: `Terms of ${NAME}` }).getAttribute('href')).toBe(TYPED.terms);
		// The docs are for partners, and not for their payers.
		expect(await page.locator('a[href^="/docs"]').count()).toBe(0);
		expect(await flawsOf(page, { inTheDark: true })).toEqual([]);
		expect({ problems, hosts: hosts.size, isSmall: (await transferred()) < MAX_BYTES }).toEqual({
			problems: [],
			hosts: 1,
			isSmall: true,
		});
		await close();

		const other = logoIn((await visitor.upload('/cabinet/appearance/look', saved, SMALL)).text);
		await visitor.confirmed('/cabinet/appearance', 'settings', { ...saved, logo: other });
		expect((await read(`/brand/${logo}.png`)).status).toBe(404);
		expect((await read(`/brand/${other}.png`)).status).toBe(200);
		const { sql } = service.current();
		await update({ orderPageLogo: null });
		expect((await read(`/brand/${other}.png`)).status).toBe(404);
		await visitor.confirmed('/cabinet/appearance', 'settings', { ...saved, logo: other });
		expect((await read(`/brand/${other}.png`)).status).toBe(200);
		await sql("UPDATE partner_logos SET png = 'AAAA' WHERE name = ?", other);
		expect((await read(`/brand/${other}.png`)).status).toBe(404);
		await update({ orderPageLogo: null });
		const lines = await sql<{ command: string }>(
			'SELECT command FROM audit_log WHERE subject = ? ORDER BY at',
			partner.id,
		);
		expect(lines.map(({ command }) => command)).toContain('cabinet settings');
	});

	it.each<[string, Record<string, string>, Uint8Array<ArrayBuffer>, string]>([
		['a bomb', {}, pngOf({ width: 30_000, height: 30_000, data: Buffer.alloc(9) }), 'The logo was not taken'],
		['a script', {}, Buffer.from('<svg onload="alert(1)"></svg>'), 'it is no PNG file'],
		['a colour that is none', { accent: '#fff;}' }, SMALL, 'Write the colour as #0a54c2'],
		['a margin that is none', { widgetBps: '1e3' }, SMALL, 'whole numbers'],
	])('%s is refused before it is kept', async (_, change, file, said) => {
		const { status, text } = await visitor.upload('/cabinet/appearance/look', { ...TYPED, ...change }, file);
		expect(status).toBe(400);
		expect(text).toContain(said);
		expect(text).not.toContain('Save with your passkey');
	});

	it('what D1 has without a seal is shown to nobody, and the operator is told', async () => {
		const other = await createPartner(service.current());
		const set = { name: 'Evil', returnUrl: 'https://evil.example', widgetBps: 0 };
		await service.current().sql('UPDATE partners SET order_page = ? WHERE id = ?', JSON.stringify(set), other.id);
		expect((await read(widget('', other.id))).status).toBe(404);
		const rows = await service.current().operator<{ subject: string; cause: string }[]>('attention');
		expect(rows.find(({ subject }) => subject === other.id)?.cause).toContain('they have no valid seal');
		await service.current().operator('partner/update', { id: other.id, orderPageName: 'Mine' });
		const [row] = await service
			.current()
			.sql<{ page: string }>('SELECT order_page AS page FROM partners WHERE id = ?', other.id);
		expect(JSON.parse(row?.page ?? '')).toMatchObject({ name: 'Mine', returnUrl: null, widgetBps: null });
	});
});

describe('the widget', () => {
	it('quotes at the margin of the partner, names what is wrong, and orders in the partner’s name', async () => {
		const { text } = await read(widget('?from=LTC&to=ETH&amount=2'));
		expect(text.replaceAll('\u00A0', ' ')).toContain('You get about 0.0');
		expect(text).not.toContain(partner.apiKey);
		expect((await read(widget('?from=LTC&to=ETH&amount=0.0001'))).text).toContain('Send at least');
		expect((await read(widget('?from=LTC&to=ETH&amount=99999999'))).text).toContain('Send at most');
		expect((await read(widget('?from=LTC&to=ETH&amount=1,5'))).text).toContain('Enter an amount such as 0.5');
		expect((await read(widget('?from=LTC&to=LTC&amount=1'))).status).toBe(200);
		expect((await order({ toAddress: LTC_REFUND })).text).toContain('Enter an address of yours on Ethereum');
		const { status, location } = await order();
		expect({ status, location }).toEqual({
			status: 303,
			location: expect.stringMatching(/^\/o\/[0-9a-f-]{36}\?lang=en#[\w-]{43}$/),
		});
		const [row] = await service
			.current()
			.sql('SELECT partner_id, app_key, afftax_bps, reference_code FROM orders WHERE id = ?', location?.slice(3, 39));
		expect(row).toEqual({ partner_id: partner.id, app_key: 'widget', afftax_bps: 150, reference_code: null });
	});

	it('a page of another site makes no order with its readers’ browsers', async () => {
		expect((await order({}, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
	});

	it('strangers take no more than the partner set, each network only some, and an end is an end', async () => {
		await update({ widgetUsd: 1 });
		expect((await order()).text).toContain('Too many orders are open here');
		await update({ widgetUsd: 5_000 });
		const one = stranger();
		const statuses = [];
		for (let i = 0; i < 7; i++) statuses.push((await order({ toAddress: 'nonsense-1' }, one)).status);
		expect(statuses).toEqual([400, 400, 400, 400, 400, 400, 429]);
		await update({ enabled: false });
		expect((await read(widget())).status).toBe(404);
		await update({ enabled: true, widgetBps: null });
		expect((await read(widget())).status).toBe(404);
		expect((await order()).status).toBe(404);
		await update({ widgetBps: 150 });
	});

	it('is framed by the partner’s pages alone, with the component or without a script, and tells its host nothing', async () => {
		expect(ancestors((await read(widget())).headers)).toBe("'none'");
		const html = {
			component: `<script src="${at('/widget.js')}" defer></script>
				<partner-exchange-widget partner="${partner.id}" from="LTC" to="ETH" amount="2"></partner-exchange-widget>
				<script>addEventListener('message', (event) => document.title = 'told ' + event.data)</script>`,
			frame: `<iframe src="${at(widget('?from=LTC&to=ETH&amount=2'))}" title="Swap" width="400" height="640"></iframe>`,
		};
		const host = createServer((request, response) => {
			response.setHeader('content-type', 'text/html');
			response.end(`<!doctype html><title>Shop</title>${request.url === '/frame' ? html.frame : html.component}`);
		});
		await new Promise<void>((listening) => host.listen(0, '127.0.0.1', listening));
		onTestFinished(() => void host.close());
		const origin = `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
		await update({ orderPageFrames: [origin] });
		expect(ancestors((await read(widget())).headers)).toBe(origin);
		for (const path of ['/component', '/frame']) {
			const { page, close } = await openPage(origin + path);
			await eventually('the widget to be framed', async () => page.frames()[1]?.url().includes('/widget/'));
			const frame = page.frames()[1];
			if (!frame) throw new Error('no frame');
			await frame.getByLabel('Your ETH address').fill(ETH_RECIPIENT);
			await frame.getByLabel('Your LTC address').fill(LTC_REFUND);
			const [opened] = await Promise.all([
				page.context().waitForEvent('page'),
				frame.getByRole('button', { name: 'Create the order' }).click(),
			]);
			await opened.getByRole('heading', { level: 1, name: 'Send' }).waitFor();
			expect(await opened.evaluate('window.opener')).toBeNull();
			expect(await page.title()).toBe('Shop');
			expect(page.url()).toBe(origin + path);
			await opened.close();
			await close();
		}
		await update({ orderPageFrames: ['https://shop.example'] });
		const { page, close } = await openPage(`${origin}/component`);
		await eventually('the frame to be refused', async () => page.frames()[1]?.url().startsWith('chrome-error:'));
		await close();
		await update({ orderPageFrames: null });
	});

	it('is whole on a phone, in the dark and from right to left', async () => {
		for (const query of ['?from=LTC&to=ETH&amount=2', '?from=LTC&to=ETH&amount=0.0001&lang=ar']) {
			const { page, problems, hosts, transferred, close } = await openPage(at(widget(query)), PHONE);
			expect(await flawsOf(page, { inTheDark: true })).toEqual([]);
			expect(await overflows(page)).toBe(false);
			expect({ problems, hosts: hosts.size, isSmall: (await transferred()) < MAX_BYTES }).toEqual({
				problems: [],
				hosts: 1,
				isSmall: true,
			});
			await close();
		}
	});
});
