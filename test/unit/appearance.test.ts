/** A partner's look: a colour that can be read, a logo that the service draws, settings under a seal. */
import { readFileSync } from 'node:fs';
import { deflateSync } from 'node:zlib';
import UPNG from 'upng-js';
import { expect, it } from 'vitest';
import { keyRing } from '../../src/crypto/key-ring.ts';
import { accentOf, BACKGROUNDS, contrast } from '../../src/pages/brand/accent.ts';
import { logoOf, MAX_LOGO_BYTES } from '../../src/partners/logo.ts';
import { openedOrderPage, orderPageOf, orderPageProblem, sealOrderPage } from '../../src/partners/order-page.ts';
import { LOGO_NAME } from '../../src/partners/partner.ts';
import { inflate, MAX_INFLATED_BYTES } from '../../src/platform/pako.ts';
import { chunk, pngOf } from '../support/png-file.ts';

it.each(['#ffffff', '#000000', '#ffff00', '#0a54c2', '#808080', '#ff0000', '#00ff88'])(
	'%s becomes a shade that text may have on light and on dark pages',
	(colour) => {
		const accent = accentOf(colour);
		for (const theme of ['light', 'dark'] as const)
			for (const background of BACKGROUNDS[theme])
				expect(contrast(accent[theme], background)).toBeGreaterThanOrEqual(4.5);
	},
);

it('a colour that is readable stays as it is', () => {
	expect(accentOf('#1d4fd7').light).toBe('#1d4fd7');
	expect(accentOf('#8fb3ff').dark).toBe('#8fb3ff');
	expect(contrast('#ffffff', '#000000')).toBeCloseTo(21);
});

