/** The docs and the status page, as people and programs read them. */
import { drizzle } from 'drizzle-orm/d1';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SIGNING_EXAMPLE } from '../../src/docs/guide/signing.ts';
import vectors from '../../src/sdk/vectors.json' with { type: 'json' };
import { addMinute, pruneStatusDays } from '../../src/status/record.ts';
import { browserForFile, DESKTOP, flawsOf, type Opened, openPage, PHONE } from '../support/browser.ts';
import { sharedService } from '../support/service.ts';
import { fillStatus } from '../support/status-pages.ts';

const service = sharedService();
const at = (path: string): string => service.current().url + path;
const textAt = async (path: string): Promise<string> => (await fetch(at(path))).text();

const MAX_BYTES = 100_000;
const DAY = 86_400_000;
/** On a busy machine a search waits for its turn. */
const PATIENT = { timeout: 10_000 };
/** Midnight may come before the last test. */
const startedAt = Date.now();
const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

beforeAll(async () => {
	await fillStatus(service.current());
	await service.current().operator('network/update', { name: 'Dash', send: false });
	// The start counted this minute already, before Dash was switched off.
	await service.current().sql('DELETE FROM status_days WHERE day = ?', dayOf(startedAt));
	await service.current().local.runScheduled();
});
afterAll(async () => {
	await service.current().operator('network/update', { name: 'Dash', send: true });
	// Those of today are counted by the cron; the others are made up.
	await service.current().sql('DELETE FROM status_days WHERE day < ?', dayOf(startedAt));
	await service.current().sql('DELETE FROM speeds');
});
browserForFile();

/** As Cloudflare's edge sends it. The book's longest chapter and the reference are texts of 140 KB. */
async function compressed(path: string): Promise<number> {
	const stream = (await fetch(at(path))).body?.pipeThrough(new CompressionStream('gzip'));
	return (await new Response(stream).arrayBuffer()).byteLength;
}

/** For what needs no page of its own. */
let opened: Opened;
const sent: string[] = [];
beforeAll(async () => {
	opened = await openPage(at('/docs'), { permissions: ['clipboard-read', 'clipboard-write'] });
	opened.page.on('request', (request) => sent.push(request.url()));
});
afterAll(() => opened?.close());

describe('each page', () => {
	it.each([
		'/docs',
		'/docs/quickstart',
		'/docs/assets',
		'/docs/api',
		'/docs/clients',
		'/docs/changelog',
		'/docs/signature',
		'/docs/promise',
		'/docs/search?q=nonce',
		'/status',
	])('%s is whole on a desk, on a phone and in the dark, small, and from one host', async (path) => {
		const { page, problems, hosts } = opened;
		await page.goto(at(path));
		// The reference is so large that axe takes half a minute, and all its parts are on the other pages.
		const inTheDark = ['/docs/quickstart', '/docs/signature', '/status'].includes(path);
		expect(await flawsOf(page, { byAxe: path !== '/docs/api', inTheDark })).toEqual([]);
		expect(problems).toEqual([]);
		expect([...hosts]).toEqual([new URL(at('/')).host]);
		expect(await compressed(path)).toBeLessThan(MAX_BYTES);
	});
});

