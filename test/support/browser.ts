/**
 * Pages in a real browser: Debian's Chromium as a program without windows, which does a quarter less work than the whole
 * one. All test files of a process share it. An opened page has no cookie, no storage and no cache of another test; its
 * tab is used again once it is closed. A tab costs as much as seven pages, and axe more than a page: so a test opens one
 * page, leads it on, and judges each document once (`flawsOf`).
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import {
	type Browser,
	type BrowserContext,
	type CDPSession,
	type Cookie,
	chromium,
	type Page,
	type ViewportSize,
} from 'playwright-core';
import { afterAll } from 'vitest';

/** Long enough to load the next file and to start and fill its service, on a busy machine too. */
const KEPT_MILLISECONDS = 60_000;

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
			executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium-headless-shell',
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

export interface OpenOptions {
	readonly viewport?: ViewportSize;
	readonly isMobile?: boolean;
	readonly hasTouch?: boolean;
	readonly deviceScaleFactor?: number;
	readonly javaScriptEnabled?: boolean;
	readonly colorScheme?: 'light' | 'dark';
	/** The browser's language. */
	readonly locale?: string;
	readonly permissions?: readonly string[];
	readonly cookies?: readonly Cookie[];
	/** The page's clock is the test's: `page.clock` puts it forward. */
	readonly clock?: boolean;
}

export interface Opened {
	readonly page: Page;
	/** Errors of scripts, refusals of the Content-Security-Policy, and failed requests, since the page was opened. */
	readonly problems: readonly string[];
	/** Hosts of all requests. */
	readonly hosts: ReadonlySet<string>;
	/** Bytes of all bodies as the service sent them, without fonts: `front.test.ts` weighs those. */
	transferred(): Promise<number>;
	close(): Promise<void>;
}

/** What happens in a tab while a test has it. */
interface Seen {
	readonly problems: string[];
	readonly hosts: Set<string>;
	readonly sizes: Promise<number>[];
}

interface Tab {
	readonly context: BrowserContext;
	readonly page: Page;
	readonly session: CDPSession;
	seen: Seen;
}

/** Tabs that wait for the next test, by what a context cannot change afterwards. */
const idle = new Map<string, Tab[]>();

const nothingSeen = (): Seen => ({ problems: [], hosts: new Set(), sizes: [] });

async function newTab({ javaScriptEnabled, isMobile, locale, clock }: Kind): Promise<Tab> {
	const context = await (await browser()).newContext({
		locale,
		timezoneId: 'Europe/Berlin',
		javaScriptEnabled,
		...(isMobile ? PHONE : DESKTOP),
	});
	if (clock) await context.clock.install();
	const page = await context.newPage();
	const tab: Tab = { context, page, session: await context.newCDPSession(page), seen: nothingSeen() };
	page.on('pageerror', (error) => tab.seen.problems.push(String(error)));
	page.on('console', (message) => {
		if (message.type() === 'error') tab.seen.problems.push(message.text());
	});
	page.on('request', (request) => tab.seen.hosts.add(new URL(request.url()).host));
	page.on('requestfinished', (request) => {
		if (request.resourceType() === 'font') return;
		const size = request.sizes().then(
			({ responseBodySize }) => responseBodySize,
			() => 0,
		);
		tab.seen.sizes.push(size);
	});
	return tab;
}

/** What a test left in it would be in the next one's way. */
async function clean({ context, page, session }: Tab): Promise<void> {
	const { origin } = new URL(page.url());
	if (origin !== 'null') await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
	await session.send('Network.clearBrowserCache');
	await Promise.all([context.clearCookies(), context.clearPermissions()]);
	await page.goto('about:blank');
}

interface Kind {
	readonly javaScriptEnabled: boolean;
	readonly isMobile: boolean;
	readonly locale: string;
	readonly clock: boolean;
}

export async function openPage(url: string, options: OpenOptions = {}): Promise<Opened> {
	const { javaScriptEnabled = true, isMobile = false, colorScheme = 'light', locale = 'en-GB' } = options;
	const { permissions, cookies, clock = false } = options;
	const kind: Kind = { javaScriptEnabled, isMobile, locale, clock };
	const name = JSON.stringify(kind);
	// A tab that was there keeps the browser too.
	await browser();
	const tab = idle.get(name)?.pop() ?? (await newTab(kind));
	const { context, page } = tab;
	const seen = nothingSeen();
	tab.seen = seen;
	await page.setViewportSize(options.viewport ?? (isMobile ? PHONE : DESKTOP).viewport);
	await page.emulateMedia({ colorScheme });
	if (permissions) await context.grantPermissions([...permissions]);
	if (cookies) await context.addCookies([...cookies]);
	await page.goto(url);
	return {
		page,
		problems: seen.problems,
		hosts: seen.hosts,
		transferred: async () => (await Promise.all(seen.sizes)).reduce((sum, size) => sum + size, 0),
		async close() {
			await clean(tab);
			idle.set(name, [...(idle.get(name) ?? []), tab]);
		},
	};
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const EVERY_RULE = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** Rules that count although axe takes their breach for moderate. */
const COUNTED: ReadonlySet<string> = new Set(['landmark-unique']);

/** What axe finds that is serious or critical, as one line each: all of WCAG 2.2 AA, or what the colours alone decide. */
export async function seriousIn(page: Page, rules: 'every rule' | 'contrast' = 'every rule'): Promise<string[]> {
	// Through the debugger, which the page's policy does not bind. A document keeps what it was given.
	if (await page.evaluate('!window.axe')) await page.evaluate(AXE);
	const runOnly = rules === 'contrast' ? { type: 'rule', values: ['color-contrast'] } : EVERY_RULE;
	const results = (await page.evaluate(`axe.run(document, ${JSON.stringify({ runOnly })})`)) as AxeResults;
	return results.violations
		.filter(({ id, impact }) => impact === 'serious' || impact === 'critical' || COUNTED.has(id))
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
	idle.clear();
	await (await closing?.browser)?.close();
}
