/** The contract of `POST /api/v1/qr`: the encoded text, the cache, and who may see the image. */
import jsQR from 'jsqr';
import { beforeAll, describe, expect, it } from 'vitest';
import { allAssets } from '../../src/catalog/assets.ts';
import { qrPng } from '../../src/orders/qr.ts';
import { ADDRESS_ON } from '../support/addresses.ts';
import { type CreatedOrder, create, ETH_RECIPIENT, LTC_REFUND, readOrder } from '../support/orders.ts';
import { type Answer, type Credentials, createPartner, signed } from '../support/partner.ts';
import { type Bitmap, readPng } from '../support/png.ts';
import { eventually, sharedService } from '../support/service.ts';

const service = sharedService();
let partner: Credentials;

beforeAll(async () => {
	partner = await createPartner(service.current(), { weightPerMinute: 1_000_000 });
});

const qr = (body: unknown, by = partner): Promise<Answer<{ qrPng: string }>> =>
	signed(service.current(), by, '/api/v1/qr', body);

const createdOrder = async (more: Record<string, unknown> = {}): Promise<CreatedOrder> =>
	(await create(service.current(), partner, more)).data;

const imageOf = async ({ id, token }: CreatedOrder): Promise<string> => (await qr({ id, token })).data.qrPng;

const cache = () => service.current().cache;
const cached = (id: string) => eventually(`the image of ${id} in KV`, () => cache().get(`qr:${id}`));

/** The text that a camera reads, and the symbol's version. */
function scanned(image: string): { text: string | undefined; modules: number } {
	const bitmap = readPng(image);
	const found = jsQR(bitmap.rgba(), bitmap.width, bitmap.height, { inversionAttempts: 'dontInvert' });
	return { text: found?.data, modules: 17 + 4 * (found?.version ?? 0) };
}

/** The module at `column` and `row`, quiet zone included, from its pixels; null when they disagree. */
function moduleAt(bitmap: Bitmap, modules: number, column: number, row: number): boolean | null {
	const size = bitmap.width / (modules + 4);
	const inset = [0.2, 0.5, 0.8];
	const seen = inset.flatMap((down) =>
		inset.map((right) => bitmap.isDark(Math.floor((column + right) * size), Math.floor((row + down) * size))),
	);
	return seen.every((dark) => dark === seen[0]) ? (seen[0] ?? null) : null;
}

describe('POST /api/v1/qr', () => {
	it.each(allAssets().map(({ code, network }) => [code, network] as const))(
		'encodes the raw pay-in address of an order that pays in %s',
		async (from, network) => {
			const to = from === 'ETH' ? 'BNB' : 'ETH';
			const refundAddress = ADDRESS_ON[network];
			const order = await createdOrder({ fromCcy: from, toCcy: to, refundAddress, direction: 'to', amount: '1' });
			expect((await readOrder(service.current(), partner, order)).from.address).toBe(order.from.address);
			expect(scanned(await imageOf(order)).text).toBe(order.from.address);
		},
	);

	it('is 256 by 256 pixels, error-correction level M, with a 2-module quiet zone', async () => {
		const image = await imageOf(await createdOrder());
		const bitmap = readPng(image);
		expect([bitmap.width, bitmap.height]).toEqual([256, 256]);
		const { modules } = scanned(image);
		const last = modules + 3;
		const edge = Array.from({ length: modules + 4 }, (_, i) => i);
		for (const near of [0, 1, last - 1, last]) {
			expect(edge.map((i) => moduleAt(bitmap, modules, i, near))).toEqual(edge.map(() => false));
			expect(edge.map((i) => moduleAt(bitmap, modules, near, i))).toEqual(edge.map(() => false));
		}
		// The finder patterns begin right behind the quiet zone.
		for (const [column, row] of [
			[2, 2],
			[last - 2, 2],
			[2, last - 2],
		] as const) {
			expect(moduleAt(bitmap, modules, column, row)).toBe(true);
		}
		// The level's two bits head the format information, masked with 10 (ISO/IEC 18004 §7.9): M is 00, so 10 is drawn.
		expect([moduleAt(bitmap, modules, 2, 10), moduleAt(bitmap, modules, 3, 10)]).toEqual([true, false]);
	});

	it('answers with only the image', async () => {
		const { id, token } = await createdOrder();
		const answer = await qr({ id, token });
		expect(answer.status).toBe(200);
		expect(Object.keys(answer.data)).toEqual(['qrPng']);
		expect(answer.text).toBe(`{"code":0,"msg":"","data":{"qrPng":"${answer.data.qrPng}"}}`);
	});

	it('is immutable per order: the same bytes from the cache and drawn again', async () => {
		const order = await createdOrder();
		const first = await imageOf(order);
		await cached(order.id);
		expect(await imageOf(order)).toBe(first);
		await cache().delete(`qr:${order.id}`);
		expect(await imageOf(order)).toBe(first);
	});

	it('is cached for one hour per order', async () => {
		const order = await createdOrder();
		const before = Math.floor(Date.now() / 1000);
		const image = await imageOf(order);
		expect(await cached(order.id)).toMatch(new RegExp(`^[0-9a-f]{64}${image.replaceAll('+', '\\+')}$`));
		const { keys } = await cache().list({ prefix: `qr:${order.id}` });
		expect(keys).toHaveLength(1);
		expect((keys[0]?.expiration ?? 0) - before).toBeGreaterThanOrEqual(3600);
		expect((keys[0]?.expiration ?? 0) - before).toBeLessThanOrEqual(3610);
	});

	it('is never an image that somebody else has put into the cache', async () => {
		const [order, other] = [await createdOrder(), await createdOrder()];
		const [image, others] = [await imageOf(order), await imageOf(other)];
		const forgeries = [`${'0'.repeat(64)}${others}`, others, '', String(await cached(other.id))];
		await cached(order.id);
		for (const forgery of forgeries) {
			await cache().put(`qr:${order.id}`, forgery);
			expect(await imageOf(order)).toBe(image);
		}
	});

	it('costs 5 of the partner’s weight', async () => {
		const poor = await createPartner(service.current(), { weightPerMinute: 12 });
		const body = { id: crypto.randomUUID(), token: 'x' };
		expect([(await qr(body, poor)).code, (await qr(body, poor)).code, (await qr(body, poor)).code]).toEqual([6, 6, 5]);
	});
});