describe('the docs', () => {
	it.each(['/docs/assets', '/docs/api', '/docs/book/threats'])(
		'%s has its tables as cards on a phone: nothing is beside the window',
		async (path) => {
			const { page } = opened;
			await page.goto(at(path));
			await page.setViewportSize(PHONE.viewport);
			const wide = `[...document.querySelectorAll('.scroll')].filter((one) => one.scrollWidth > one.clientWidth).length`;
			expect(await page.locator('table.cards').count()).toBeGreaterThan(0);
			expect(await page.evaluate(wide)).toBe(0);
			await page.setViewportSize(DESKTOP.viewport);
		},
	);

	it('are searched while one types, with what the form finds without JavaScript', async () => {
		const { page } = opened;
		await page.goto(at('/docs'));
		for (const query of ['nonce', 'lost answer', 'USDTTRC20', 'webhok', 'zzqqxx']) {
			const form = await textAt(`/docs/search?q=${encodeURIComponent(query)}`);
			const results = form.slice(form.indexOf('class="results"'));
			const expected = [...results.matchAll(/<li><a href="([^"]+)"/g)].map(([, link]) => link);
			await page.getByRole('searchbox').fill(query);
			if (expected.length === 0) await page.getByText('Nothing found.').waitFor();
			await expect
				.poll(
					() => page.locator('#found a').evaluateAll((links) => links.map((link) => link.getAttribute('href'))),
					PATIENT,
				)
				.toEqual(expected);
		}
		await page.getByRole('searchbox').fill('webhooks');
		await page.keyboard.press('Enter');
		await page.waitForURL('**/docs/search?q=webhooks');
		expect(await page.locator('.results li').count()).toBeGreaterThan(3);
	});

	it('find a section by the words of its heading first, and by a word with a wrong letter', async () => {
		const first = async (query: string) =>
			/class="results"><li><a href="([^"]+)"/.exec(await textAt(`/docs/search?q=${encodeURIComponent(query)}`))?.[1];
		expect(await first('replay protection')).toBe('/docs/signing#replay-protection');
		expect(await first('POST /api/v1/create')).toBe('/docs/api#create');
		expect(await first('kill swiches')).toBe('/docs/book/bad-hour#kill-switches');
		expect(await first('zzqqxx')).toBeUndefined();
	});

	it('fetch what searches them only when somebody searches', async () => {
		const { page } = opened;
		await page.goto(at('/docs/limits'));
		await page.waitForLoadState('networkidle');
		sent.length = 0;
		await page.getByRole('searchbox').fill('n');
		await page.locator('#found a').first().waitFor();
		const names = sent.map((url) => new URL(url).pathname.replace(/-\w+\.js$/, '.js'));
		expect(names.toSorted()).toEqual(['/assets/chunk.js', '/docs/search.json']);
	});

	it('escape what was searched for', async () => {
		const text = await textAt('/docs/search?q=%22%3E%3Cscript%3Ealert(1)%3C/script%3E');
		expect(text).not.toContain('<script>alert');
		expect(text).not.toContain('value="">');
		const { page } = opened;
		for (const query of ['"><b>', '&lt;&quot;', "'a' & <i>"]) {
			await page.goto(at(`/docs/search?q=${encodeURIComponent(query)}`));
			expect(await page.getByRole('searchbox').inputValue()).toBe(query);
			expect(await page.locator('article').textContent()).toContain(`“${query}”`);
		}
	});

	it('copy code whole, which calls the host that serves it', async () => {
		const { page } = opened;
		await page.goto(at('/docs/quickstart'));
		await page.locator('.code', { hasText: `export BASE_URL=${new URL(at('/')).origin}` }).waitFor();
		const block = page.locator('.code', { hasText: 'signed() {' });
		await block.getByRole('button').click();
		expect(await page.evaluate('navigator.clipboard.readText()')).toBe(await block.locator('code').textContent());
	});

	it('say of every asset when its deposit is final', async () => {
		const { data } = (await (await fetch(at('/api/v1/currencies'), { method: 'POST' })).json()) as {
			data: { code: string }[];
		};
		const text = await textAt('/docs/assets');
		for (const { code } of data) expect(text.split(`<code>${code}</code>`).length).toBeGreaterThan(2);
		expect(text).toContain('2 blocks; above 5\u00a0000\u00a0USD: 3 blocks');
		expect(text).toContain('2 blocks and a ChainLock, or 6 blocks');
	});
});

