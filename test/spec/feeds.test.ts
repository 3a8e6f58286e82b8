/** The contract of `GET /api/rates.xml` and `GET /rates/float.xml`, over HTTP. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { decimal, plain, roundDown } from '../../src/money/decimal.ts';
import { type FeedItem, feedItems } from '../support/feed.ts';
import { isInstalled } from '../support/nodes.ts';
import { type Credentials, call, createPartner, signed } from '../support/partner.ts';
import { eventually, serviceForFile } from '../support/service.ts';

/** Calls that are under way together. */
const AT_ONCE = 32;
const PATHS = ['/api/rates.xml', '/rates/float.xml'] as const;
const [PATH] = PATHS;
const EMPTY = '<?xml version="1.0" encoding="UTF-8"?>\n<rates>\n</rates>\n';

const service = serviceForFile();
let partner: Credentials;

interface FeedAnswer {
	readonly status: number;
	readonly headers: Headers;
	readonly xml: string;
}

async function get(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<FeedAnswer> {
	const response = await fetch(service.current().url + path, { method, headers });
	return { status: response.status, headers: response.headers, xml: await response.text() };
}

const items = async (): Promise<FeedItem[]> => feedItems((await get(PATH)).xml);
const pairsOf = (listed: readonly FeedItem[]): string[] => listed.map(({ from, to }) => `${from}>${to}`);

interface Pair {
	readonly from: string;
	readonly to: string;
}
const activePairs = async (): Promise<string[]> =>
	(await signed<Pair[]>(service.current(), partner, '/api/v1/pairs', {})).data.map(({ from, to }) => `${from}>${to}`);

/** Settings take effect with the next snapshot. Changing a price makes one now. */
async function set(statement: string): Promise<void> {
	await service.current().sql(statement);
	await service.current().operator('sandbox/price', { coin: 'DASH', usd: '30' });
}

beforeAll(async () => {
	partner = await createPartner(service.current());
	await eventually('the feed to list every pair', async () => (await items()).length === (await activePairs()).length);
});

describe.each(PATHS)('GET %s', (path) => {
	it('is unauthenticated XML in UTF-8, strongly ETag-cached, open to browsers', async () => {
		const { status, headers } = await get(path);
		expect(status).toBe(200);
		expect(headers.get('content-type')).toBe('application/xml; charset=utf-8');
		expect(headers.get('etag')).toMatch(/^"[0-9a-f]{64}"$/);
		expect(headers.get('cache-control')).toBe('public, no-cache');
		expect(headers.get('access-control-allow-origin')).toBe('*');
		expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
	});

	it('answers 304 without a body when the snapshot is unchanged', async () => {
		const etag = (await get(path)).headers.get('etag') ?? '';
		for (const ifNoneMatch of [etag, `W/${etag}`, `"x", ${etag}`, `W/"x",W/${etag}`, '*']) {
			for (const method of ['GET', 'HEAD']) {
				const answer = await get(path, { 'if-none-match': ifNoneMatch }, method);
				expect([answer.status, answer.xml]).toEqual([304, '']);
				expect(answer.headers.get('etag')).toBe(etag);
				expect(answer.headers.get('cache-control')).toBe('public, no-cache');
				expect(answer.headers.get('access-control-allow-origin')).toBe('*');
			}
		}
		for (const ifNoneMatch of ['"x"', '"x", W/"y"', etag.slice(1, -1)]) {
			expect((await get(path, { 'if-none-match': ifNoneMatch })).status).toBe(200);
		}
	});

	it('is the same however the path is spelled', async () => {
		const etag = (await get(path)).headers.get('etag') ?? '';
		for (const spelled of [`${path}?`, `${path}?a=/b`, path.replace('rates', '%72ates')]) {
			const answer = await get(spelled, { 'if-none-match': etag });
			expect([spelled, answer.status, answer.headers.get('etag')]).toEqual([spelled, 304, etag]);
		}
		expect((await get(`${path}/`)).status).toBe(404);
		expect((await get(path.toUpperCase())).status).toBe(404);
	});

	it('answers HEAD as GET, without the body', async () => {
		const [got, head] = [await get(path), await get(path, {}, 'HEAD')];
		expect([head.status, head.xml]).toEqual([200, '']);
		for (const name of ['content-type', 'etag', 'cache-control', 'access-control-allow-origin']) {
			expect([name, head.headers.get(name)]).toEqual([name, got.headers.get(name)]);
		}
	});

	it('answers preflights, and any other method with 405 and Allow', async () => {
		const preflight = await get(path, { origin: 'https://monitor.example' }, 'OPTIONS');
		expect(preflight.status).toBe(204);
		expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
		expect(preflight.headers.get('access-control-allow-methods')).toBe('GET, HEAD');
		expect(preflight.headers.get('access-control-allow-headers')).toContain('if-none-match');
		for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
			const { status, headers, xml } = await get(path, {}, method);
			expect([status, headers.get('allow'), xml]).toEqual([
				405,
				'GET, HEAD, OPTIONS',
				'{"code":1,"msg":"INVALID_REQUEST"}',
			]);
		}
	});
});

