/** The client library against the real service: every method, lost answers, a wrong clock, webhooks. */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
	AuthError,
	type Client,
	createClient,
	InvalidRequestError,
	LimitError,
	NotFoundError,
	RateLimitError,
	verifyWebhook,
} from '../../src/sdk/index.ts';
import { documentedForFile } from '../support/documented.ts';
import { ETH_RECIPIENT, LTC_REFUND } from '../support/orders.ts';
import { type Credentials, createPartner } from '../support/partner.ts';
import { sharedService } from '../support/service.ts';

const service = sharedService();
const file = documentedForFile(service);

const SWAP = {
	type: 'float',
	fromCcy: 'LTC',
	toCcy: 'ETH',
	direction: 'from',
	amount: '2',
	toAddress: ETH_RECIPIENT,
	refundAddress: LTC_REFUND,
} as const;

const clientOf = ({ apiKey, apiSecret }: Credentials, url = service.current().url, more = {}): Client =>
	createClient({ url, apiKey, apiSecret, ...more });

describe('the client', () => {
	it('creates an order, shows it, and follows it until it is done', async () => {
		const client = clientOf(file.partner);
		const quote = await client.price(SWAP);
		expect(quote.markupBps).toBe(100);
		const created = await client.create(SWAP);
		expect((await client.qr({ id: created.id, token: created.token ?? '' })).qrPng).toMatch(/^data:image\/png/);
		const seen: string[] = [];
		const isSeen = Promise.withResolvers<void>();
		const onStatus = ({ status }: { readonly status: string }) => {
			seen.push(status);
			isSeen.resolve();
		};
		const isFollowed = client.waitFor(created, { pollSeconds: 0.1, onStatus });
		await isSeen.promise;
		await service.current().operator('sandbox/deposit', { orders: [created.id] });
		const done = await isFollowed;
		expect([done.id, done.status, done.to.tx.id]).toEqual([created.id, 'DONE', expect.stringMatching(/^0x/)]);
		expect([seen[0], seen.at(-1)]).toEqual(['NEW', 'DONE']);
	});

	it('verifies the webhooks of that order, and no other bytes', async () => {
		const { rawBody, headers } = await file.receiver.waitFor(() => true);
		const { webhookSecret, apiSecret } = file.partner;
		const event = await verifyWebhook(rawBody, headers, [apiSecret, webhookSecret]);
		expect(event.type === 'order.status_changed' && event.data.previousStatus).toBe('NEW');
		await expect(verifyWebhook(rawBody, headers, apiSecret)).rejects.toMatchObject({ reason: 'signature-wrong' });
	});

	it('has a method for each endpoint that is left: catalog, codes, emergency, rotation', async () => {
		const client = clientOf(await createPartner(service.current()));
		const open = createClient({ url: service.current().url });
		expect((await open.currencies()).map(({ code }) => code)).toContain('LTC');
		expect(await open.pairs()).toEqual(await client.pairs({}));
		expect((await client.createCode({ code: 'summer', label: 'Zürich 🚀' })).label).toBe('Zürich 🚀');
		expect((await client.disableCode({ code: 'summer' })).enabled).toBe(false);
		expect((await client.enableCode({ code: 'summer' })).enabled).toBe(true);
		const { apiSecret } = await client.rotateKeys({ rotate: ['apiSecret'] });
		expect(apiSecret).toBeTruthy();
		expect((await client.listCodes()).map(({ code }) => code)).toEqual(['summer']);
		const { id, token } = await client.create(SWAP);
		await expect(client.emergency({ id, token: token ?? '', choice: 'EXCHANGE' })).rejects.toMatchObject({
			code: 1,
			name: 'order not in emergency state',
			status: 400,
			requestId: expect.stringMatching(/-/),
		});
		await expect(open.listCodes()).rejects.toThrow('give the client an apiKey');
	});

	it('calls under a reference code', async () => {
		const client = clientOf(file.partner);
		await client.createCode({ code: 'autumn', afftaxBps: 75 });
		const coded = clientOf(file.partner, service.current().url, { code: 'autumn' });
		expect((await coded.price(SWAP)).markupBps).toBe(75);
	});

	it('throws an error of the family of each refusal', async () => {
		const client = clientOf(file.partner);
		const poor = clientOf(await createPartner(service.current(), { weightPerMinute: 10 }));
		await expect(client.create({ ...SWAP, toAddress: 'not an address' })).rejects.toBeInstanceOf(InvalidRequestError);
		await expect(client.create({ ...SWAP, amount: '0.0001' })).rejects.toBeInstanceOf(LimitError);
		await expect(client.create({ ...SWAP, amount: '1000000' })).rejects.toBeInstanceOf(LimitError);
		await expect(client.disableCode({ code: 'none' })).rejects.toBeInstanceOf(NotFoundError);
		await expect(clientOf({ ...file.partner, apiSecret: 'another' }).listCodes()).rejects.toBeInstanceOf(AuthError);
		const refused = await poor.create(SWAP).catch((error: unknown) => error);
		expect(refused).toBeInstanceOf(RateLimitError);
		expect(refused).toMatchObject({ code: 5, retryAfterSeconds: 60 });
	});
});

/** A way to the service on which answers can be lost: the call was carried out, and nobody hears of it. */
describe('on a way that loses answers', () => {
	let way: Server;
	let toLose = 0;
	const headers: IncomingMessage['headers'][] = [];
	const url = () => `http://127.0.0.1:${(way.address() as AddressInfo).port}`;

	beforeAll(async () => {
		way = createServer(async (request, response) => {
			const chunks: Buffer[] = [];
			for await (const chunk of request) chunks.push(chunk as Buffer);
			headers.push(request.headers);
			const { host: _, connection: __, 'content-length': ___, ...sent } = request.headers;
			const init = { method: 'POST', headers: sent as Record<string, string>, body: Buffer.concat(chunks) };
			const answer = await fetch(service.current().url + request.url, init);
			const text = await answer.text();
			toLose -= 1;
			if (toLose >= 0) return response.destroy();
			return response.writeHead(answer.status, { 'retry-after': answer.headers.get('retry-after') ?? '' }).end(text);
		});
		await new Promise<void>((listening) => way.listen(0, '127.0.0.1', listening));
	});

	afterAll(() => {
		way.closeAllConnections();
		way.close();
	});

	it('create makes one order: the repetition has the same key, a new nonce, and no token', async () => {
		const partner = await createPartner(service.current());
		toLose = 1;
		const clock = { now: () => Date.now(), wait: async () => undefined };
		const created = await clientOf(partner, url(), { clock }).create(SWAP);
		expect([created.status, created.token]).toEqual(['NEW', null]);
		const [first, second] = headers.splice(0);
		expect(second?.['idempotency-key']).toBe(first?.['idempotency-key']);
		expect(second?.['x-api-nonce']).not.toBe(first?.['x-api-nonce']);
		const orders = await service.current().sql('SELECT id FROM orders WHERE partner_id = ?', partner.id);
		expect(orders).toEqual([{ id: created.id }]);
	});

	it('a caller whose clock is an hour slow is admitted by the service’s clock', async () => {
		headers.splice(0);
		toLose = 0;
		const clock = { now: () => Date.now() - 3_600_000, wait: async () => undefined };
		const client = clientOf(file.partner, url(), { clock });
		expect((await client.price(SWAP)).markupBps).toBe(100);
		expect((await client.price(SWAP)).markupBps).toBe(100);
		expect(headers).toHaveLength(3);
	});
});
