/** The feeds for monitors, over HTTP (book: contract, "Feeds for monitors"). */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type AssetId, assetOf } from '../../src/catalog/assets.ts';
import { decimal, plain } from '../../src/money/decimal.ts';
import { monitorCodeOf } from '../../src/pricing/monitor-codes.ts';
import { type FeedItem, feedItems } from '../support/feed.ts';
import { partnerForFile, signed } from '../support/partner.ts';
import { settingsOf } from '../support/rows.ts';
import { eventually, sharedService } from '../support/service.ts';

const service = sharedService();
const partner = partnerForFile(service);
const NO_OFFERS = {
	'/rates/bestchange.xml': '<?xml version="1.0" encoding="UTF-8"?>\n<rates>\n</rates>\n',
	'/rates/fixedfloat.xml': '<?xml version="1.0" encoding="UTF-8"?>\n<rates>\n</rates>\n',
	'/rates/plain.json': '{"rates":[]}\n',
} as const;
type Path = keyof typeof NO_OFFERS;
const PATHS = Object.keys(NO_OFFERS) as Path[];

/** By the table of this version. */
const codeIn = (path: string, id: string) =>
	monitorCodeOf(settingsOf(), path.includes('bestchange') ? 'bestchange' : 'fixedfloat', id as AssetId);

const get = async (path: string, headers: Record<string, string> = {}) => {
	const response = await fetch(service.current().url + path, { headers });
	return { status: response.status, headers: response.headers, text: await response.text() };
};

interface Plain extends Pick<FeedItem, 'from' | 'to' | 'in' | 'out' | 'amount'> {
	readonly [name: string]: string;
}

const itemsIn = (path: string, text: string): Plain[] =>
	path.includes('.json') ? (JSON.parse(text) as { rates: Plain[] }).rates : (feedItems(text) as unknown as Plain[]);

/** Both feeds of one moment: prices of the sandbox stand still between two snapshots, and a third may lie between them. */
const beside = (path: Path) =>
	eventually('both feeds of the same prices', async () => {
		const before = feedItems((await get('/api/rates.xml')).text);
		const { text } = await get(path);
		const after = feedItems((await get('/api/rates.xml')).text);
		return before.length > 0 && JSON.stringify(before) === JSON.stringify(after) && { ours: before, text };
	});

const XML = ['/rates/bestchange.xml', '/rates/fixedfloat.xml'] as const;

describe.each(XML)('%s', (path) => {
	const lint = (text: string) => {
		const schema = join(import.meta.dirname, `../support${path.replace('/rates', '').replace('.xml', '.xsd')}`);
		return spawnSync('xmllint', ['--noout', '--schema', schema, '-'], { input: text, encoding: 'utf8' });
	};

	it('is valid by its schema, and has every pair of which the monitor has codes', async () => {
		const { ours, text } = await beside(path);
		expect(lint(text)).toMatchObject({ status: 0, stderr: '- validates\n' });
		expect(lint(text.replace(/<tofee>.*?<\/tofee>/, '')).status).not.toBe(0);
		expect(lint(text.replace(/(<in>.*?<\/in>)(<out>.*?<\/out>)/, '$2$1')).status).not.toBe(0);
		const named = ours.flatMap(({ from, to }) => {
			const codes = [from, to].map((id) => codeIn(path, id));
			return codes.includes(null) ? [] : [codes.join('>')];
		});
		expect(itemsIn(path, text).map(({ from, to }) => `${from}>${to}`)).toEqual(named);
		expect(named).toEqual(expect.arrayContaining(['BNBBEP20>USDTARBTM', 'BTC>USDTTRC20', 'ETHOPTM>DAI']));
		expect(named.length).toBeLessThan(ours.length);
	});
});

