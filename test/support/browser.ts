/**
 * Pages in a real browser: Debian's Chromium, headless, one for all test files of a process. Each opened page is a context
 * of its own, without a cookie of another test. A context costs as much as some pages, and axe more than both: so a test
 * opens one page, leads it on, and judges each document once (`flawsOf`).
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll } from 'vitest';

/** Long enough to load the next file, and to start its service. */
const KEPT_MILLISECONDS = 15_000;

let launched: { readonly browser: Promise<Browser>; ending: NodeJS.Timeout | null } | null = null;

/** Call it at the top of a test file. The browser is closed when no file has taken it for a while, or with the process. */
export function browserForFile(): void {
	afterAll(() => {
		if (!launched) return;
		if (launched.ending) clearTimeout(launched.ending);
		launched.ending = setTimeout(() => void closeBrowser(), KEPT_MILLISECONDS).unref();
	});
}

function browser(): Promise<Browser> {
	launched ??= {
		browser: chromium.launch({
			executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
			args: ['--no-sandbox', '--disable-gpu'],
		}),
		ending: null,
	};
	if (launched.ending) clearTimeout(launched.ending);
	return launched.browser;
}

export const PHONE = {
	viewport: { width: 390, height: 844 },
	deviceScaleFactor: 2,
	isMobile: true,
	hasTouch: true,
} as const;
export const DESKTOP = { viewport: { width: 1280, height: 900 } } as const;
export const DARK = { colorScheme: 'dark' } as const;

export interface Opened {
	readonly page: Page;
	/** Errors of scripts, refusals of the Content-Security-Policy, and failed requests, since the page was opened. */
	readonly problems: readonly string[];
	/** Hosts of all requests. */
	readonly hosts: ReadonlySet<string>;
	/** Bytes of all bodies as the service sent them. */
	transferred(): Promise<number>;
	close(): Promise<void>;
}

export async function openPage(url: string, options: BrowserContextOptions = {}): Promise<Opened> {
	const context = await (await browser()).newContext({
		...DESKTOP,
		locale: 'en-GB',
		timezoneId: 'Europe/Berlin',
		...options,
	});
	const page = await context.newPage();
	const problems: string[] = [];
	const hosts = new Set<string>();
	const sizes: Promise<number>[] = [];
	page.on('pageerror', (error) => problems.push(String(error)));
	page.on('console', (message) => {
		if (message.type() === 'error') problems.push(message.text());
	});
	page.on('request', (request) => hosts.add(new URL(request.url()).host));
	page.on('requestfinished', (request) => {
		sizes.push(
			request.sizes().then(
				({ responseBodySize }) => responseBodySize,
				() => 0,
			),
		);
	});
	await page.goto(url);
	return {
		...{ page, problems, hosts },
		transferred: async () => (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0),
		close: () => context.close(),
	};
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const EVERY_RULE = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** What axe finds that is serious or critical, as one line each: all of WCAG 2.2 AA, or what the colours alone decide. */
export async function seriousIn(page: Page, rules: 'every rule' | 'contrast' = 'every rule'): Promise<string[]> {
	// Through the debugger, which the page's policy does not bind. A document keeps what it was given.
	if (await page.evaluate('!window.axe')) await page.evaluate(AXE);
	const runOnly = rules === 'contrast' ? { type: 'rule', values: ['color-contrast'] } : EVERY_RULE;
	const results = (await page.evaluate(`axe.run(document, ${JSON.stringify({ runOnly })})`)) as AxeResults;
	return results.violations
		.filter(({ impact }) => impact === 'serious' || impact === 'critical')
		.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`);
}

/** Is anything wider than the window? */
export const overflows = (page: Page): Promise<boolean> =>
	page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth') as Promise<boolean>;

interface Judged {
	/** Not where the document is so large that axe takes half a minute, and all its parts are on other pages. */
	readonly byAxe?: boolean;
	/** Where it has parts with colours that `/docs/system`, which is judged in the dark, does not show. */
	readonly inTheDark?: boolean;
}

/**
 * What is wrong with the open document, on a desk, on a phone and in the dark: it is loaded once, because nothing but its
 * style differs. It is left on a desk, in the light.
 */
export async function flawsOf(page: Page, { byAxe = true, inTheDark = false }: Judged = {}): Promise<string[]> {
	const flaws: string[] = [];
	if ((await page.locator('h1').count()) !== 1) flaws.push('it has not one heading');
	if (await overflows(page)) flaws.push('wider than a desk');
	if (byAxe) flaws.push(...(await seriousIn(page)));
	await page.setViewportSize(PHONE.viewport);
	if (await overflows(page)) flaws.push('wider than a phone');
	await page.setViewportSize(DESKTOP.viewport);
	if (!inTheDark) return flaws;
	// Without motion the colours change at once.
	await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
	flaws.push(...(await seriousIn(page, 'contrast')).map((flaw) => `in the dark, ${flaw}`));
	await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'no-preference' });
	return flaws;
}

/** For what is no test: the screenshots. */
export async function closeBrowser(): Promise<void> {
	const closing = launched;
	launched = null;
	await (await closing?.browser)?.close();
}