it('the backgrounds are those of the stylesheet', () => {
	const css = readFileSync('src/pages/style.css', 'utf8');
	const [light = '', dark = ''] = css.split('prefers-color-scheme: dark');
	const named = (part: string) =>
		['page', 'card', 'panel'].map((name) =>
			new RegExp(`--${name}: (#[0-9a-f]+)`).exec(part)?.[1]?.replace(/^#fff$/, '#ffffff'),
		);
	expect([named(light), named(dark)]).toEqual([BACKGROUNDS.light, BACKGROUNDS.dark]);
	expect(css).toContain('--action:');
});

const picture = (width: number, height: number): Uint8Array => {
	const rgba = new Uint8Array(width * height * 4).map((_, i) => (i % 4 === 3 ? 255 : (i * 7) % 256));
	return new Uint8Array(UPNG.encode([rgba.buffer], width, height, 0));
};
const problemOf = async (file: Uint8Array) => {
	const logo = await logoOf(file);
	return 'problem' in logo ? logo.problem : null;
};

it.each([
	[960, 320, '240x80'],
	[100, 400, '20x80'],
	[60, 20, '60x20'],
	[2_048, 1, '240x1'],
])('a logo of %d × %d pixels is kept as %s', async (width, height, size) => {
	const logo = await logoOf(picture(width, height));
	if ('problem' in logo) throw new Error(logo.problem);
	expect(logo.name).toMatch(LOGO_NAME);
	expect(logo.name.endsWith(size)).toBe(true);
	const [across = 0, down = 0] = size.split('x').map(Number);
	const [pixels] = UPNG.toRGBA8(UPNG.decode(logo.png.buffer));
	expect(pixels?.byteLength).toBe(across * down * 4);
	expect(logo.png.length).toBeLessThan(40_000);
});

it('what is hidden in a file, and its other pictures, stay behind', async () => {
	const script = chunk('tEXt', Buffer.from('Comment\0<script>alert(1)</script>'));
	const animated = chunk('acTL', Buffer.alloc(8));
	const logo = await logoOf(pngOf({ width: 8, height: 8, between: [script, animated] }));
	if ('problem' in logo) throw new Error(logo.problem);
	expect(Buffer.from(logo.png).toString('latin1')).not.toMatch(/script|acTL|fcTL/);
});

it.each<[string, Uint8Array, string]>([
	['a bomb of pixels', pngOf({ width: 30_000, height: 30_000, data: deflateSync(Buffer.alloc(10)) }), 'pixels'],
	['one long side', pngOf({ width: 1, height: 4_000, data: deflateSync(Buffer.alloc(10)) }), 'a side'],
	['too many colours', pngOf({ width: 700, height: 700, depth: 16, data: deflateSync(Buffer.alloc(10)) }), 'colours'],
	['no pixels', pngOf({ width: 0, height: 5 }), 'damaged'],
	['an interlaced one', pngOf({ width: 8, height: 8, interlace: 1 }), 'interlaced'],
	['a script', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'), 'no PNG'],
	['a picture of another format', Buffer.from('ffd8ffe000104a464946', 'hex'), 'no PNG'],
	['half a file', pngOf({ width: 8, height: 8 }).subarray(0, 50), 'damaged'],
	[
		'a chunk that ends nowhere',
		Buffer.concat([pngOf({ width: 8, height: 8 }).subarray(0, 33), Buffer.alloc(12, 0xff)]),
		'damaged',
	],
	['a file that is too large', Buffer.alloc(MAX_LOGO_BYTES + 1), 'KiB'],
	['pixels that are no zlib', pngOf({ width: 8, height: 8, data: Buffer.from('nonsense') }), 'damaged'],
])('%s is no logo', async (_, file, problem) => {
	expect(await problemOf(file)).toContain(problem);
});

it('a bomb of zlib ends at the size of the largest picture', () => {
	expect(() => inflate(deflateSync(Buffer.alloc(MAX_INFLATED_BYTES + 1)))).toThrow();
	expect(inflate(deflateSync(Buffer.alloc(100)))).toHaveLength(100);
});

const keys = keyRing({ DEPLOYMENT: 'test', SEAL_KEY: Buffer.alloc(32, 1).toString('base64') } as never, 'SEAL_KEY');
const OFF = orderPageOf({ orderPage: {} }, false);
const SET = { ...OFF, name: 'Coins & Co', returnUrl: 'https://shop.example' };

it('settings of order pages count with the seal of this partner alone', async () => {
	const orderPageSeal = await sealOrderPage(keys, 'one', SET);
	const opened = (more: object) =>
		openedOrderPage(keys, { partnerId: 'one', orderPage: SET, orderPageSeal, ...more }, false);
	expect(await opened({})).toEqual(SET);
	expect(await opened({ orderPage: { returnUrl: SET.returnUrl, name: SET.name } })).toEqual(SET);
	for (const forged of [
		{ partnerId: 'two' },
		{ orderPageSeal: null },
		{ orderPage: { ...SET, returnUrl: 'https://shop.evil' } },
		{ orderPage: { ...SET, logo: `${'0'.repeat(64)}-240x80` } },
		{ orderPage: 'nonsense' },
	])
		expect(await opened(forged)).toEqual(OFF);
	expect(await opened({ orderPage: {}, orderPageSeal: null })).toEqual(OFF);
});

it.each([
	{ name: 'Coins\u202Eoc' },
	{ name: 'Coins\u200B' },
	{ terms: 'http://shop.example' },
	{ terms: 'javascript:alert(1)' },
	{ returnUrl: 'https://user@shop.example' },
	{ accent: 'red' },
	{ accent: '#0A54C2' },
	{ accent: '#fff;}' },
	{ logo: '../x' },
	{ widgetBps: 2_001 },
	{ widgetUsd: 0 },
	{ frameOrigins: ['https://*.example'] },
	{ frameOrigins: ["'self'"] },
])('%o is refused', (change) => {
	expect(orderPageProblem({ ...OFF, ...change }, false)).not.toBeNull();
});

it('the web component is at most 10 KB', () => {
	expect(readFileSync('.wrangler/pages/public/widget.js').length).toBeLessThanOrEqual(10_000);
});
