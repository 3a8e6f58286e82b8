/**
 * `npm run screenshots`: every page in every state, on a desk, on a phone and in the dark, as pictures in
 * `.screenshots` (or in the folder that SCREENSHOTS names), and each judged by axe. Someone looks at them before a change of a
 * page is done (book: contributing, "Add a page"). Here the pages that everybody sees; those behind a sign-in are in
 * `inside.shots.ts`.
 */
import { afterAll, beforeAll, it } from 'vitest';
import { closeBrowser } from '../support/browser.ts';
import { type FilledOrders, fillOrders, ORDER_PAGE_STATES } from '../support/order-pages.ts';
import { eventually, serviceForFile } from '../support/service.ts';
import { fillStatus } from '../support/status-pages.ts';
import { draw, nameOf } from './draw.ts';

const PUBLIC = [
	'/',
	'/docs',
	'/docs/quickstart',
	'/docs/api',
	'/docs/signature',
	'/docs/promise',
	'/docs/try',
	'/docs/system',
	'/docs/clients',
	'/docs/changelog',
	'/docs/search?q=nonce',
	'/docs/search?q=zzzz',
	'/docs/book/life',
	'/status',
	'/docs/none',
	'/nowhere',
	'/o/00000000-0000-0000-0000-000000000000#wrong',
	'/o/00000000-0000-0000-0000-000000000000',
];

const HOUR = 3_600_000;
const service = serviceForFile({}, { pages: true });
const at = (path: string): string => service.current().url + path;
let filled: FilledOrders;
beforeAll(async () => {
	filled = await fillOrders(service.current());
	await fillStatus(service.current());
});
afterAll(closeBrowser);

it('draws what everybody sees', async () => {
	for (const path of PUBLIC) await draw(`public-${nameOf(path)}`, at(path));
});

it('draws the page of an order in each state', async () => {
	await filled.choose();
	for (const state of ['chosen', ...ORDER_PAGE_STATES.filter((one) => one !== 'chosen')] as const)
		await draw(`order-${state}`, at(filled.pathOf(state)));
});

it('draws the page of an order whose payout takes longer than usual', async () => {
	const { operator, sql } = service.current();
	await operator('asset/update', { code: 'ETHOP', active: false });
	await operator('network/update', { name: 'Optimism', send: true });
	await sql('UPDATE transactions SET planned_at = planned_at - ? WHERE order_id = ?', HOUR, filled.orders.sending.id);
	await eventually('the page to say so', async () => {
		const { id, token } = filled.orders.sending;
		const body = new URLSearchParams({ token: token ?? '' });
		return (await (await fetch(at(`/o/${id}`), { method: 'POST', body })).text()).includes('longer than usual');
	});
	await draw('order-slow', at(filled.pathOf('sending')));
	await operator('network/update', { name: 'Optimism', send: false });
});

it('draws an open page that is cut off, or asks too often', async () => {
	await draw('order-offline', at(filled.pathOf('confirming')), {
		act: async (page) => {
			await page.context().setOffline(true);
			await page.locator('#link', { hasText: /\w/ }).waitFor();
		},
	});
	await draw('order-busy', at(filled.pathOf('confirming')), {
		act: async (page) => {
			await page.route('**/o/**', (route) =>
				route.fulfill({ status: 429, headers: { 'retry-after': '60' }, body: '' }),
			);
			await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
			await page.locator('#link', { hasText: /\w/ }).waitFor();
		},
	});
	const network = { 'cf-connecting-ip': '203.0.113.9' };
	await Promise.all(Array.from({ length: 1_501 }, () => fetch(at(`/o/${filled.orders.new.id}`), { headers: network })));
	await draw('public-too-many', at('/docs'), {
		act: async (page) => {
			await page.setExtraHTTPHeaders(network);
			await page.goto(at(`/o/${filled.orders.new.id}`));
		},
	});
});

it('draws the pages of a partner who has a colour and a widget', async () => {
	const { operator } = service.current();
	const { id } = filled.partner;
	await operator('partner/update', {
		id,
		orderPageAccent: '#7a1fa2',
		orderPageTerms: 'https://shop.example/terms',
		widgetBps: 150,
	});
	for (const state of ['new', 'little', 'done'] as const) await draw(`branded-${state}`, at(filled.pathOf(state)));
	for (const [name, query] of Object.entries({
		quote: '?from=LTC&to=USDCPOL&amount=2',
		problem: '?from=LTC&to=ETH&amount=0.0001',
		arabic: '?from=LTC&to=ETH&amount=2&lang=ar',
	}))
		await draw(`widget-${name}`, at(`/widget/${id}${query}`));
});

/** From right to left, of the longest words, and without blanks. */
const SPOKEN = ['ar', 'fa', 'de', 'ru', 'ja'];

it('draws what a payer reads in other languages', async () => {
	for (const lang of SPOKEN) {
		const isTurned = lang === 'ar';
		const looks = isTurned ? ['phone', 'desk', 'dark'] : ['phone'];
		await draw(`spoken-${lang}-status`, at(`/status?lang=${lang}`), { looks, judged: isTurned });
		for (const state of ['new', 'little', 'done', 'returned'] as const)
			await draw(`spoken-${lang}-${state}`, at(filled.pathOf(state).replace('#', `?lang=${lang}#`)), {
				looks,
				judged: isTurned,
			});
	}
});
