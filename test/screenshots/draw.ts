/** Draws a page as a picture in each look, and judges it by axe. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { DARK, DESKTOP, flawsOf, type OpenOptions, openPage, PHONE } from '../support/browser.ts';

const FOLDER = process.env['SCREENSHOTS'] ?? '.screenshots';
mkdirSync(FOLDER, { recursive: true });
const LOOKS: Readonly<Record<string, OpenOptions>> = { desk: DESKTOP, phone: PHONE, dark: { ...DESKTOP, ...DARK } };
const LONGEST = 2_600;
/** Documents so large that axe takes half a minute; their parts are on other pages. */
const LARGE = /\/docs\/api$/;

interface Drawn {
	/** A session's cookie, say. */
	readonly options?: OpenOptions;
	/** What happens before the picture. */
	readonly act?: (page: Page) => Promise<unknown>;
	/** Only in these looks. */
	readonly looks?: readonly string[];
	/** The document is not judged: it is one of those in another language. */
	readonly judged?: boolean;
}

export async function draw(
	name: string,
	url: string,
	{ options = {}, act, looks = ['desk', 'phone', 'dark'], judged = true }: Drawn = {},
): Promise<void> {
	for (const look of looks) {
		const { page, close } = await openPage(url, { ...LOOKS[look], ...options });
		// An order's page asks again and again: it is never idle.
		await page
			.locator('.waits')
			.waitFor({ state: 'detached', timeout: 3_000 })
			.catch(() => undefined);
		await act?.(page);
		await page.evaluate('document.fonts.ready');
		const height = (await page.evaluate('document.documentElement.scrollHeight')) as number;
		const { width = 0 } = page.viewportSize() ?? {};
		await page.setViewportSize({ width, height: Math.min(height, LONGEST) });
		await page.screenshot({ path: join(FOLDER, `${name}-${look}.png`) });
		await page.context().setOffline(false);
		if (judged && look === looks[0] && !LARGE.test(url))
			expect.soft([name, await flawsOf(page, { inTheDark: true })]).toEqual([name, []]);
		// The tab is used again.
		await Promise.all([page.unrouteAll({ behavior: 'ignoreErrors' }), page.setExtraHTTPHeaders({})]);
		await close();
	}
}

export const withCookie = (cookie: string, url: string): OpenOptions => {
	const [name = '', value = ''] = cookie.split(';')[0]?.split('=') ?? [];
	const { hostname: domain } = new URL(url);
	const rest = { path: '/', expires: -1, httpOnly: true, secure: false, sameSite: 'Lax' as const };
	return { cookies: [{ name, value, domain, ...rest }] };
};

export const nameOf = (path: string): string => path.replaceAll(/\W+/g, '-').replaceAll(/^-|-$/g, '') || 'front';
