/** Links, payment requests and the status of an order for who has nothing but a link (book: contract, "Beyond the contract"). */
import { describe, expect, it } from 'vitest';
import type { OrderView } from '../../src/orders/view.ts';
import { ordersForFile } from '../support/order-life.ts';
import { type CreatedOrder, create } from '../support/orders.ts';
import { type Answer, call, signed } from '../support/partner.ts';
import { sharedService } from '../support/service.ts';

const service = sharedService();
const { partner, newOrder } = ordersForFile(service);
const NOT_FOUND = '{"code":6,"msg":"NOT_FOUND"}';

interface Linked extends CreatedOrder {
	readonly links: { readonly page: string | null; readonly status: string; readonly statusPage: string };
	readonly payment: { readonly asset: string; readonly units: string; readonly link: string | null };
}

const post = <T>(path: string, body: unknown): Promise<Answer<T>> =>
	signed<T>(service.current(), partner(), `/api/v1/${path}`, body);
const createLinked = async (more: object = {}, bend = {}) =>
	(await create(service.current(), partner(), { with: ['links', 'payment'], ...more }, bend)).data as Linked;
/** As anybody asks who has the address. */
const open = (url: string) =>
	call<OrderView>(service.current(), url.replace(service.current().url, ''), undefined, { method: 'GET' });
const statusOf = (id: string, token: string) => open(`/api/v1/status?${new URLSearchParams({ id, token })}`);

describe('links', () => {
	it('lead to the page of the order and to its status, where they are asked for', async () => {
		const { id, token, links } = await createLinked();
		const { url } = service.current();
		expect(links.page).toBe(`${url}/o/${id}#${token}`);
		expect(links.status.startsWith(`${url}/api/v1/status?id=${id}&token=`)).toBe(true);
		expect(links.statusPage).toBe(`${url}/o/${id}#${new URL(links.status).searchParams.get('token')}`);
		expect(await newOrder()).not.toHaveProperty('links');
		const { data } = await post<Linked>('order', { id, token, with: ['links'] });
		expect(data.links).toEqual(links);
		const { data: listed } = await post<{ orders: Linked[] }>('orders', { ids: [id], with: ['links'] });
		expect(listed.orders[0]?.links).toEqual({ ...links, page: null });
	});

	it('have no page where a repetition of create has no token', async () => {
		const bend = { headers: { 'idempotency-key': 'the key of a link' } };
		const { links } = await createLinked({}, bend);
		expect((await createLinked({}, bend)).links).toEqual({ ...links, page: null });
	});
});

describe('status', () => {
	it('is the order without what the partner earns and calls it, for everybody who has the link', async () => {
		const { token, links, payment: _, ...order } = await createLinked({ afftax: 30, externalId: 'a cart' });
		const { externalId, ...shown } = order as typeof order & { readonly externalId: string };
		const { data, headers } = await open(links.status);
		expect(externalId).toBe('a cart');
		expect(data).toEqual({ ...shown, markupBps: null, time: { ...shown.time, left: data.time.left } });
		expect(headers.get('access-control-allow-origin')).toBe('*');
		expect(headers.get('cache-control')).toBe('no-store');
		expect(JSON.stringify(data)).not.toContain(token);
	});

	it('of an unknown id, a wrong or another order’s token and a deleted order are the same code 6', async () => {
		const [one, other] = [await createLinked(), await createLinked()];
		const tokenOf = ({ links }: Linked) => new URL(links.status).searchParams.get('token') ?? '';
		const tokens = [tokenOf(other), String(one.token), `${tokenOf(one).slice(0, -1)}`, `${tokenOf(one)}=`, 'x', ''];
		for (const token of tokens) expect((await statusOf(one.id, token)).text).toBe(NOT_FOUND);
		const unknown = await statusOf('7f0c1ea9-6c0b-4a34-9f0e-0d6a4be9a1ce', tokenOf(one));
		expect([unknown.status, unknown.text]).toEqual([404, NOT_FOUND]);
		await service.current().sql('UPDATE orders SET deleted_at = 1 WHERE id = ?', one.id);
		expect((await open(one.links.status)).text).toBe(NOT_FOUND);
		expect((await open(other.links.status)).code).toBe(0);
	});

	it('token decides nothing and reads no more: to order, qr and emergency it is a wrong token', async () => {
		const { id, links } = await createLinked();
		const token = new URL(links.status).searchParams.get('token');
		for (const path of ['order', 'qr', 'emergency'])
			expect((await post(path, { id, token, choice: 'EXCHANGE' })).text).toBe(NOT_FOUND);
	});

	it('without id or token, or with an id that is none → 1', async () => {
		for (const query of ['', '?id=7f0c1ea9-6c0b-4a34-9f0e-0d6a4be9a1ce', '?id=x&token=y'])
			expect((await open(`/api/v1/status${query}`)).code).toBe(1);
	});
});

describe('payment', () => {
	it('is the deposit as wallets take it', async () => {
		const { payment, from } = await createLinked();
		expect(payment).toEqual({
			asset: 'bip122:12a765e31ffd4059bada1e25190f6e98/slip44:2',
			units: '200000000',
			link: `litecoin:${from.address}?amount=2`,
		});
	});
});

describe('orders by ids', () => {
	it('are those of the partner alone, and no more than a hundred are asked for', async () => {
		const [one, two] = [await newOrder(), await newOrder()];
		const { data } = await post<{ orders: OrderView[] }>('orders', {
			ids: [one.id.toUpperCase(), two.id, '7f0c1ea9-6c0b-4a34-9f0e-0d6a4be9a1ce'],
		});
		expect(data.orders.map(({ id }) => id).toSorted()).toEqual([one.id, two.id].toSorted());
		expect((await post<{ orders: OrderView[] }>('orders', { ids: [] })).data.orders).toEqual([]);
		expect((await post('orders', { ids: Array.from({ length: 101 }, () => one.id) })).code).toBe(1);
		expect((await post('orders', { ids: ['x'] })).code).toBe(1);
	});
});
