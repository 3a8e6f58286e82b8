/** The languages of what a payer reads: which one a page answers in, that a choice is kept, and pages that run from right to left. */
import { beforeAll, describe, expect, it } from 'vitest';
import { LANGUAGE_TAGS } from '../../src/partners/languages.ts';
import { browserForFile, openPage, overflows, PHONE, seriousIn } from '../support/browser.ts';
import { type CreatedOrder, create } from '../support/orders.ts';
import { type Credentials, createPartner } from '../support/partner.ts';
import { eventually, sharedService } from '../support/service.ts';

const service = sharedService();
const at = (path: string): string => service.current().url + path;

let partner: Credentials;
let order: CreatedOrder;
beforeAll(async () => {
	partner = await createPartner(service.current());
	order = (await create(service.current(), partner)).data;
	await setPage({ orderPageName: 'متجر الذهب' });
});
browserForFile();

const setPage = (settings: Record<string, unknown>) =>
	service.current().operator('partner/update', { id: partner.id, ...settings });
const languageIn = async (response: Response) =>
	/<html lang="([^"]*)" dir="([^"]*)"/.exec(await response.text())?.slice(1);
const asked = (path: string, headers: Record<string, string> = {}) => fetch(at(path), { headers });
const pagePath = (query = '') => `/o/${order.id}${query}#${order.token}`;

describe('a page answers in', () => {
	it('the language of its address, then of the choice, then of the partner, then of the browser, then in English', async () => {
		const path = `/o/${order.id}`;
		const german = { 'accept-language': 'tlh, de-AT;q=0.9, fr;q=0.8' };
		const chosen = { ...german, cookie: 'language=fa' };
		expect(await languageIn(await asked(path))).toEqual(['en', 'ltr']);
		expect(await languageIn(await asked(path, german))).toEqual(['de', 'ltr']);
		await setPage({ orderPageLanguage: 'ja' });
		await eventually('the partner’s language', async () => (await languageIn(await asked(path, german)))?.[0] === 'ja');
		expect(await languageIn(await asked(path, chosen))).toEqual(['fa', 'rtl']);
		expect(await languageIn(await asked(`${path}?lang=zh-TW`, chosen))).toEqual(['zh-Hans', 'ltr']);
		const state = await asked(`/o/${order.id}/state`, { authorization: `Bearer ${order.token}` });
		expect(await state.text()).toContain('お支払い待ち');
		await setPage({ orderPageLanguage: null });
		await eventually('no fixed language', async () => (await languageIn(await asked(path)))?.[0] === 'en');
		expect(await languageIn(await asked('/status', german))).toEqual(['de', 'ltr']);
		// Sentences of Japanese have no blank between them.
		expect(await (await asked('/status?lang=ja')).text()).not.toMatch(/。\s+[^\s<]/);
		const missing = await asked('/nowhere?lang=ar', { accept: 'text/html' });
		expect([missing.status, await languageIn(missing)]).toEqual([404, ['ar', 'rtl']]);
	});

	it.each(['xx', '"><script>alert(1)</script>', '__proto__', '\u202Ede', 'a'.repeat(200), '', '../en'])(
		'no language that is made up: %s',
		async (forged) => {
			const text = encodeURIComponent(forged);
			const response = await asked(`/o/${order.id}?lang=${text}`, {
				cookie: `language=${text}`,
				'accept-language': text,
			});
			const html = await response.text();
			expect(html).toContain('<html lang="en" dir="ltr"');
			expect(html).not.toContain('alert(1)');
			const choice = await fetch(at(`/o/${order.id}?choose=${text}`), { redirect: 'manual' });
			expect([choice.status, choice.headers.get('set-cookie')]).toEqual([200, null]);
		},
	);

	it('no language that an operator makes up', async () => {
		await expect(setPage({ orderPageLanguage: 'tlh' })).rejects.toThrow();
	});
});

describe('in a browser', () => {
	it('a choice is kept, and the order with it', async () => {
		const { page, problems, close } = await openPage(at(pagePath('?lang=tr')), { locale: 'fr-FR' });
		await page.locator('h1', { hasText: 'gönderin' }).waitFor();
		await page.locator('.languages summary').click();
		await page.getByRole('button', { name: 'Deutsch' }).click();
		await page.locator('h1', { hasText: 'Senden Sie 2' }).waitFor();
		expect(page.url()).toBe(at(`/o/${order.id}?lang=de`));
		await page.goto(at(pagePath()));
		await page.locator('h1', { hasText: 'Senden Sie 2' }).waitFor();
		expect(await page.locator('[data-until]').textContent()).toMatch(/^noch \d+:\d\d$/);
		expect(problems).toEqual([]);
		await close();
	});

	it('a choice needs no JavaScript', async () => {
		const { page, close } = await openPage(at(`/o/${order.id}`), { javaScriptEnabled: false });
		await page.getByLabel('The part after the').fill(order.token ?? '');
		await page.getByRole('button', { name: 'Show the order' }).click();
		await page.locator('.languages summary').click();
		await page.getByRole('button', { name: 'Español' }).click();
		expect(await page.locator('h1').textContent()).toContain('Envía 2');
		await page.goto(at('/status'));
		expect(await page.locator('html').getAttribute('lang')).toBe('es');
		await close();
	});

	it('every language fits a narrow phone', async () => {
		const { page, close } = await openPage(at('/status'), { ...PHONE, viewport: { width: 320, height: 700 } });
		for (const tag of LANGUAGE_TAGS) {
			await page.goto(at(`/o/${order.id}?lang=${tag}#${order.token}`));
			await page.locator('#order h1[tabindex]').waitFor();
			for (const width of [320, 390]) {
				await page.setViewportSize({ width, height: 700 });
				expect([tag, width, await overflows(page)]).toEqual([tag, width, false]);
			}
		}
		await close();
	});

	it('a page from right to left has addresses and amounts from left to right, and copies them bare', async () => {
		const { page, problems, close } = await openPage(at(pagePath('?lang=ar')), {
			permissions: ['clipboard-read', 'clipboard-write'],
		});
		await page.locator('h1', { hasText: 'أرسل' }).waitFor();
		const directionOf = (one: string) => page.evaluate(`getComputedStyle(document.querySelector('${one}')).direction`);
		expect([await directionOf('.pay .address'), await directionOf('.pay .amount')]).toEqual(['ltr', 'ltr']);
		expect(await page.locator('h1 bdi').textContent()).toBe('2\u00A0LTC (Litecoin)');
		// The state stands where a reader begins, on the right.
		const [word, left] = await Promise.all(['.state', '[data-until]'].map((one) => page.locator(one).boundingBox()));
		expect(word?.x).toBeGreaterThan(left?.x ?? Number.POSITIVE_INFINITY);
		await page.getByRole('button', { name: 'نسخ العنوان' }).click();
		await page.getByText('تم النسخ').first().waitFor();
		expect(await page.evaluate('navigator.clipboard.readText()')).toBe(order.from.address);
		const texts = String(await page.evaluate('document.body.innerText'));
		expect(texts).not.toMatch(/[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/);
		expect(await seriousIn(page)).toEqual([]);
		expect(problems).toEqual([]);
		await close();
	});

	it('a name that runs the other way turns nothing around it', async () => {
		const { page, close } = await openPage(at(pagePath()));
		await page.locator('bdi', { hasText: 'متجر الذهب' }).first().waitFor();
		expect(await page.locator('p', { hasText: 'You get about' }).textContent()).toMatch(/, at متجر الذهب\.$/);
		await close();
	});
});
