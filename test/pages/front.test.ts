/** What every site has, and what every page must be: the parts, small, without another host, readable by everybody. */
import { afterAll, describe, expect, it } from 'vitest';
import { closeBrowser, DARK, openPage, overflows, PHONE, seriousIn } from '../support/browser.ts';
import { serviceForFile } from '../support/service.ts';

const service = serviceForFile({}, { pages: true });
const at = (path: string): string => service.current().url + path;
afterAll(closeBrowser);

const MAX_BYTES = 100_000;
const MAX_STYLE_BYTES = 12 * 1024;

describe.each(['/', '/docs/system', '/docs/nothing-here'])('%s', (path) => {
	it.each([
		['on a desk', {}],
		['on a phone', PHONE],
		['in the dark', DARK],
		['without JavaScript', { javaScriptEnabled: false }],
	])('is whole %s', async (_, options) => {
		const { page, problems, hosts, transferred, close } = await openPage(at(path), options);
		expect(await page.locator('h1').count()).toBe(1);
		expect(await overflows(page)).toBe(false);
		if (!('javaScriptEnabled' in options)) expect(await seriousIn(page)).toEqual([]);
		expect(problems.filter((problem) => !problem.includes('404'))).toEqual([]);
		expect([...hosts]).toEqual([new URL(at('/')).host]);
		expect(await transferred()).toBeLessThan(MAX_BYTES);
		await close();
	});
});

it('a value is copied whole, and a screen reader is told', async () => {
	const { page, close } = await openPage(at('/docs/system'), { permissions: ['clipboard-read', 'clipboard-write'] });
	await page.getByRole('button', { name: 'Copy address' }).click();
	expect(await page.evaluate('navigator.clipboard.readText()')).toBe('bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq');
	expect(await page.locator('#said').textContent()).toBe('Address: Copied');
	await close();
});

it('a form that cannot be read, or is too long, is refused and fails no page', async () => {
	const post = async (path: string, contentType: string, body: string) => {
		const headers = { origin: at('').replace(/\/$/, ''), 'content-type': contentType };
		return (await fetch(at(path), { method: 'POST', headers, body })).status;
	};
	for (const type of ['multipart/form-data', 'multipart/form-data; boundary=x']) {
		expect(await post('/cabinet/sign-in', type, 'token=x')).toBe(400);
		expect(await post('/o/x', type, 'token=x')).toBe(404);
	}
	expect(await post('/o/x', 'application/x-www-form-urlencoded', `token=${'x'.repeat(5_000)}`)).toBe(413);
	expect(service.current().logged('page_failed')).toEqual([]);
});

it('an address with a slash at its end leads to the one without', async () => {
	const response = await fetch(at('/docs/system/'), { redirect: 'manual' });
	expect([response.status, response.headers.get('location')]).toEqual([308, '/docs/system']);
});

it('the stylesheet has at most 12 KB, and is kept for good', async () => {
	const html = await (await fetch(at('/'))).text();
	const response = await fetch(at(/href="(\/assets\/[^"]+\.css)"/.exec(html)?.[1] ?? ''));
	expect((await response.text()).length).toBeLessThanOrEqual(MAX_STYLE_BYTES);
	expect(response.headers.get('cache-control')).toContain('immutable');
});

it('robots keep out of orders, the cabinet and the console', async () => {
	const text = await (await fetch(at('/robots.txt'))).text();
	for (const path of ['/o/', '/cabinet', '/operator']) expect(text).toContain(`Disallow: ${path}\n`);
	expect((await fetch(at('/favicon.ico'))).headers.get('content-type')).toBe('image/svg+xml');
});

it('security.txt is missing where the operator named no contact', async () => {
	expect((await fetch(at('/.well-known/security.txt'))).status).toBe(404);
});
