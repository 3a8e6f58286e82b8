/** The page of an order: what it says in every state, to whom it shows nothing, where it may be framed, and how it keeps up. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { keyRing } from '../../src/crypto/key-ring.ts';
import { sealOrder } from '../../src/orders/seal.ts';
import { browserForFile, flawsOf, openPage, overflows, PHONE, seriousIn } from '../support/browser.ts';
import { visitor } from '../support/console-visit.ts';
import { type FilledOrders, fillOrders, type OrderPageState } from '../support/order-pages.ts';
import { type CreatedOrder, create, ETH_RECIPIENT, LTC_REFUND, readOrder, untilStatus } from '../support/orders.ts';
import { call, createPartner, signed } from '../support/partner.ts';
import { eventually, serviceForFile } from '../support/service.ts';

/** Writes a line for each read of an order. */
const READS = `
import { env as readEnv } from 'cloudflare:workers';
{
	const record = (owner) => {
		const prototype = Object.getPrototypeOf(owner);
		const { prepare } = prototype;
		prototype.prepare = function (statement) {
			if (statement.includes('"partners"."order_page"')) console.log('{"event":"order_read"}');
			return prepare.call(this, statement);
		};
	};
	record(readEnv.DB);
	record(readEnv.DB.withSession());
}
`;
const service = serviceForFile(
	{},
	{
		pages: true,
		arrange: (workers) => workers.map((worker, i) => (i === 0 ? { ...worker, script: READS + worker.script } : worker)),
	},
);
const at = (path: string): string => service.current().url + path;

const MAX_BYTES = 60_000;

let filled: FilledOrders;
beforeAll(async () => {
	filled = await fillOrders(service.current());
});
browserForFile();

const bearer = (token: string | null) => ({ authorization: `Bearer ${token}` });
const stateOf = (id: string, token: string | null, more: Record<string, string> = {}) =>
	fetch(at(`/o/${id}/state`), { headers: { ...bearer(token), ...more } });
const orderIn = (state: OrderPageState): CreatedOrder => filled.orders[state];
const read = (state: OrderPageState) => stateOf(orderIn(state).id, orderIn(state).token);
/** A number and its unit stand on one line. */
const withBlanks = (text: string | null): string => (text ?? '').replaceAll('\u00A0', ' ');
const newOrder = async () => (await create(service.current(), filled.partner)).data;