describe.each(PATHS)('%s', (path) => {
	it('has the figures of the contract’s feed', async () => {
		const isXml = path.endsWith('.xml');
		const codeOf = (id: string) => (isXml ? codeIn(path, id) : id);
		const isShown = ({ from, to }: FeedItem) => codeOf(from) !== null && codeOf(to) !== null;
		const figuresOf = (items: readonly Pick<Plain, 'in' | 'out' | 'amount'>[]) =>
			JSON.stringify(items.map(({ in: given, out, amount }) => [given, out, amount]));
		// Each feed is kept for some seconds for itself, so the reserves of one may be younger.
		const { ours, items } = await eventually('both feeds of the same reserves', async () => {
			const { ours, text } = await beside(path);
			const items = itemsIn(path, text);
			return figuresOf(items) === figuresOf(ours.filter(isShown)) && { ours, items };
		});
		const own = ours.find(({ from, to }) => from === 'LTC' && to === 'ETH');
		const [fee = '', coin] = own?.tofee.split(' ') ?? [];
		const shown = items.find(({ from, to }) => from === 'LTC' && to === 'ETH');
		expect(coin).toBe(assetOf('ETH').coin);
		expect(shown).toMatchObject(
			{
				'/rates/bestchange.xml': { tofee: fee, frommin: own?.frommin, maxamount: own?.frommax, tomax: own?.tomax },
				'/rates/fixedfloat.xml': { tofee: `${fee} ETH`, minamount: own?.minamount, maxamount: own?.maxamount },
				'/rates/plain.json': { fee, min: own?.frommin, max: own?.frommax, toMin: own?.tomin, toMax: own?.tomax },
			}[path],
		);
	});

	it('with a margin has the rate and the window of price with that afftax', async () => {
		const body = { type: 'float', fromCcy: 'LTC', toCcy: 'ETH', direction: 'from', amount: '1', afftax: 75 };
		await eventually('the feed to show what price quotes', async () => {
			const { data } = await signed<{ from: { rate: string; min: string; max: string } }>(
				service.current(),
				partner(),
				'/api/v1/price',
				body,
			);
			const items = itemsIn(path, (await get(`${path}?afftax=75`)).text);
			const item = items.find(({ from, to }) => from === 'LTC' && to === 'ETH');
			const [min] = (item?.['min'] ?? item?.['minamount'] ?? '').split(' ');
			return item?.out === plain(decimal(data.from.rate).times(item?.in ?? '0')) && min === data.from.min;
		});
	});

	it.each(['1', '525', '-25', '75.0', '7e1', 'x', ''])('?afftax=%s: no offer', async (margin) => {
		const { status, text } = await get(`${path}?afftax=${margin}`);
		expect([status, text]).toEqual([200, NO_OFFERS[path]]);
	});

	it('answers 304 while nothing changed', async () => {
		await eventually('an unchanged feed', async () => {
			const { headers } = await get(path);
			const etag = headers.get('etag') ?? '';
			expect(etag).toMatch(/^"[0-9a-f]{64}"$/);
			expect(headers.get('access-control-allow-origin')).toBe('*');
			const again = await get(path, { 'if-none-match': etag });
			return again.status === 304 && again.text === '';
		});
	});
});

describe('codes that the operator names', () => {
	const update = (code: string, codes: object) =>
		service.current().operator<object>('asset/update', { code, ...codes });
	const codesIn = async (path: string) => new Set(itemsIn(path, (await get(path)).text).map(({ from }) => from));
	const has = (path: string, code: string, isThere = true) =>
		eventually(`${code} ${isThere ? 'in' : 'not in'} ${path}`, async () => {
			const codes = await codesIn(path);
			return codes.size > 0 && codes.has(code) === isThere;
		});
	const [BESTCHANGE, FIXEDFLOAT] = XML;

	it('stand in that feed and no other, leave an asset out, and give way to the version’s again', async () => {
		try {
			const named = await update('DAIPOL', { bestchangeCode: 'DAIPOLYGON' });
			expect(named).toMatchObject({ code: 'DAIPOL', bestchangeCode: 'DAIPOLYGON', fixedfloatCode: null });
			await update('LTC', { bestchangeCode: 'out', fixedfloatCode: 'LTCX' });
			await has(BESTCHANGE, 'DAIPOLYGON');
			await has(BESTCHANGE, 'LTC', false);
			await has(FIXEDFLOAT, 'LTCX');
			expect(await codesIn(FIXEDFLOAT)).not.toContain('DAIPOLYGON');
			expect((await get('/api/rates.xml')).text).toContain('<from>LTC</from>');
			expect(await codesIn('/rates/plain.json')).toContain('LTC');
			const rows = await service.current().operator<Record<string, unknown>[]>('asset/list', {});
			expect(rows.find(({ code }) => code === 'LTC')).toMatchObject({ bestchangeCode: null, fixedfloatCode: 'LTCX' });
		} finally {
			await update('DAIPOL', { bestchangeCode: null });
			await update('LTC', { bestchangeCode: null, fixedfloatCode: null });
		}
		await has(BESTCHANGE, 'LTC');
		await has(BESTCHANGE, 'DAIPOLYGON', false);
	});

	it.each([
		['LTC', { bestchangeCode: 'BTC' }, 'BTC is BTC in the feed of bestchange'],
		['ETHARB', { fixedfloatCode: 'BNBBEP20' }, 'BNBBEP20 is BNB in the feed of fixedfloat'],
		['LTC', { bestchangeCode: 'ltc' }, 'must be a code of capitals and digits, out or none'],
		['LTC', { fixedfloatCode: 'LTC</from>' }, 'must be a code of capitals and digits, out or none'],
		['LTC', { bestchangeCode: 'A'.repeat(21) }, 'must be a code of capitals and digits, out or none'],
	])('%s %o is refused', async (code, codes, why) => {
		await expect(update(code, codes)).rejects.toThrow(why);
	});

	it('that somebody wrote into D1 as markup cannot be stored', async () => {
		const write = service
			.current()
			.sql("INSERT INTO asset_settings (code, active, bestchange_code) VALUES ('XMR', 1, '<x>')");
		await expect(write).rejects.toThrow('CHECK');
	});
});
