/** Delivery against a real D1 and a real queue, in workerd, to an endpoint on loopback. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { OrderView } from '../../src/orders/view.ts';
import { EVENT_TYPES } from '../../src/webhooks/events/events.ts';
import { statusChangedEvent } from '../../src/webhooks/events/order-status-changed.ts';
import { redirectTo, startWebhookReceiver, verify, type WebhookReceiver } from '../support/webhook-receiver.ts';
import { ENDPOINT, PARTNER, SECRET, startWebhookWorker, type WebhookWorker } from '../support/webhook-worker.ts';

const SECOND = 1000;
const DAY = 24 * 60 * 60 * SECOND;

interface EventRow {
	readonly state: string;
	readonly attempts: number;
	readonly next_attempt_at: number;
}
interface DeliveryRow {
	readonly attempt: number;
	readonly status: number | null;
	readonly error: string | null;
}

let worker: WebhookWorker;
let receiver: WebhookReceiver;
let orders = 0;

beforeAll(async () => {
	worker = await startWebhookWorker();
});
afterAll(() => worker?.dispose());

beforeEach(async () => {
	receiver = await startWebhookReceiver();
	await run('DELETE FROM webhook_deliveries');
	await run('DELETE FROM webhook_events');
	await setUrl(receiver.url);
});
afterEach(() => receiver.close());

const run: WebhookWorker['run'] = (sql, ...values) => worker.run(sql, ...values);
const call = <Result = unknown>(name: string, ...args: unknown[]): Promise<Result> =>
	worker.call<Result>(name, ...args);
const setUrl = (url: string | null, endpoint = ENDPOINT) => call('setUrl', PARTNER, endpoint, url);
/** The outbox has a row of the event for each endpoint. */
const rowOf = (id: string, endpoint = ENDPOINT) => `${id}.${endpoint}`;