describe('in each state', () => {
	it.each<[OrderPageState, string, string[]]>([
		['new', 'Send 2 LTC (Litecoin)', ['Send only LTC', 'Open in wallet', '<svg', 'min left', 'at Coins &amp; Co']],
		['ending', 'Send 2 LTC (Litecoin)', ['minutes left; coins sent later are not lost']],
		[
			'confirming',
			'We see your 2 LTC. Waiting for confirmations',
			[
				'1 of 6 confirmations, about',
				'You can close this page',
				'At least',
				'your coins go back to your refund address',
			],
		],
		[
			'dropped',
			'Your transaction has disappeared from the network',
			['After 24 hours without it the order expires', 'Open in wallet', '<svg', 'class="amount"'],
		],
		['sending', 'Confirmed. Optimism payouts are paused for now', ['Rate, fixed', 'will not change', 'href="/status"']],
		['done', 'Sent: 0.05902812 ETH', ['Receipt', 'less than a minute from your payment', 'New swap at Coins &amp; Co']],
		[
			'beyond',
			'Sent: 0.05902812 ETH. Another 0.25 LTC of yours is still here',
			['It came after the exchange had begun'],
		],
		['little', 'We received 0.15 LTC; this order was for 2 LTC', ['Exchange 0.15 LTC for about', 'Send 1.85 LTC more']],
		[
			'much',
			'We received 1000 LTC; this order was for 2 LTC',
			['Exchange 1000 LTC for about', 'ask to have it returned'],
		],
		['late', 'Your coins arrived after the order had expired', ['We received 2 LTC.', 'Exchange 2 LTC for about']],
		['held', 'Your 2 LTC arrived. This order is being checked', ['Your coins are safe']],
		['chosen', 'Your 0.1 LTC will be exchanged at the current rate', []],
		['returning', 'Your coins are on their way back: 0.000995 ETH to your refund address', []],
		['returned', 'Returned: 0.0999 LTC', ['0.0001 LTC, deducted from what you sent']],
		['floored', 'Returned: 1.8999 LTC', ['They would have brought less than your minimum of 0.0584']],
		['seenLate', 'We see your 2 LTC. It came after the order had expired', ['Your coins are safe']],
		['closed', 'This order was closed. Your 0.1 LTC is not lost', ['Ask below']],
		['expired', 'This order expired. Nothing was received, so there is nothing to return', ['make a new order']],
	])('%s says so first: %s', async (state, headline, more) => {
		if (state === 'chosen') await filled.choose();
		const response = await read(state);
		const html = withBlanks(await response.text());
		expect(response.status).toBe(200);
		expect(/<h1[^>]*>([^<]*)</.exec(html)?.[1]).toBe(headline);
		for (const text of more) expect(html).toContain(text);
		// One state at a time, and only what can still be paid is offered to be paid.
		expect(html.match(/class="state /g)).toHaveLength(1);
		// The missing part of too little can be paid as well.
		expect(html.includes('Open in wallet')).toBe(['new', 'ending', 'dropped', 'little'].includes(state));
		expect(html.includes('is swapped too')).toBe(['new', 'ending', 'dropped'].includes(state));
		// Nothing is said to be sent before it is.
		expect(html.includes('Sent to')).toBe(state === 'done' || state === 'beyond');
		expect(html.includes('value="exchange"')).toBe(['little', 'much', 'late'].includes(state));
		expect(response.headers.get('cache-control')).toBe('no-store');
	});
});

describe('a link that only reads', () => {
	interface Links {
		readonly status: string;
		readonly statusPage: string;
	}
	const linksOf = async ({ id, token }: CreatedOrder) => {
		const body = { id, token, with: ['links'] };
		const { data } = await signed<{ links: Links }>(service.current(), filled.partner, '/api/v1/order', body);
		return data.links;
	};
	const tokenIn = ({ statusPage }: Links) => new URL(statusPage).hash.slice(1);
	const HASH = /\b(?:0x)?[0-9a-f]{64}\b/g;

	it.each<[OrderPageState, string]>([
		['new', 'Waiting for payment'],
		['confirming', 'Payment seen'],
		['sending', 'Sending'],
		['done', 'Done'],
		['beyond', 'Done'],
		['little', 'Needs a decision'],
		['returned', 'Returned'],
		['seenLate', 'Closed'],
		['expired', 'Expired'],
	])(
		'%s: says where the order stands, has no button, and nothing that the call does not answer',
		async (state, word) => {
			const { id, token } = orderIn(state);
			const links = await linksOf(orderIn(state));
			expect(links.statusPage).toMatch(new RegExp(`^${at(`/o/${id}`)}#[A-Za-z0-9_-]{43}$`));
			const response = await stateOf(id, tokenIn(links));
			const html = await response.text();
			expect([response.status, html.includes(`data-title="${word}"`)]).toEqual([200, true]);
			expect(html).not.toMatch(/<form|name="action"/);
			expect(html.includes('Open in wallet')).toBe(state === 'new');
			const answered = await call(service.current(), links.status.replace(at(''), ''), undefined, { method: 'GET' });
			expect((html.match(HASH) ?? []).filter((hash) => !answered.text.includes(hash))).toEqual([]);
			expect(html).not.toContain(String(token));
		},
	);

	it('does nothing that a payer may do, and the order’s own link still does', async () => {
		const order = orderIn('little');
		const token = tokenIn(await linksOf(order));
		const post = (fields: Record<string, string>) =>
			fetch(at(`/o/${order.id}`), { method: 'POST', headers: bearer(token), body: new URLSearchParams(fields) });
		for (const fields of [{ action: 'exchange' }, { action: 'refund' }, { action: 'named', tx: 'a'.repeat(64) }]) {
			const response = await post(fields);
			expect([response.status, (await response.text()).includes('data-title="Needs a decision"')]).toEqual([200, true]);
		}
		const rows = 'SELECT emergency_choice, refund_asked_at, named FROM orders WHERE id = ?';
		const untouched = [{ emergency_choice: null, refund_asked_at: null, named: 0 }];
		expect(await service.current().sql(rows, order.id)).toEqual(untouched);
		expect(await (await read('little')).text()).toContain('value="exchange"');
	});

	it('is whole on a phone, keeps up, and asks for nothing that it has', async () => {
		const order = await newOrder();
		const { statusPage } = await linksOf(order);
		const { page, problems, close } = await openPage(statusPage, PHONE);
		await page.getByText('Waiting for payment').first().waitFor();
		expect([await overflows(page), await seriousIn(page)]).toEqual([false, []]);
		expect(page.url()).toBe(at(`/o/${order.id}`));
		await service.current().operator('sandbox/deposit', { orders: [order.id] });
		await page.getByText('Done', { exact: true }).first().waitFor();
		expect(problems).toEqual([]);
		await close();
		const token = new URL(statusPage).hash.slice(1);
		const etag = (await stateOf(order.id, token)).headers.get('etag') ?? '';
		expect((await stateOf(order.id, token, { 'if-none-match': etag })).status).toBe(304);
		expect((await stateOf(order.id, `${token.slice(1)}A`, { 'if-none-match': etag })).status).toBe(404);
	});

	it('that is forged, or another order’s, shows what an unknown order shows', async () => {
		const [order, other] = [orderIn('done'), orderIn('little')];
		const [token, others] = [tokenIn(await linksOf(order)), tokenIn(await linksOf(other))];
		const unknown = await (await stateOf(order.id, 'x')).text();
		const forged = [others, token.slice(0, -1), `${token}=`, `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`];
		for (const wrong of [...forged, token.toLowerCase(), `${token.slice(1)}\u00e9`]) {
			const response = await stateOf(order.id, wrong);
			expect([response.status, await response.text()]).toEqual([404, unknown]);
			const posted = await fetch(at(`/o/${order.id}`), { method: 'POST', body: new URLSearchParams({ token: wrong }) });
			expect(posted.status).toBe(404);
		}
	});
});

describe('the page', () => {
	it('is whole on a phone, for a payment: what to send and what to get in the first view, and an exact link for wallets', async () => {
		const { page, problems, hosts, transferred, close } = await openPage(at(filled.pathOf('new')), PHONE);
		await page.locator('#order h1[tabindex]').waitFor();
		expect(await page.locator('h1').count()).toBe(1);
		expect(await overflows(page)).toBe(false);
		expect(await seriousIn(page)).toEqual([]);
		const codes = page.locator('.qr svg:visible');
		const box = await codes.boundingBox();
		expect(box?.width).toBeGreaterThanOrEqual(240);
		expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(PHONE.viewport.height);
		// Of the 190 USD that are sent, fees and margin are off.
		await page
			.getByText(/^You get about 0\.\d+\sETH \(Ethereum\), worth about 18\d\.\d\d\sUSD, at Coins & Co\.$/)
			.waitFor();
		await page.getByText(/^Another amount within [\d.]+–[\d.]+\sLTC is swapped too/).waitFor();
		await page.getByLabel('Address only').check();
		expect(await codes.getAttribute('aria-label')).toBe('The address as a QR code');
		await page.getByText('This is a test service').waitFor();
		expect(await page.getByRole('link', { name: 'Open in wallet' }).getAttribute('href')).toBe(
			`litecoin:${orderIn('new').from.address}?amount=2`,
		);
		expect([problems, [...hosts]]).toEqual([[], [new URL(at('/')).host]]);
		expect(await transferred()).toBeLessThan(MAX_BYTES);
		await close();
	});

	it('is whole on a desk and in the dark, for a decision and with its receipt; the sandbox has no explorer', async () => {
		const { page, problems, hosts, transferred, close } = await openPage(at(filled.pathOf('little')));
		for (const [state, inTheDark] of [
			['little', false],
			['done', true],
		] as const) {
			if (state === 'done') await page.goto(at(filled.pathOf(state)));
			await page.locator('#order h1[tabindex]').waitFor();
			expect([state, await flawsOf(page, { inTheDark })]).toEqual([state, []]);
			expect(await page.locator('#link').isVisible()).toBe(false);
			expect(await page.getByRole('link', { name: 'See it in an explorer' }).count()).toBe(0);
		}
		expect([problems, [...hosts]]).toEqual([[], [new URL(at('/')).host]]);
		expect(await transferred()).toBeLessThan(2 * MAX_BYTES);
		await close();
	});

	it('keeps the order whatever key is pressed: the token leaves the address, and a reload and a link bring it back', async () => {
		const { id, token } = orderIn('dropped');
		const { page, close } = await openPage(at(filled.pathOf('dropped')));
		const says = (text: string) => page.locator('h1', { hasText: text }).waitFor();
		await says('Your transaction has disappeared');
		expect(page.url()).toBe(at(`/o/${id}`));
		await page.keyboard.press('Tab');
		await page.keyboard.press('Enter');
		await eventually('the skip link to lead to the content', async () =>
			page.evaluate('document.activeElement.id === "content" && location.hash === ""'),
		);
		await page.reload();
		await says('Your transaction has disappeared');
		expect(await page.getByText('Copy the link to this page').locator('..').getAttribute('data-copy')).toBe(
			at(`/o/${id}#${token}`),
		);
		const note = page.locator('#link');
		await page.context().setOffline(true);
		await note.filter({ hasText: 'You are offline' }).waitFor();
		await page.context().setOffline(false);
		await note.waitFor({ state: 'hidden' });
		await close();
	});

	it('is in one language, and prints as a receipt: exact times, its address, each transaction once', async () => {
		const { id } = orderIn('done');
		const { page, close } = await openPage(at(filled.pathOf('done')), { locale: 'de-DE' });
		await page.locator('h1', { hasText: 'Gesendet: ' }).waitFor();
		const times = () => page.locator('#order time').allTextContents();
		for (const time of await times()) expect(time).toMatch(/^vor |jetzt|^\d\d\.\d\d\.|(tag|woch), .*\d\d:\d\d:\d\d/);
		await page.emulateMedia({ media: 'print' });
		await page.evaluate('dispatchEvent(new Event("beforeprint"))');
		for (const time of await times()) expect(time).toMatch(/(tag|woch), .*\d\d:\d\d:\d\d.*(GMT|UTC|MES?Z)/);
		const seen = String(await page.evaluate('document.body.innerText')).replaceAll('\n', ' ');
		expect(seen).toContain(`Partner Exchange · ${new URL(at('/')).host}/o/${id}`);
		expect(seen).not.toMatch(/Neuer Tausch|Beleg drucken/);
		const { from, to } = await readOrder(service.current(), filled.partner, orderIn('done'));
		for (const txId of [from.tx.id, to.tx.id]) expect(seen.split(String(txId))).toHaveLength(2);
		await page.emulateMedia({ media: null });
		await close();
	});

	it('takes a transaction that the payer names, and what it gave stays while the order goes on', async () => {
		const { current } = service;
		const terms = {
			fromCcy: 'USDTERC20',
			toCcy: 'LTC',
			amount: '500',
			toAddress: LTC_REFUND,
			refundAddress: ETH_RECIPIENT,
		};
		const { data: order } = await create(current(), filled.partner, terms);
		const pay = (asset: string, more = {}) =>
			current().operator<{ txId: string }[]>('sandbox/deposit', { orders: [order.id], asset, amount: '500', ...more });
		const [deposit] = await pay('USDCPOL');
		const { page, problems, close } = await openPage(at(`/o/${order.id}#${order.token}`), PHONE);
		await page.getByText('You paid, and it does not show here?').click();
		await page.getByLabel('Transaction id').fill(String(deposit?.txId));
		await page.getByRole('button', { name: 'Look it up' }).click();
		const answer = page.getByText('It brought 500 USDC (Polygon), which is no payment of this order.');
		await answer.waitFor();
		expect([await overflows(page), await seriousIn(page)]).toEqual([false, []]);
		await pay('USDTERC20', { confirmations: 1 });
		await page.locator('h1', { hasText: 'We see your 500 USDT' }).waitFor();
		expect(await answer.isVisible()).toBe(true);
		expect(await page.getByRole('button', { name: 'Look it up' }).isEnabled()).toBe(true);
		expect(problems).toEqual([]);
		await close();
	});

	it('goes through a swap by itself, tells a screen reader, and keeps the focus and the token', async () => {
		const order = await newOrder();
		const { page, close } = await openPage(at(`/o/${order.id}`));
		const told: string[] = [];
		page.on('request', (request) => told.push(request.url(), request.headers()['referer'] ?? ''));
		const says = (text: string) => page.locator('h1', { hasText: text }).waitFor();
		await says('We can’t show this order');
		await page.getByLabel('The part after the').fill(order.token ?? '');
		await page.keyboard.press('Enter');
		await says('Send 2 LTC');
		await page.getByRole('button', { name: 'Copy order number' }).focus();
		await service.current().operator('sandbox/deposit', { orders: [order.id], confirmations: 2 });
		await says('We see your 2 LTC');
		await page.getByText('2 of 6 confirmations').waitFor();
		expect(withBlanks(await page.locator('#said').textContent())).toBe('We see your 2 LTC. Waiting for confirmations');
		expect(withBlanks(await page.title())).toContain('We see your 2 LTC');
		await service.current().operator('sandbox/confirm', { orders: [order.id] });
		await says('Sent: 0.05902812 ETH');
		expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('Copy order number');
		expect(told.filter((text) => text.includes(order.token ?? '') && !text.includes('#'))).toEqual([]);
		await close();
	});

	it('is complete without JavaScript: the token goes in a form', async () => {
		const { id, token } = orderIn('late');
		const { page, close } = await openPage(at(`/o/${id}#${token}`), { javaScriptEnabled: false });
		await page.getByLabel('The part after the').fill(token ?? '');
		await page.getByRole('button', { name: 'Show the order' }).click();
		expect(await page.locator('h1').textContent()).toBe('Your coins arrived after the order had expired');
		expect(await overflows(page)).toBe(false);
		expect(page.url()).not.toContain(token ?? '');
		await page.getByRole('button', { name: /^Exchange 2 LTC for about/ }).click();
		expect(await page.locator('h1').textContent()).toMatch(/exchanged at the current rate|Sending your ETH/);
		await untilStatus(service.current(), filled.partner, orderIn('late'), 'DONE');
		await eventually('the page to say so', async () => {
			await page.getByRole('button', { name: 'Load again' }).click();
			return withBlanks(await page.locator('h1').textContent()) === 'Sent: 0.05902812 ETH';
		});
		await close();
	});
});

describe('shows nothing', () => {
	it('without the right token, in the same words and the same time whatever is wrong', async () => {
		const { id, token } = orderIn('new');
		const unknown = crypto.randomUUID();
		const answers = await Promise.all(
			[
				[id, `${token?.slice(0, -1)}${token?.endsWith('A') ? 'B' : 'A'}`],
				[id, orderIn('done').token],
				[id, ''],
				[id, 'a b'],
				[unknown, token],
				['not-an-id', token],
			].map(async ([one = '', given]) => {
				const started = performance.now();
				const response = await stateOf(one ?? '', given ?? null);
				const text = (await response.text()).replaceAll(one ?? '', 'ID');
				return { status: response.status, text, took: performance.now() - started };
			}),
		);
		const [first] = answers;
		expect(first?.text).toContain('We can’t show this order');
		for (const { status, text, took } of answers) {
			expect(status).toBe(404);
			// What is no id is not offered to be quoted.
			if (text.includes('Order number')) expect(text).toBe(first?.text);
			expect(text).not.toContain('ltc1');
			expect(took).toBeGreaterThan(145);
		}
		const posted = await fetch(at(`/o/${id}`), { method: 'POST', body: new URLSearchParams({ token: 'wrong' }) });
		expect([posted.status, (await posted.text()).includes('ltc1')]).toEqual([404, false]);
	});

	it('of a deleted order, nor where the seal is broken', async () => {
		const [deleted, changed] = [await newOrder(), await newOrder()];
		await service.current().operator('order/delete', { id: deleted.id });
		expect((await stateOf(deleted.id, deleted.token)).status).toBe(404);
		await service.current().sql('UPDATE orders SET pay_in_address = ? WHERE id = ?', 'ltc1qthief', changed.id);
		const response = await stateOf(changed.id, changed.token);
		expect([response.status, (await response.text()).includes('thief')]).toEqual([500, false]);
	});

	it('that could be taken for markup, or that turns the direction of a text', async () => {
		const { current } = service;
		const order = await newOrder();
		const address = '<img src=x onerror=alert(1)>\u202e4sda';
		const [row] = await current().sql<{
			payInIndex: number;
			baseFeeBps: number;
			leanBps: number;
			afftaxBps: number;
			fromAmount: string;
		}>(
			'SELECT pay_in_index AS payInIndex, base_fee_bps AS baseFeeBps, lean_bps AS leanBps, afftax_bps AS afftaxBps, from_amount AS fromAmount FROM orders WHERE id = ?',
			order.id,
		);
		if (!row) throw new Error('there is no order');
		const { id, from, to } = order;
		const terms = { id, partnerId: filled.partner.id, ...row, fromAsset: 'LTC', toAsset: 'ETH' } as const;
		const seal = await sealOrder(keyRing(current().local.secrets, 'SEAL_KEY'), {
			...terms,
			toAddress: address,
			refundAddress: order.back.address ?? '',
			payInAddress: from.address,
			minToAmount: null,
		});
		expect(to.address).not.toBe(address);
		await current().sql('UPDATE orders SET to_address = ?, seal = ? WHERE id = ?', address, seal, id);
		await current().operator('partner/update', { id: filled.partner.id, orderPageName: '<b>evil</b>' });
		const html = await (await stateOf(id, order.token)).text();
		expect(html).not.toMatch(/<img|<b>evil|[\u202a-\u202e\u2066-\u2069]/);
		expect(html).toContain('&lt;b&gt;evil&lt;/b&gt;');
		await current().operator('partner/update', { id: filled.partner.id, orderPageName: 'Coins & Co' });
	});

	it('to a network that asks too often, whose calls of the API are not counted with it', async () => {
		const network = { 'cf-connecting-ip': '203.0.113.9' };
		const { id } = orderIn('new');
		const answers = await Promise.all(Array.from({ length: 1_501 }, () => fetch(at(`/o/${id}`), { headers: network })));
		const refused = answers.filter(({ status }) => status === 429);
		expect(refused).toHaveLength(1);
		expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0);
		expect((await stateOf(id, orderIn('new').token, network)).status).toBe(429);
		const { page, close } = await openPage(at('/status'));
		await page.setExtraHTTPHeaders(network);
		await page.goto(at(`/o/${id}`));
		await page.locator('h1', { hasText: 'Too many requests' }).waitFor();
		await eventually('the script to have asked too', async () => page.evaluate('link.textContent !== ""'));
		expect(await page.locator('#link').isVisible()).toBe(false);
		await page.setExtraHTTPHeaders({});
		await close();
		const body = JSON.stringify({});
		expect((await fetch(at('/api/v1/currencies'), { method: 'POST', headers: network, body })).status).toBe(200);
	});
});

it('a payer chooses nothing where the partner has not allowed it, nor by a wrong token', async () => {
	const { current } = service;
	const { id, token } = orderIn('little');
	const choose = (given: string | null) =>
		fetch(at(`/o/${id}`), {
			method: 'POST',
			headers: bearer(given),
			body: new URLSearchParams({ action: 'exchange' }),
		});
	expect((await choose('wrong')).status).toBe(404);
	await current().operator('partner/update', { id: filled.partner.id, payerDecides: false });
	const elsewhere = { 'cf-connecting-ip': '198.18.0.1' };
	await eventually('the change to be seen', async () => {
		const shown = await (await stateOf(id, token, elsewhere)).text();
		return !shown.includes('value="exchange"');
	});
	const html = await (await choose(token)).text();
	expect(html).not.toContain('value="exchange"');
	expect((await readOrder(current(), filled.partner, orderIn('little'))).emergency.choice).toBe('NONE');
	await current().operator('partner/update', { id: filled.partner.id, payerDecides: true });
});

describe('framing', () => {
	const ancestors = async (path: string): Promise<string | undefined> =>
		/frame-ancestors (.*)$/.exec((await fetch(at(path))).headers.get('content-security-policy') ?? '')?.[1];
	const frame = (page: Page, path: string) =>
		page.setContent(`<iframe src="${at(path)}" width="500" height="900"></iframe>`);

	it('is for the origins that the partner named, and for nobody else', async () => {
		const shop = createServer((_, response) => response.end('<!doctype html><p>shop</p>'));
		await new Promise<void>((listening) => shop.listen(0, '127.0.0.1', listening));
		const origin = `http://127.0.0.1:${(shop.address() as AddressInfo).port}`;
		const { operator } = service.current();
		const partner = await createPartner(service.current());
		const { data: order } = await create(service.current(), partner);
		expect(await ancestors(`/o/${order.id}`)).toBe("'none'");
		expect(await ancestors(`/o/${crypto.randomUUID()}`)).toBe("'none'");
		const frames = ['https://shop.example', origin];
		await operator('partner/update', { id: partner.id, orderPageFrames: frames });
		await eventually('the change to be seen', async () => (await ancestors(`/o/${order.id}`)) === frames.join(' '));
		const { page, close } = await openPage(`${origin}/`);
		await frame(page, `/o/${order.id}#${order.token}`);
		const own = page.frameLocator('iframe');
		await own.locator('h1', { hasText: 'Send 2 LTC' }).waitFor();
		expect(await own.locator('header, footer').count()).toBe(0);
		// The frame is not allowed the newer way of copying.
		await own.getByRole('button', { name: 'Copy address' }).click();
		await own.getByText('Address: Copied').waitFor();
		await frame(page, filled.pathOf('done'));
		await eventually('the frame to be refused', async () => page.frames()[1]?.url().startsWith('chrome-error:'));
		await close();
		shop.close();
	});

	it.each([
		[{ orderPageFrames: ['https://shop.example/path'] }, /is not an origin/],
		[{ orderPageFrames: ["https://a.example; script-src 'unsafe-inline'"] }, /is not an origin/],
		[{ orderPageFrames: ['https://*.example'] }, /is not an origin/],
		[{ orderPageFrames: ['http://shop.example'] }, /is not an origin/],
		[{ orderPageFrames: Array.from({ length: 11 }, (_, i) => `https://s${i}.example`) }, /at most 10 origins/],
		[{ orderPageName: 'pay\u202eme' }, /visible characters/],
		[{ orderPageReturn: 'javascript:alert(1)' }, /not an https URL/],
		[{ orderPageSupport: 'https://user:password@shop.example' }, /neither a mail address nor/],
	])('a partner’s setting that is wrong is refused: %j', async (update, problem) => {
		await expect(service.current().operator('partner/update', { id: filled.partner.id, ...update })).rejects.toThrow(
			problem,
		);
	});
});

describe('settings that somebody wrote into the database', () => {
	const origins = async (order: CreatedOrder) =>
		/frame-ancestors (.*)$/.exec(
			(await fetch(`${service.current().url}/o/${order.id}`)).headers.get('content-security-policy') ?? '',
		)?.[1];

	it.each([
		['an origin that ends the policy', { frameOrigins: ["https://shop.example; script-src 'unsafe-inline'"] }],
		['any origin at all', { frameOrigins: ['*'], payerDecides: true }],
		['a link that is a script', { returnUrl: 'javascript:alert(1)', frameOrigins: ['https://evil.example'] }],
		['a name that turns the direction of a text', { name: '\u202eevil', payerDecides: true }],
		['another shape', { frameOrigins: 'https://evil.example', payerDecides: 1 }],
		['a list', ['https://evil.example']],
	])('%s: all of them are off, and attention names the partner', async (_, written) => {
		const { operator, sql } = service.current();
		const partner = await createPartner(service.current());
		const { data: order } = await create(service.current(), partner);
		await sql('UPDATE partners SET order_page = ? WHERE id = ?', JSON.stringify(written), partner.id);
		await eventually('the page to be asked again', async () => (await origins(order)) === "'none'");
		const { html } = await visitor(service.current()).get(`/o/${order.id}`);
		expect(html).not.toMatch(/javascript:alert|evil\.example/);
		const named = (rows: { subject: string; cause: string }[]) =>
			rows.filter(({ subject }) => subject === partner.id).map(({ cause }) => cause);
		const waiting = await operator<{ subject: string; cause: string }[]>('attention');
		expect(named(waiting)).toEqual([expect.stringContaining('could not have been set')]);
		await operator('partner/update', { id: partner.id, orderPageFrames: null });
		expect(named(await operator('attention'))).toEqual([]);
		const [row] = await sql<{ stored: string }>('SELECT order_page AS stored FROM partners WHERE id = ?', partner.id);
		expect(JSON.parse(String(row?.stored))).toMatchObject({ frameOrigins: [], payerDecides: false });
	});
});

describe('an open page', () => {
	const asked = (order: CreatedOrder, version: string, token = order.token) =>
		stateOf(order.id, token, { 'if-none-match': version });
	const versionOf = async (order: CreatedOrder) => String((await stateOf(order.id, order.token)).headers.get('etag'));

	it('is sent nothing while its version is the newest, and all of it when the order has changed', async () => {
		const order = await newOrder();
		const version = await versionOf(order);
		expect(version).toMatch(/^"[\d.-]+"$/);
		const same = await asked(order, version);
		expect([same.status, await same.text()]).toEqual([304, '']);
		expect((await asked(order, version, 'wrong')).status).toBe(404);
		expect((await asked(order, 'no version')).status).toBe(200);
		await service.current().operator('sandbox/deposit', { orders: [order.id], confirmations: 0 });
		await untilStatus(service.current(), filled.partner, order, 'PENDING');
		const changed = await eventually('the change', async () => {
			const response = await asked(order, version);
			return response.status === 200 && response;
		});
		expect(await changed.text()).toContain('confirmations');
	});

	it('shows a change within five seconds, in a browser, and asks at once when somebody looks again', async () => {
		const order = await newOrder();
		const { page, close } = await openPage(at(`/o/${order.id}#${order.token}`));
		await page.locator('h1', { hasText: 'Send 2 LTC' }).waitFor();
		const answers: number[] = [];
		page.on('response', (response) => {
			if (response.url().endsWith('/state?lang=en')) answers.push(response.status());
		});
		await eventually('polls', async () => answers.length >= 2, 15_000);
		expect(answers.every((status) => status === 304)).toBe(true);
		await service.current().operator('sandbox/deposit', { orders: [order.id], confirmations: 0 });
		await untilStatus(service.current(), filled.partner, order, 'PENDING');
		const changedAt = Date.now();
		await page.locator('h1', { hasText: 'Send 2 LTC' }).waitFor({ state: 'detached' });
		// What the machine takes beside it is not the page's.
		expect(Date.now() - changedAt).toBeLessThan(5_000 + 3_000);
		const before = answers.length;
		await page.evaluate('document.dispatchEvent(new Event("visibilitychange"))');
		await eventually('an answer at once', async () => answers.length > before, 3_000);
		await close();
	});

	it('costs one read of an order in a second, however many there are', async () => {
		const order = await newOrder();
		const version = await versionOf(order);
		const before = service.current().logged('order_read').length;
		await Promise.all(Array.from({ length: 40 }, () => asked(order, version)));
		expect(service.current().logged('order_read').length - before).toBeLessThanOrEqual(2);
	});
});