describe('ownership and visibility are checked on every call before the cache is consulted', () => {
	let order: CreatedOrder;
	beforeAll(async () => {
		order = await createdOrder();
		await imageOf(order);
		await cached(order.id);
	});

	const misses: [string, () => Promise<Answer>][] = [
		['an unknown id', () => qr({ id: crypto.randomUUID(), token: order.token })],
		['a wrong token', () => qr({ id: order.id, token: 'A'.repeat(43) })],
		['a malformed token', () => qr({ id: order.id, token: 'short' })],
		['no token', () => qr({ id: order.id })],
		[
			'another partner’s order',
			async () => qr({ id: order.id, token: order.token }, await createPartner(service.current())),
		],
	];
	it.each(misses)('%s returns code 6', async (_, call) => {
		const answer = await call();
		expect([answer.status, answer.text]).toEqual([404, '{"code":6,"msg":"NOT_FOUND"}']);
	});

	it('a soft-deleted order returns code 6 even if cached', async () => {
		expect((await qr({ id: order.id, token: order.token })).code).toBe(0);
		await service.current().operator('order/delete', { id: order.id });
		expect(await cache().get(`qr:${order.id}`)).not.toBeNull();
		const answer = await qr({ id: order.id, token: order.token });
		expect([answer.status, answer.text]).toEqual([404, '{"code":6,"msg":"NOT_FOUND"}']);
	});

	it('an id that is not a UUID returns code 1', async () => {
		expect((await qr({ id: 'no-uuid', token: order.token })).code).toBe(1);
	});
});

describe('the image of any address of the networks', () => {
	it.each([
		['Bitcoin P2PKH', '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa'],
		['Bitcoin P2WSH', 'bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3'],
		['Bitcoin P2TR', 'bc1p5d7rjq7g6rdk2yhzks9smlaqtedr4dekq08ge8ztwac72sfr9rusxg3297'],
		['Litecoin P2WPKH', LTC_REFUND],
		['EVM', ETH_RECIPIENT],
		['Solana', 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB'],
		['Tron', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'],
		[
			'Monero, integrated',
			'4LL9oSLmtpccfufTMvppY6JwXNouMBzSkbLYfpAV5Usx3skxNgYeYTRj5UzqtReoS44qo9mtmXCqY45DJ852K5Jv2bYXZKKQePHES9khPK',
		],
	])('%s: reads back unchanged, every module at least 2 pixels wide', async (_, address) => {
		const { text, modules } = scanned(await qrPng(address));
		expect(text).toBe(address);
		expect(256 / (modules + 4)).toBeGreaterThan(2);
	});
});