/** An order and its first event, due at `at`; the event's id. */
async function addEvent(at = Date.now(), deletedAt: number | null = null): Promise<string> {
	orders += 1;
	const orderId = `order-${orders}`;
	await run(
		`INSERT INTO orders (id, partner_id, from_asset, from_network, to_asset, to_network, direction, to_address,
			refund_address, pay_in_address, pay_in_index, base_fee_bps, lean_bps, afftax_bps, seal, token_hash, request_hash, from_amount,
			to_amount, rate, network_fee, usd_cents, cap_day, dust_below, created_at, expires_at, watch_until, updated_at, deleted_at)
		VALUES (?, ?, 'A', 'a', 'B', 'b', 'from', 'to', 'back', ?, ?, 0, 0, 0, '', '', '', '1', '1', '1', '0', 0, '2026-11-20', '0', 0, 0, 0, 0, ?)`,
		orderId,
		PARTNER,
		`address-${orders}`,
		orders,
		deletedAt,
	);
	const order = { id: orderId, status: 'PENDING', note: 'naïve – ✓' } as unknown as OrderView;
	const event = statusChangedEvent({
		id: `event-${orders}`,
		partnerId: PARTNER,
		orderId,
		sequence: 1,
		previousStatus: 'NEW',
		order,
		now: at,
	});
	await run(
		`INSERT INTO webhook_events (id, partner_id, order_id, sequence, type, body, state, next_attempt_at, created_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		event.id,
		event.partnerId,
		event.orderId,
		event.sequence,
		event.type,
		event.body,
		event.state,
		event.nextAttemptAt,
		event.createdAt,
	);
	return event.id;
}

const eventOf = async (id: string, endpoint = ENDPOINT) =>
	(
		await run('SELECT state, attempts, next_attempt_at FROM webhook_events WHERE id = ?', rowOf(id, endpoint))
	)[0] as unknown as EventRow;
/** Work of one test must not continue in the next. */
const settled = (id: string) =>
	expect.poll(async () => (await eventOf(id)).state, { timeout: 5 * SECOND }).toBe('delivered');
const deliveriesOf = async (id: string, endpoint = ENDPOINT) =>
	(await run(
		'SELECT attempt, status, error FROM webhook_deliveries WHERE event_id = ? ORDER BY attempt',
		rowOf(id, endpoint),
	)) as unknown as DeliveryRow[];

describe('one attempt', () => {
	test('a 2xx delivers: the stored bytes, signed, with id, attempt and time', async () => {
		const now = Date.now();
		const id = await addEvent(now);
		receiver.answer(204);
		expect(await call('deliver', id, now)).toEqual([{ endpointId: ENDPOINT, state: 'delivered' }]);
		const [webhook] = receiver.received;
		if (!webhook) throw new Error('nothing came');
		expect(webhook.method).toBe('POST');
		expect(webhook.headers).toMatchObject({
			'content-type': 'application/json',
			'x-partner-webhook-id': id,
			'x-partner-webhook-attempt': '1',
			'x-partner-webhook-timestamp': String(Math.floor(now / 1000)),
		});
		expect(webhook.headers['user-agent']).toContain('Partner-Exchange');
		expect(verify(webhook, SECRET)).toBe(true);
		expect(verify(webhook, 'another')).toBe(false);
		expect(webhook.json).toMatchObject({
			id,
			type: 'order.status_changed',
			createdAt: new Date(now).toISOString(),
			apiVersion: 'v1',
			data: { previousStatus: 'NEW', sequence: 1 },
		});
		expect(await eventOf(id)).toMatchObject({ state: 'delivered', attempts: 1 });
		expect(await deliveriesOf(id)).toEqual([{ attempt: 1, status: 204, error: null }]);
		expect(await call('deliver', id, now + DAY)).toEqual([]);
	});

	test('a 500 is tried again by the retry schedule, with the same id and bytes', async () => {
		const now = Date.now();
		const id = await addEvent(now);
		receiver.answer(500);
		expect(await call('deliver', id, now)).toMatchObject([{ state: 'due' }]);
		const { next_attempt_at: next } = await eventOf(id);
		expect(next - now).toBeGreaterThanOrEqual(9 * SECOND);
		expect(next - now).toBeLessThanOrEqual(13 * SECOND);
		expect(await call('deliver', id, next - 1)).toEqual([]);
		receiver.answer(200);
		expect(await call('deliver', id, next)).toMatchObject([{ state: 'delivered' }]);
		const [first, second] = receiver.received;
		expect(second?.headers['x-partner-webhook-attempt']).toBe('2');
		expect(second?.headers['x-partner-webhook-id']).toBe(first?.headers['x-partner-webhook-id']);
		expect(second?.rawBody).toEqual(first?.rawBody);
		expect((await deliveriesOf(id)).map((row) => row.status)).toEqual([500, 200]);
	});

	test('ends after the eleventh', async () => {
		const id = await addEvent();
		receiver.answer(503);
		for (let attempt = 1; attempt <= 11; attempt++) {
			const { next_attempt_at: next } = await eventOf(id);
			expect(await call('deliver', id, next)).toMatchObject([{ state: attempt === 11 ? 'ended' : 'due' }]);
		}
		expect(receiver.received).toHaveLength(11);
		expect(await call('deliver', id, Date.now() + 30 * DAY)).toEqual([]);
	});

	test('410 ends', async () => {
		const id = await addEvent();
		receiver.answer(410);
		expect(await call('deliver', id, Date.now())).toMatchObject([{ state: 'ended' }]);
		expect(await deliveriesOf(id)).toEqual([{ attempt: 1, status: 410, error: null }]);
	});

	test('Retry-After puts the next attempt off', async () => {
		const now = Date.now();
		const id = await addEvent(now);
		receiver.answer({ status: 429, headers: { 'retry-after': '40' } });
		await call('deliver', id, now);
		expect((await eventOf(id)).next_attempt_at - now).toBeGreaterThanOrEqual(40 * SECOND);
	});

	test('a redirect is a failure and is not followed', async () => {
		const id = await addEvent();
		receiver.answer(({ path }) => (path === '/elsewhere' ? 200 : redirectTo('/elsewhere', 307)));
		expect(await call('deliver', id, Date.now())).toMatchObject([{ state: 'due' }]);
		expect(receiver.received.map(({ path }) => path)).toEqual(['/webhooks']);
		expect(await deliveriesOf(id)).toEqual([{ attempt: 1, status: 307, error: null }]);
	});

	test('an answer of many megabytes is cut off and counts by its status', async () => {
		const id = await addEvent();
		receiver.answer({ status: 200, body: 'x'.repeat(32 * 1024 * 1024) });
		expect(await call('deliver', id, Date.now())).toMatchObject([{ state: 'delivered' }]);
	});

	test('no answer within ten seconds is a failure', async () => {
		const id = await addEvent();
		receiver.answer('silence');
		const startedAt = Date.now();
		expect(await call('deliver', id, startedAt)).toMatchObject([{ state: 'due' }]);
		expect(Date.now() - startedAt).toBeLessThan(13 * SECOND);
		expect(await deliveriesOf(id)).toEqual([{ attempt: 1, status: null, error: 'no answer within 10 seconds' }]);
	});

	test.each(['hang-up', 'closed port'])('%s is a failure', async (manner) => {
		const id = await addEvent();
		receiver.answer('hang-up');
		if (manner === 'closed port') await setUrl('http://127.0.0.1:9/');
		expect(await call('deliver', id, Date.now())).toMatchObject([{ state: 'due' }]);
		expect(await deliveriesOf(id)).toMatchObject([{ status: null, error: expect.stringContaining('no answer') }]);
	});

	test('a URL that may not be used is refused at the attempt too', async () => {
		const id = await addEvent();
		await setUrl('https://169.254.169.254/');
		expect(await call('deliver', id, Date.now())).toMatchObject([{ state: 'due' }]);
		expect(await deliveriesOf(id)).toMatchObject([{ status: null, error: expect.stringContaining('IP address') }]);
	});

	test.each(['no URL', 'deleted order', 'type not chosen'])('%s: ended, nothing sent', async (why) => {
		const id = await addEvent(Date.now(), why === 'deleted order' ? Date.now() : null);
		if (why === 'no URL') await setUrl(null);
		if (why === 'type not chosen') await run(`UPDATE webhook_endpoints SET events = '[]'`);
		expect(await call('deliver', id, Date.now())).toMatchObject([{ state: 'ended' }]);
		expect(await eventOf(id)).toMatchObject({ state: 'ended' });
		expect(receiver.received).toHaveLength(0);
	});
});

describe('several endpoints', () => {
	let other: WebhookReceiver;
	const OTHER = 'endpoint-2';

	beforeEach(async () => {
		other = await startWebhookReceiver();
		await setUrl(other.url, OTHER);
	});
	afterEach(async () => {
		await setUrl(null, OTHER);
		await other.close();
	});

	test('each gets the event, with one id, and one that fails holds back no other', async () => {
		const now = Date.now();
		const id = await addEvent(now);
		receiver.answer(500);
		const states = await call<{ endpointId: string; state: string }[]>('deliver', id, now);
		expect(states.toSorted((a, b) => a.endpointId.localeCompare(b.endpointId))).toEqual([
			{ endpointId: ENDPOINT, state: 'due' },
			{ endpointId: OTHER, state: 'delivered' },
		]);
		const [first, second] = [receiver.received[0], other.received[0]];
		expect(second?.headers['x-partner-webhook-id']).toBe(id);
		expect(second?.rawBody).toEqual(first?.rawBody);
		receiver.answer(200);
		const { next_attempt_at: next } = await eventOf(id);
		expect(await call('deliver', id, next)).toEqual([{ endpointId: ENDPOINT, state: 'delivered' }]);
		expect(other.received).toHaveLength(1);
		expect(await deliveriesOf(id)).toHaveLength(2);
		expect(await deliveriesOf(id, OTHER)).toHaveLength(1);
	});

	test('a slow one delays no other', async () => {
		const id = await addEvent();
		receiver.answer({ status: 200, delayMilliseconds: 3 * SECOND });
		await call('wake', [id]);
		await other.waitFor(() => true, 2 * SECOND);
		await settled(id);
	});

	test('one that was disabled, or that does not want the type, has no row of the event', async () => {
		await run('UPDATE webhook_endpoints SET enabled = 0 WHERE id = ?', OTHER);
		const id = await addEvent();
		await run(`UPDATE webhook_endpoints SET enabled = 1, events = '["partner.paid_out"]' WHERE id = ?`, OTHER);
		const next = await addEvent();
		for (const event of [id, next]) expect(await eventOf(event, OTHER)).toBeUndefined();
		await run('UPDATE webhook_endpoints SET enabled = 0 WHERE id = ?', ENDPOINT);
		expect(await call('deliver', id, Date.now())).toEqual([{ endpointId: ENDPOINT, state: 'ended' }]);
	});

	test('types that nobody can choose go to every endpoint', async () => {
		await run(`UPDATE webhook_endpoints SET events = '[]' WHERE id = ?`, OTHER);
		for (const type of ['webhook.test', 'partner.payout_address_changed', 'order.settled', ...EVENT_TYPES])
			await run(
				`INSERT INTO webhook_events (id, partner_id, type, body, state, next_attempt_at, created_at)
				VALUES (?1, ?2, ?1, '{}', 'ended', 0, 0)`,
				type,
				PARTNER,
			);
		const rows = await run('SELECT type FROM webhook_events WHERE endpoint_id = ? ORDER BY type', OTHER);
		expect(rows.map(({ type }) => type)).toEqual(['order.settled', 'partner.payout_address_changed', 'webhook.test']);
	});

	test('a URL that was changed in D1 gets nothing: its seal is over another', async () => {
		const id = await addEvent();
		await run('UPDATE webhook_endpoints SET url = ? WHERE id = ?', other.url, ENDPOINT);
		await call('deliver', id, Date.now());
		expect(other.received).toHaveLength(1);
		expect(await eventOf(id)).toMatchObject({ state: 'due' });
		expect(await deliveriesOf(id)).toMatchObject([{ status: null, error: expect.stringContaining('no valid seal') }]);
	});
});

describe('the lease', () => {
	test('of two concurrent attempts one is made', async () => {
		const id = await addEvent();
		expect((await call<object[][]>('leaseTwice', id, Date.now())).flat()).toHaveLength(1);
		expect(await eventOf(id)).toMatchObject({ state: 'due', attempts: 1 });
	});

	test('a message that arrives twice sends once', async () => {
		const id = await addEvent();
		receiver.answer({ status: 200, delayMilliseconds: 300 });
		await call('wake', [id, id, id]);
		await receiver.waitFor(() => true);
		await settled(id);
		expect(receiver.received).toHaveLength(1);
	});

	test('an attempt that died is made again after its lease, and not before', async () => {
		const now = Date.now();
		const id = await addEvent(now);
		expect(await call('lease', id, now)).toHaveLength(1);
		expect(await call('deliver', id, now + 59 * SECOND)).toEqual([]);
		expect(await call('deliver', id, now + 60 * SECOND)).toMatchObject([{ state: 'delivered' }]);
		expect(receiver.received[0]?.headers['x-partner-webhook-attempt']).toBe('2');
	});

	test('a delivered event can be sent again, one under way cannot', async () => {
		const now = Date.now();
		const id = await addEvent(now);
		await call('lease', id, now);
		expect(await call('again', rowOf(id), now)).toBe(false);
		await call('deliver', id, now + 60 * SECOND);
		expect(await call('again', rowOf(id), now)).toBe(true);
		expect(await call('deliver', id, now)).toMatchObject([{ state: 'delivered' }]);
		expect(await call('again', 'none', now)).toBe(false);
		expect(receiver.received).toHaveLength(2);
	});
});

describe('queue and sweep', () => {
	test('the sweep finds an event whose message was lost', async () => {
		const id = await addEvent();
		await call('sweep', Date.now());
		const webhook = await receiver.waitFor(({ headers }) => headers['x-partner-webhook-id'] === id);
		expect(verify(webhook, SECRET)).toBe(true);
		await settled(id);
	});

	test('a failed attempt is made again after its gap', async () => {
		const id = await addEvent();
		receiver.answer((_, index) => (index === 0 ? 500 : 200));
		await call('wake', [id]);
		const second = await receiver.waitFor((_, index) => index === 1, 15 * SECOND);
		expect(second.at - (receiver.received[0]?.at ?? 0)).toBeGreaterThan(8.9 * SECOND);
		await settled(id);
	});

	test('a slow endpoint delays no other, in its own batch or a later one', async () => {
		const slow: string[] = [];
		for (let i = 0; i < 5; i++) slow.push(await addEvent());
		const quick = await addEvent();
		receiver.answer(({ headers }) =>
			headers['x-partner-webhook-id'] === quick ? 200 : { status: 200, delayMilliseconds: 3 * SECOND },
		);
		await call('wake', [...slow, quick]);
		await receiver.waitFor(({ headers }) => headers['x-partner-webhook-id'] === quick, 2 * SECOND);
		for (const id of slow) await settled(id);
	});

	test('an endpoint that answers again gets what it missed at once, oldest first', async () => {
		receiver.answer(500);
		const past = Date.now() - 60 * SECOND;
		const ids: string[] = [];
		for (let i = 0; i < 12; i++) ids.push(await addEvent(past + i));
		for (const id of ids.toReversed()) await call('deliver', id, Date.now());
		receiver.clear();
		receiver.answer(200);
		const trigger = await addEvent();
		await call('wake', [trigger]);
		await receiver.waitFor((_, index) => index === 12);
		for (const id of ids) await settled(id);
		const order = receiver.received.map(({ headers }) => headers['x-partner-webhook-id']);
		expect(order).toEqual([trigger, ...ids]);
	});

	test('an event that its endpoint refuses is brought forward once, then keeps its schedule', async () => {
		receiver.answer(500);
		const now = Date.now();
		const id = await addEvent(now);
		await call('deliver', id, now);
		expect(await call('missed', ENDPOINT, now + SECOND)).toEqual([id]);
		expect(await call('missed', ENDPOINT, now + SECOND)).toEqual([]);
		await call('deliver', id, now + SECOND);
		expect(await call('missed', ENDPOINT, now + 2 * SECOND)).toEqual([]);
		const { next_attempt_at: next } = await eventOf(id);
		expect(next).toBeGreaterThan(now + 50 * SECOND);
		await call('deliver', id, next);
		expect(await call('missed', ENDPOINT, next + SECOND)).toEqual([id]);
	});

	test('an attempt under way is not brought forward', async () => {
		const now = Date.now();
		const id = await addEvent(now);
		await call('lease', id, now);
		expect(await call('missed', ENDPOINT, now + SECOND)).toEqual([]);
	});
});

test('30 days after the last delivery an event is deleted with its deliveries; a due event stays', async () => {
	const now = Date.now();
	const [old, resent, due, recent] = [
		await addEvent(now - 31 * DAY),
		await addEvent(now - 31 * DAY),
		await addEvent(now - 31 * DAY),
		await addEvent(now - 29 * DAY),
	];
	await call('deliver', old, now - 31 * DAY);
	await call('deliver', resent, now - 31 * DAY);
	await call('again', rowOf(resent), now - DAY);
	await call('deliver', resent, now - DAY);
	await call('deliver', recent, now - 29 * DAY);
	await call('prune', now);
	await call('prune', now);
	const left = (await run('SELECT event_id AS id FROM webhook_events')) as unknown as { id: string }[];
	expect(left.map(({ id }) => id).sort()).toEqual([resent, due, recent].sort());
	expect(await deliveriesOf(old)).toEqual([]);
	expect(await deliveriesOf(resent)).toHaveLength(2);
});
