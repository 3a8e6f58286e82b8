/** A partner's events and their deliveries by the API (book: contract, "POST /api/v1/webhooks/deliveries", "POST /api/v1/webhooks/redeliver"). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, type Credentials, createPartner, signed } from '../support/partner.ts';
import { eventually, sharedService } from '../support/service.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

const service = sharedService();
const NOT_FOUND = '{"code":6,"msg":"NOT_FOUND"}';

interface Page {
	readonly events: readonly { readonly id: string; readonly state: string; readonly deliveries: readonly object[] }[];
	readonly cursor: string | null;
}

let receiver: WebhookReceiver;
let partner: Credentials;
let sent: string[];

const post = <T>(path: string, body: unknown, by = partner): Promise<Answer<T>> =>
	signed<T>(service.current(), by, `/api/v1/webhooks/${path}`, body);
const list = (body: object = {}, by = partner) => post<Page>('deliveries', body, by);

beforeAll(async () => {
	receiver = await startWebhookReceiver();
	partner = await createPartner(service.current(), { webhookUrl: receiver.url, weightPerMinute: 1_000_000 });
	sent = [];
	for (let i = 0; i < 3; i++) sent.push((await post<{ id: string }>('test', {})).data.id);
	await eventually('three events to be delivered', async () => {
		const { events } = (await list()).data;
		return events.length === 3 && events.every(({ state }) => state === 'delivered');
	});
});
afterAll(() => receiver.close());

describe('deliveries', () => {
	it('lists a partner’s own events, newest first, with each attempt', async () => {
		const { events, cursor } = (await list()).data;
		expect(cursor).toBeNull();
		expect(events.map(({ id }) => id).toSorted()).toEqual(sent.toSorted());
		for (const event of events)
			expect(event).toEqual({
				id: expect.any(String),
				type: 'webhook.test',
				orderId: null,
				createdAt: expect.any(Number),
				state: 'delivered',
				nextAttemptAt: null,
				deliveries: [
					{ attempt: 1, at: expect.any(Number), status: 200, milliseconds: expect.any(Number), error: null },
				],
			});
		const other = await createPartner(service.current());
		expect((await list({}, other)).data).toEqual({ events: [], cursor: null });
	});

	it('comes in pages that together are the whole list', async () => {
		const whole = (await list()).data.events.map(({ id }) => id);
		for (const limit of [1, 2]) {
			const found: string[] = [];
			let cursor: string | null = null;
			do {
				const page: Answer<Page> = await list({ limit, ...(cursor && { cursor }) });
				found.push(...page.data.events.map(({ id }) => id));
				cursor = page.data.cursor;
			} while (cursor);
			expect(found).toEqual(whole);
		}
	});

	it('with a cursor that is none → 1', async () => {
		expect((await list({ cursor: 'x' })).code).toBe(1);
		expect((await list({ limit: 101 })).code).toBe(1);
	});
});

describe('redeliver', () => {
	it('sends the same id and the same bytes again', async () => {
		const [id = ''] = sent;
		const of = () => receiver.received.filter(({ rawBody }) => rawBody.includes(id));
		const again = await post('redeliver', { id });
		expect(again.data).toEqual({ id, type: 'webhook.test' });
		await eventually('the event to come again', async () => of().length === 2);
		const [first, second] = of();
		expect(second?.rawBody).toEqual(first?.rawBody);
		expect(second?.headers['x-partner-webhook-id']).toBe(id);
	});

	it('of an unknown event, or another partner’s → 6', async () => {
		const other = await createPartner(service.current(), { webhookUrl: receiver.url });
		expect((await post('redeliver', { id: sent[1] }, other)).text).toBe(NOT_FOUND);
		expect((await post('redeliver', { id: 'none' })).text).toBe(NOT_FOUND);
	});
});