describe('the docs, for programs', () => {
	const linked = (text: string): string[] => [...text.matchAll(/\]\((\/[^)#\s]+)/g)].map(([, path = '']) => path);

	it('are listed by llms.txt: each text as Markdown, under the address of its page', async () => {
		const list = await fetch(at('/llms.txt'));
		expect(list.headers.get('content-type')).toMatch(/^text\/plain/);
		const paths = linked(await list.text());
		const pages = [...(await textAt('/docs')).matchAll(/<a href="(\/docs\/[\w/-]+)"/g)].map(([, path]) => path);
		const unlisted = new Set(pages.filter((path) => !paths.includes(`${path}.md`)));
		// They have fields and no text.
		expect([...unlisted].toSorted()).toEqual(['/docs/promise', '/docs/signature', '/docs/try']);
		for (const path of paths.filter((each) => each.endsWith('.md'))) {
			const response = await fetch(at(path));
			expect([path, response.headers.get('content-type')]).toEqual([path, 'text/markdown; charset=utf-8']);
			const text = await response.text();
			expect(text).toMatch(/^# /);
			const page = await textAt(path.replace('.md', ''));
			expect(page).toContain(`<link rel="alternate" type="text/markdown" href="${path}"/>`);
			const read = page.replaceAll(/<pre.*?<\/pre>/gs, '').replaceAll(/<code>[^<]*<\/code>/g, 'code');
			expect([path, /.{0,40}(?:\]\(|\*\*|`).{0,40}/.exec(read)?.[0]]).toEqual([path, undefined]);
			// Anyone could register a bare name that nobody owns, and would run code beside every secret.
			expect([path, /npm (?:install|i|add) (?![./"-])/.exec(text)]).toEqual([path, null]);
		}
	});

	it('lead to files that the service gives away', async () => {
		const paths = linked(await textAt('/docs/clients.md'));
		expect(paths.filter((path) => path.startsWith('/docs/sdk/')).length).toBeGreaterThan(6);
		const statuses = await Promise.all(paths.map(async (path) => [path, (await fetch(at(path))).status]));
		expect(statuses.filter(([, status]) => status !== 200)).toEqual([]);
	});

	it('show the example of each language as it is', async () => {
		const text = await textAt('/docs/clients.md');
		for (const name of ['swap.ts', 'swap.py', 'swap.php', 'swap.go', 'curl.sh'])
			expect([name, text.includes(`\n${(await textAt(`/docs/sdk/${name}`)).trimEnd()}\n\`\`\`\n`)]).toEqual([
				name,
				true,
			]);
	});

	it('tell what has changed by a feed', async () => {
		const page = await textAt('/docs/changelog');
		expect(page).toContain('<link rel="alternate" type="application/atom+xml" href="/docs/changelog.atom"/>');
		const feed = await fetch(at('/docs/changelog.atom'));
		expect(feed.headers.get('content-type')).toMatch(/^application\/atom\+xml/);
		const text = await feed.text();
		const told = (await opened.page.evaluate(`(() => {
			const read = new DOMParser().parseFromString(${JSON.stringify(text)}, 'application/xml');
			const of = (selector) => [...read.querySelectorAll(selector)].map((each) => each.textContent);
			return { wrong: of('parsererror'), updated: of('updated'), titles: of('entry > title'), contents: of('content') };
		})()`)) as Readonly<Record<'wrong' | 'updated' | 'titles' | 'contents', readonly string[]>>;
		expect([told.wrong, told.titles.length > 0, told.updated.length]).toEqual([[], true, told.titles.length + 1]);
		expect(told.updated.filter((each) => Number.isNaN(Date.parse(each)))).toEqual([]);
		const anchors = [...text.matchAll(/href="\/docs\/changelog#([^"]+)"/g)].map(([, anchor]) => ` id="${anchor}"`);
		expect(anchors.filter((anchor) => !page.includes(anchor))).toEqual([]);
		expect(told.contents[0]).toContain('<h3 id="for-partners">');
	});
});

describe('the signature checker', () => {
	const { body, timestamp, nonce, timestampMode, bodyOnly, apiSecret } = SIGNING_EXAMPLE;
	beforeAll(async () => {
		await opened.page.goto(at('/docs/signature'));
		await opened.page.waitForLoadState('networkidle');
		sent.length = 0;
	});
	const fill = async (fields: Readonly<Record<string, string>>) => {
		for (const [id, text] of Object.entries({ secret: apiSecret, timestamp, nonce, body, yours: '', ...fields }))
			await opened.page.locator(`#${id}`).fill(text);
	};
	const signature = () => opened.page.locator('#signature-hex').textContent();

	it('makes the signatures of the test vector, and shows the bytes with their newlines', async () => {
		await fill({});
		await expect.poll(signature, PATIENT).toBe(timestampMode);
		expect(await opened.page.locator('#bytes-shown').textContent()).toContain('31 37 39 35 31 37 36 30 30 30 0a');
		await fill({ timestamp: '' });
		await expect.poll(signature, PATIENT).toBe(bodyOnly);
	});

	const hmac = async (text: string, key: string | Uint8Array<ArrayBuffer> = apiSecret) => {
		const bytes = typeof key === 'string' ? new TextEncoder().encode(key) : key;
		const imported = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
		return Buffer.from(await crypto.subtle.sign('HMAC', imported, new TextEncoder().encode(text)));
	};
	const joined = (text = body, time = timestamp) => `${time}\n${nonce}\n${text}`;

	it.each([
		['is right', () => hmac(joined()), 'Your signature is right.'],
		['uppercase hex', async () => (await hmac(joined())).toString('hex').toUpperCase(), 'lowercase hex'],
		['Base64', async () => (await hmac(joined())).toString('base64'), 'in Base64'],
		['the body printed again', () => hmac(joined(JSON.stringify(JSON.parse(body), null, 2))), 'printed again'],
		['a newline at the end', () => hmac(`${joined()}\n`), 'a newline at the end'],
		['CR LF', () => hmac(joined().replaceAll('\n', '\r\n')), 'CR LF'],
		['a backslash and an n', () => hmac(joined().replaceAll('\n', '\\n')), 'backslash'],
		['milliseconds', () => hmac(joined(body, `${timestamp}000`)), 'milliseconds'],
		['the body alone', () => hmac(body), 'only the body'],
		['another secret', () => hmac(joined(), 'another'), 'other bytes or another secret'],
	])('names the mistake: %s', async (_, made, said) => {
		const yours = await made();
		await fill({ yours: typeof yours === 'string' ? yours : yours.toString('hex') });
		await expect.poll(() => opened.page.locator('#findings').textContent(), PATIENT).toContain(said);
	});

	it('says of a timestamp in milliseconds that it is', async () => {
		await fill({ timestamp: `${timestamp}123` });
		await expect
			.poll(() => opened.page.locator('#findings').textContent(), PATIENT)
			.toContain(`Seconds are ${timestamp}.`);
	});

	it('sends nothing of what was typed, and has no form that could', async () => {
		expect(sent).toEqual([]);
		expect(await opened.page.locator('article form, article [name]').count()).toBe(0);
	});

	it('shows the commands for openssl where there is no JavaScript, and no fields', async () => {
		const { page, close } = await openPage(at('/docs/signature'), { javaScriptEnabled: false });
		expect(await page.getByText('openssl dgst -sha256 -hmac').first().isVisible()).toBe(true);
		expect(await page.locator('#secret').isVisible()).toBe(false);
		await close();
	});
});

describe('the promise checker', () => {
	const agreed = vectors.promises.filter(({ expected }) => Object.keys(expected).length === 0);
	const cases = [...agreed.map((each) => ({ ...each, published: null })), ...vectors.promiseKeys];
	const said = () => opened.page.locator('#verdict').textContent();
	beforeAll(async () => {
		await opened.page.goto(at('/docs/promise'));
		await opened.page.waitForLoadState('networkidle');
		sent.length = 0;
	});

	it.each(cases)(
		'gives the verdict of the library: $name → $result',
		async ({ promise, trusted, published, result }) => {
			await opened.page.locator('#published').fill(published ? JSON.stringify(published) : '');
			await opened.page.locator('#trusted').fill(trusted.join('\n'));
			await opened.page.locator('#promise').fill(JSON.stringify(promise));
			const isAuthentic = result === 'authentic';
			await expect
				.poll(said, PATIENT)
				.toContain(isAuthentic ? 'signed with a key that you trust' : 'It proves nothing');
			if (isAuthentic) expect(await said()).toContain(JSON.parse(promise.statement).from.address);
		},
	);

	it('says of what is no file that it is none, and sends nothing', async () => {
		await opened.page.locator('#promise').fill('{"key":');
		await expect.poll(said, PATIENT).toContain('The promise is no JSON');
		expect(sent).toEqual([]);
	});
});

interface StatusDocument {
	readonly works: boolean | null;
	readonly summary: string;
	readonly parts: readonly {
		readonly name: string;
		readonly state: string;
		readonly days: readonly { readonly day: string; readonly minutesOk: number; readonly minutesBad: number }[];
	}[];
	readonly speed: { readonly networks: readonly { readonly name: string }[] } | null;
}

it('a method that the docs do not take is refused as the API refuses it', async () => {
	const response = await fetch(at('/docs/search'), { method: 'POST' });
	const [allow, type] = ['allow', 'content-type'].map((name) => response.headers.get(name));
	expect([response.status, allow, type]).toEqual([405, 'GET, HEAD, OPTIONS', 'application/json']);
	expect(await response.json()).toEqual({ code: 1, msg: 'INVALID_REQUEST' });
});

describe('the status', () => {
	it('counts each minute once for each part, as the cron finds it', async () => {
		const now = Date.now();
		const database = drizzle(service.current().database);
		const tomorrow = now + DAY;
		for (const minutes of [
			{ Bitcoin: 1, Solana: 0 },
			{ Bitcoin: 1, Solana: 1 },
		] as const)
			await addMinute(database, minutes, tomorrow);
		await addMinute(database, { Bitcoin: 0, Solana: 1 }, tomorrow + 60_000);
		const counted = () =>
			service
				.current()
				.sql(
					'SELECT subject, minutes_ok AS ok, minutes_bad AS bad FROM status_days WHERE day = ? ORDER BY subject',
					dayOf(tomorrow),
				);
		expect(await counted()).toEqual([
			{ subject: 'Bitcoin', ok: 1, bad: 1 },
			{ subject: 'Solana', ok: 1, bad: 1 },
		]);
		await service.current().sql('DELETE FROM status_days WHERE day = ?', dayOf(tomorrow));
	});

	it('is for programs what it is for people, and says what does not work', async () => {
		const response = await fetch(at('/status.json'));
		expect(response.headers.get('cache-control')).toBe('public, max-age=30');
		expect(response.headers.get('access-control-allow-origin')).toBe('*');
		const { works, summary, parts, speed } = (await response.json()) as StatusDocument;
		const part = (name: string) => parts.find((each) => each.name === name);
		expect([works, parts.length, part('Bitcoin')?.state, part('Prices')?.state]).toEqual([false, 13, 'ok', 'ok']);
		expect([summary, part('Dash')?.state]).toEqual(['Everything works except Dash', 'payouts-paused']);
		const onDay = (name: string, time: number) => part(name)?.days.find(({ day }) => day === dayOf(time));
		expect(onDay('Dash', startedAt)?.minutesBad).toBeGreaterThan(0);
		expect(onDay('Solana', startedAt - 40 * DAY)).toMatchObject({ minutesBad: 900 });
		expect(speed?.networks.find(({ name }) => name === 'Ethereum')).toEqual({
			name: 'Ethereum',
			payoutSeconds: { p50: 7, p95: 38 },
			refundSeconds: { p50: null, p95: null },
			attendedBps: 60,
		});
		const page = await textAt('/status');
		for (const text of [
			'<h1>Everything works except Dash</h1>',
			'Payouts paused',
			'1\u00A0hour and 1\u00A0minute',
			'37.50%',
			'How fast it is',
			'8\u00A0s',
			'95 of 100: 3\u00A0minutes',
			'0.84%',
			'Too few to say',
		])
			expect([text, page.includes(text)]).toEqual([text, true]);
	});

	it('is kept for 90 days', async () => {
		const database = drizzle(service.current().database);
		const midnight = Math.floor(startedAt / DAY) * DAY;
		const old = [91, 90].map((ago) => dayOf(midnight - ago * DAY));
		for (const day of old)
			await service.current().sql("INSERT INTO status_days VALUES (?, 'Bitcoin', 1440, 0, 0)", day);
		await pruneStatusDays(database, midnight + 3_600_000);
		const left = () =>
			service.current().sql<{ day: string }>('SELECT DISTINCT day FROM status_days WHERE day <= ?', old[1]);
		expect((await left()).length).toBe(2);
		await pruneStatusDays(database, midnight + 60_000);
		expect(await left()).toEqual([{ day: old[1] }]);
	});
});
