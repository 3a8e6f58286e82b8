/** What every site has, and what every page must be: the parts, small, without another host, readable by everybody. */
import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { browserForFile, DARK, flawsOf, openPage, overflows, PHONE } from '../support/browser.ts';
import { sharedService } from '../support/service.ts';

const service = sharedService();
const at = (path: string): string => service.current().url + path;
browserForFile();

/** As it is written: `fetch` tidies a path before it asks. */
const raw = (path: string): Promise<{ status: number | undefined; location: string | undefined }> => {
	const { hostname, port } = new URL(at('/'));
	return new Promise((answered, failed) => {
		const sent = request({ hostname, port, path }, ({ statusCode: status, headers: { location } }) =>
			answered({ status, location }),
		);
		sent.on('error', failed).end();
	});
};

describe('what a cache may keep', () => {
	it.each([
		'/',
		'/docs',
		'/docs/quickstart',
		'/docs/book/life',
		'/docs/system',
		'/favicon.ico',
		'/apple-touch-icon.png',
		'/robots.txt',
		'/llms.txt',
	])('%s says for how long, sets no cookie and is the same for who has one', async (path) => {
		const [plain, known] = await Promise.all([fetch(at(path)), fetch(at(path), { headers: { cookie: 'session=x' } })]);
		expect(plain.headers.get('cache-control')).toMatch(/^public, max-age=\d+$/);
		expect(plain.headers.get('set-cookie')).toBeNull();
		expect(await known.text()).toBe(await plain.text());
	});

	it.each(['/docs/nothing-here', '/docs/search', '/docs/search?q=nonce', '/assets/none', '/o/x'])(
		'%s is nothing to keep',
		async (path) => {
			const { headers } = await fetch(at(path), { redirect: 'manual' });
			expect(headers.get('cache-control')).toBe('no-store');
		},
	);
});

const MAX_BYTES = 100_000;
const MAX_STYLE_BYTES = 16 * 1024;

