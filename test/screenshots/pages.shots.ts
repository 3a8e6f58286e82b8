/**
 * `npm run screenshots`: every page in every state, on a desk, on a phone and in the dark, as pictures in
 * `.screenshots` (or in the folder that SCREENSHOTS names). Someone looks at them before a change of a page is done
 * (book: contributing, "Add a page").
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { closeBrowser, DARK, DESKTOP, type OpenOptions, openPage, PHONE } from '../support/browser.ts';
import { CabinetVisitor, cabinetUrl } from '../support/cabinet.ts';
import { fillCabinet } from '../support/cabinet-pages.ts';
import { fillConsole } from '../support/console-pages.ts';
import { signIn } from '../support/console-visit.ts';
import { fillOrders, ORDER_PAGE_STATES } from '../support/order-pages.ts';
import { serviceForFile } from '../support/service.ts';
import { fillStatus } from '../support/status-pages.ts';

const FOLDER = process.env['SCREENSHOTS'] ?? '.screenshots';
const LOOKS = { desk: DESKTOP, phone: PHONE, dark: { ...DESKTOP, ...DARK } };
const LONGEST = 2_600;

const PUBLIC = [
	'/',
	'/docs',
	'/docs/quickstart',
	'/docs/api',
	'/docs/signature',
	'/docs/system',
	'/docs/search?q=nonce',
	'/docs/book/life',
	'/status',
	'/docs/none',
	'/nowhere',
	'/o/00000000-0000-0000-0000-000000000000#wrong',
];
const CABINET = [
	'',
	'/orders',
	'/orders?status=EXCHANGE',
	'/earnings',
	'/codes',
	'/webhooks',
	'/credentials',
	'/keys',
	'/settings',
	'/limits',
	'/access',
	'/team',
	'/log',
];
const CONSOLE = [
	'',
	'/networks',
	'/networks/Litecoin',
	'/prices',
	'/orders',
	'/transactions',
	'/partners',
	'/settings',
	'/ledger',
	'/reports',
	'/audit',
	'/command',
	'/command/site/update',
	'/command/network/update?name=Tron&send=off',
];

const service = serviceForFile({}, { pages: true });
beforeAll(() => void mkdirSync(FOLDER, { recursive: true }));
afterAll(closeBrowser);

/** `options`: a session's cookie, say. */
async function draw(name: string, url: string, options: OpenOptions = {}, looks: object = LOOKS): Promise<void> {
	for (const [look, how] of Object.entries(looks)) {
		const { page, close } = await openPage(url, { ...how, ...options });
		// An order's page asks again and again: it is never idle.
		await page
			.locator('.waits')
			.waitFor({ state: 'detached', timeout: 3_000 })
			.catch(() => undefined);
		await page.evaluate('document.fonts.ready');
		const height = (await page.evaluate('document.documentElement.scrollHeight')) as number;
		const { width = 0 } = page.viewportSize() ?? {};
		await page.setViewportSize({ width, height: Math.min(height, LONGEST) });
		await page.screenshot({ path: join(FOLDER, `${name}-${look}.png`) });
		await close();
	}
}

const withCookie = (cookie: string, url: string): OpenOptions => {
	const [name = '', value = ''] = cookie.split(';')[0]?.split('=') ?? [];
	const { hostname: domain } = new URL(url);
	const rest = { path: '/', expires: -1, httpOnly: true, secure: false, sameSite: 'Lax' as const };
	return { cookies: [{ name, value, domain, ...rest }] };
};

const nameOf = (path: string): string => path.replaceAll(/\W+/g, '-').replaceAll(/^-|-$/g, '') || 'front';

it('draws what everybody sees', async () => {
	await fillStatus(service.current());
	for (const path of PUBLIC) await draw(`public-${nameOf(path)}`, service.current().url + path);
});

it('draws the page of an order in each state', async () => {
	const { pathOf, choose } = await fillOrders(service.current());
	await choose();
	for (const state of ['chosen', ...ORDER_PAGE_STATES.filter((one) => one !== 'chosen')] as const)
		await draw(`order-${state}`, service.current().url + pathOf(state));
});

/** From right to left, of the longest words, and without blanks. */
const SPOKEN = ['ar', 'fa', 'de', 'ru', 'ja'];

it('draws what a payer reads in other languages', async () => {
	const { pathOf } = await fillOrders(service.current());
	await fillStatus(service.current());
	for (const lang of SPOKEN) {
		await draw(`spoken-${lang}-status`, `${service.current().url}/status?lang=${lang}`, {}, { phone: PHONE });
		for (const state of ['new', 'little', 'done', 'returned'] as const)
			await draw(
				`spoken-${lang}-${state}`,
				service.current().url + pathOf(state).replace('#', `?lang=${lang}#`),
				{},
				{ phone: PHONE },
			);
	}
});

it('draws the cabinet', async () => {
	const { partner, orders } = await fillCabinet(service.current());
	const { cookie } = await new CabinetVisitor(service.current()).enter(partner.id);
	const url = `${cabinetUrl(service.current())}/cabinet`;
	await draw('cabinet-sign-in', url);
	for (const path of [...CABINET, `/orders/${orders[0]?.id}`])
		await draw(
			path.startsWith('/orders/') ? 'cabinet-order' : `cabinet-${nameOf(path)}`,
			url + path,
			withCookie(cookie, url),
		);
});

it('draws the console', async () => {
	const { emergency } = await fillConsole(service.current());
	const { visitor } = await signIn(service.current(), service.current().local.secrets.OPERATOR_TOKEN);
	expect(visitor.cookie).not.toBe('');
	const url = `${service.current().url}/operator`;
	await draw('console-sign-in', url);
	for (const path of [...CONSOLE, `/orders/${emergency}`])
		await draw(
			path.startsWith('/orders/') ? 'console-order' : `console-${nameOf(path)}`,
			url + path,
			withCookie(visitor.cookie, url),
		);
});