describe('the two addresses', () => {
	it('are byte-identical aliases', async () => {
		const [one, other] = await Promise.all(PATHS.map((path) => get(path)));
		expect(other?.xml).toBe(one?.xml);
		expect(other?.headers.get('etag')).toBe(one?.headers.get('etag'));
	});

	it('carry weight 0: credentials are not read, and no bucket fills', async () => {
		const wrong = { 'x-api-key': 'pk_wrong', 'x-api-sign': 'wrong' };
		const answers = await Promise.all(Array.from({ length: 70 }, (_, i) => get(PATH, i % 2 ? wrong : {})));
		expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
		expect((await call(service.current(), '/api/v1/currencies', {})).code).toBe(0);
	});
});

describe('the items', () => {
	it('are the pairs of /api/v1/pairs, one a line', async () => {
		const { xml } = await get(PATH);
		expect(pairsOf(feedItems(xml))).toEqual(await activePairs());
		expect(xml.split('\n').filter((line) => /^<item>.*<\/item>$/.test(line))).toHaveLength(
			(await activePairs()).length,
		);
	});

	it('show what price quotes: rate, window and network fee, of every pair', async () => {
		const check = async (item: Awaited<ReturnType<typeof items>>[number]) => {
			const body = { type: 'float', fromCcy: item.from, toCcy: item.to, direction: 'from', amount: '1000' };
			const { data } = await signed<{
				from: { rate: string; min: string; max: string };
				to: { amount: string; min: string; max: string; precision: number };
			}>(service.current(), partner, '/api/v1/price', body);
			const { from, to } = data;
			expect(plain(decimal(from.rate).times(item.in))).toBe(item.out);
			expect([item.frommin, item.frommax, item.tomin, item.tomax]).toEqual([from.min, from.max, to.min, to.max]);
			expect([item.minamount, item.maxamount]).toEqual([`${from.min} ${item.from}`, `${from.max} ${item.from}`]);
			const fee = item.tofee.replace(` ${item.to}`, '');
			expect(plain(roundDown(decimal('1000').times(from.rate).minus(fee), to.precision))).toBe(to.amount);
		};
		const all = await items();
		for (let start = 0; start < all.length; start += AT_ONCE) {
			await Promise.all(all.slice(start, start + AT_ONCE).map(check));
		}
	});

	it('have the payout reserve of their destination as amount', async () => {
		const reserves = new Map((await items()).map(({ to, amount }) => [to, amount]));
		expect(reserves.size).toBeGreaterThan(8);
		for (const amount of reserves.values()) expect(Number(amount)).toBeGreaterThan(0);
	});

	it('are rendered again when a price moves, with another ETag', async () => {
		const before = await get(PATH);
		const etag = before.headers.get('etag') ?? '';
		await service.current().operator('sandbox/price', { coin: 'LTC', usd: '123.45' });
		const after = await eventually('a feed with the new price', async () => {
			const answer = await get(PATH, { 'if-none-match': etag });
			return answer.status === 200 && answer;
		});
		expect(after.headers.get('etag')).not.toBe(etag);
		expect(after.xml).not.toBe(before.xml);
	});

	it('leave out pairs with an inactive asset, and pairs whose destination makes no payouts', async () => {
		await set("INSERT INTO asset_settings (code, active) VALUES ('DASH', 0)");
		await set("INSERT INTO network_settings (name, send, receive) VALUES ('Litecoin', 0, 1)");
		const left = await eventually('DASH to leave the feed', async () => {
			const listed = await items();
			return !listed.some(({ from, to }) => from === 'DASH' || to === 'DASH' || to === 'LTC') && listed;
		});
		expect(left.some(({ from }) => from === 'LTC')).toBe(true);
		expect(pairsOf(left)).toEqual(await activePairs());
		await set('DELETE FROM asset_settings');
		await set('DELETE FROM network_settings');
	});
});

describe.skipIf(!isInstalled('xmllint'))('the format', () => {
	const lint = (xml: string) =>
		spawnSync('xmllint', ['--noout', '--schema', join(import.meta.dirname, '../support/rates.xsd'), '-'], {
			input: xml,
			encoding: 'utf8',
		});

	it('is valid against the schema of the monitors’ export format', async () => {
		const { xml } = await get(PATH);
		expect(lint(xml)).toMatchObject({ status: 0, stderr: '- validates\n' });
		// The schema rejects a wrong feed.
		expect(lint(xml.replace(/<tofee>.*?<\/tofee>/, '')).status).not.toBe(0);
		expect(lint(xml.replace(/<out>/, '<out>-')).status).not.toBe(0);
	});

	it('is valid when the feed is empty', () => {
		expect(lint(EMPTY)).toMatchObject({ status: 0 });
	});
});

describe('in maintenance', () => {
	it('the feed is an empty <rates> with HTTP 200, and full again afterwards', async () => {
		await set('UPDATE site SET maintenance = 1');
		const empty = await eventually('an empty feed', async () => {
			const answer = await get(PATH);
			return answer.xml === EMPTY && answer;
		});
		expect(empty.status).toBe(200);
		expect(empty.headers.get('etag')).toMatch(/^"[0-9a-f]{64}"$/);
		expect((await get(PATHS[1])).xml).toBe(EMPTY);
		await set('UPDATE site SET maintenance = 0');
		await eventually('the feed to be full again', async () => (await items()).length > 0);
	});
});