describe('each page', () => {
	const PATHS = ['/', '/docs/system', '/docs/nothing-here'];

	it.each(PATHS)('%s is whole on a desk, on a phone and in the dark, small, and from one host', async (path) => {
		const { page, problems, hosts, transferred, close } = await openPage(at(path));
		expect(await flawsOf(page, { inTheDark: path !== '/docs/nothing-here' })).toEqual([]);
		expect(problems.filter((problem) => !problem.includes('404'))).toEqual([]);
		expect([...hosts]).toEqual([new URL(at('/')).host]);
		expect(await transferred()).toBeLessThan(MAX_BYTES);
		await close();
	});

	it('is whole without JavaScript, and opened in the dark', async () => {
		const { page, close } = await openPage(at('/'), { javaScriptEnabled: false, ...DARK });
		for (const path of PATHS) {
			await page.goto(at(path));
			expect([path, await page.locator('h1').count(), await overflows(page)]).toEqual([path, 1, false]);
		}
		await close();
	});

	it('is whole on a phone that is opened with it', async () => {
		const { page, close } = await openPage(at('/docs/system'), PHONE);
		expect(await overflows(page)).toBe(false);
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
	const before = service.current().logged('page_failed');
	const post = async (path: string, contentType: string, body: string) => {
		const headers = { origin: at('').replace(/\/$/, ''), 'content-type': contentType };
		return (await fetch(at(path), { method: 'POST', headers, body })).status;
	};
	for (const type of ['multipart/form-data', 'multipart/form-data; boundary=x']) {
		expect(await post('/cabinet/sign-in', type, 'token=x')).toBe(400);
		expect(await post('/o/x', type, 'token=x')).toBe(404);
	}
	expect(await post('/o/x', 'application/x-www-form-urlencoded', `token=${'x'.repeat(5_000)}`)).toBe(413);
	expect(service.current().logged('page_failed')).toEqual(before);
});

it('an address with a slash at its end leads to the one without', async () => {
	const response = await fetch(at('/docs/system/'), { redirect: 'manual' });
	expect([response.status, response.headers.get('location')]).toEqual([308, '/docs/system']);
});

it('no address leads to another host', async () => {
	for (const path of [
		'/docs/..//evil.example/',
		'/docs/%2e%2e//evil.example/',
		'/o/.%2e//evil.example/',
		'//evil.example/',
	]) {
		const { status, location } = await raw(path);
		expect([path, status, location]).toEqual([path, 404, undefined]);
	}
});

it('the stylesheet has at most 16 KB, and is kept for good, as scripts and fonts are', async () => {
	const html = await (await fetch(at('/'))).text();
	const names = [...html.matchAll(/"(\/assets\/[\w-]+\.(?:css|js|woff2))"/g)].map(([, name = '']) => name);
	expect(names.map((name) => name.replace(/-\w+\./, '.'))).toEqual(
		['style.css', 'front.css', 'manrope-latin-wght-normal.woff2', 'copy.js', 'time.js'].map(
			(name) => `/assets/${name}`,
		),
	);
	const answers = await Promise.all(names.map((name) => fetch(at(name))));
	expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
	for (const { headers } of answers) expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
	const [all, front] = await Promise.all(answers.slice(0, 2).map(async (answer) => (await answer.text()).length));
	expect(all).toBeLessThanOrEqual(MAX_STYLE_BYTES);
	expect(front).toBeLessThanOrEqual(MAX_STYLE_BYTES / 4);
});

it.each([
	['en', ['latin']],
	['tr', ['latin', 'latin-ext']],
	['uk', ['latin', 'cyrillic']],
	['ja', ['latin']],
])('a page in %s asks for its letters with its style: at most 40 KB of them', async (lang, letters) => {
	const html = await (await fetch(at(`/status?lang=${lang}`))).text();
	const fonts = [...html.matchAll(/rel="preload" href="([^"]+\.woff2)"/g)].map(([, path = '']) => path);
	expect(fonts.map((path) => /manrope-([a-z-]+)-wght/.exec(path)?.[1])).toEqual(letters);
	const sizes = await Promise.all(fonts.map(async (path) => (await (await fetch(at(path))).arrayBuffer()).byteLength));
	expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(40 * 1024);
});

it('every page of the docs has the policy of the pages that the Worker makes', async () => {
	const said = async (path: string) => {
		const { headers } = await fetch(at(path));
		return Object.fromEntries(
			[
				'content-security-policy',
				'referrer-policy',
				'x-content-type-options',
				'cross-origin-opener-policy',
				'permissions-policy',
			].map((name) => [name, headers.get(name)]),
		);
	};
	const made = await said('/status');
	expect(made['content-security-policy']).toContain("frame-ancestors 'none'");
	for (const path of ['/', '/docs', '/docs/api', '/docs/book/threats', '/docs/search', '/docs/system'])
		expect([path, await said(path)]).toEqual([path, made]);
});

it('a page is asked for without its body, and one that is not there is not there', async () => {
	const asked = async (path: string) => (await fetch(at(path), { method: 'HEAD' })).status;
	const paths = ['/', '/docs/quickstart', '/docs/search?q=nonce', '/docs/nothing-here', '/assets/none'];
	expect(await Promise.all(paths.map(asked))).toEqual([200, 200, 200, 404, 404]);
});

it('what the platform reads of the built pages is nobody’s page', async () => {
	for (const path of [
		'/_headers',
		'/_redirects',
		'/paths.json',
		'/docs/_headers',
		'/assets/_headers',
		'/assets/..%2f_headers',
	])
		expect([path, (await raw(path)).status]).toEqual([path, 404]);
});

it('robots keep out of orders, the cabinet and the console', async () => {
	const text = await (await fetch(at('/robots.txt'))).text();
	for (const path of ['/o/', '/cabinet', '/operator']) expect(text).toContain(`Disallow: ${path}\n`);
	expect((await fetch(at('/favicon.ico'))).headers.get('content-type')).toBe('image/svg+xml');
	const icon = await fetch(at('/apple-touch-icon.png'));
	expect(icon.headers.get('content-type')).toBe('image/png');
	expect(
		Buffer.from(await icon.arrayBuffer())
			.subarray(1, 4)
			.toString(),
	).toBe('PNG');
});

it('security.txt is missing where the operator named no contact', async () => {
	expect((await fetch(at('/.well-known/security.txt'))).status).toBe(404);
});

it.each(['/nope', '/orders', '/O/x'])(
	'%s is a page that says so to a browser, and code 6 to a program',
	async (path) => {
		const page = await fetch(at(path), { headers: { accept: 'text/html,*/*;q=0.8' } });
		expect([page.status, (await page.text()).includes('There is no page at this address')]).toEqual([404, true]);
		expect(await (await fetch(at(path))).json()).toMatchObject({ code: 6 });
		const call = await fetch(at(`/api${path}`), { headers: { accept: 'text/html' } });
		expect(await call.json()).toMatchObject({ code: 6 });
	},
);

it('every page says that coins are not real, where they are not', async () => {
	for (const path of ['/', '/docs', '/docs/api', '/status', '/o/x', '/cabinet/sign-in', '/operator', '/docs/none'])
		expect([path, (await (await fetch(at(path))).text()).match(/its coins are worth nothing/g)?.length]).toEqual([
			path,
			1,
		]);
	expect(await (await fetch(at('/status.json'))).text()).not.toContain('worth nothing');
});
