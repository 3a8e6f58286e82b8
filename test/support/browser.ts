/**
 * Pages in a real browser: Debian's Chromium, headless, one for all test files of a process. Each page is opened in a
 * context of its own: no cookie of another test.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

let launched: Promise<Browser> | null = null;

const browser = (): Promise<Browser> => {
	launched ??= chromium.launch({
		executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
		args: ['--no-sandbox', '--disable-gpu'],
	});
	return launched;
};

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

/** What axe finds that is serious or critical, as one line each (WCAG 2.2 AA). */
export async function seriousIn(page: Page): Promise<string[]> {
	// Through the debugger, which the page's policy does not bind.
	await page.evaluate(AXE);
	const results = (await page.evaluate(
		"axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })",
	)) as AxeResults;
	return results.violations
		.filter(({ impact }) => impact === 'serious' || impact === 'critical')
		.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`);
}

/** Is anything wider than the window? */
export const overflows = (page: Page): Promise<boolean> =>
	page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth') as Promise<boolean>;

/** For `afterAll` of the last file: a browser that is left ends with the process. */
export async function closeBrowser(): Promise<void> {
	const closing = launched;
	launched = null;
	await (await closing)?.close();
}
