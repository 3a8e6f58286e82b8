/** What waits for a partner, and the one event that tells of each (book: contract, "Webhooks"). */
import { drizzle } from 'drizzle-orm/d1';
import { beforeEach, describe, expect, it } from 'vitest';
import { partnerWaits, tellPartners } from '../../src/webhooks/attention.ts';
import { addOrders, addPartner, orderIdOf } from '../support/database.ts';
import { NOW } from '../support/rows.ts';
import { type SqliteD1, sqliteD1 } from '../support/sqlite-d1.ts';

const PARTNER = 'partner';
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const ORDER = orderIdOf('Ethereum', 'EMERGENCY', 'a');

let database: SqliteD1;
let woken: string[];
const run: SqliteD1['run'] = (sql, ...values) => database.run(sql, ...values);
const tell = (now = NOW) => {
	const WEBHOOKS = {
		sendBatch: async (messages: { body: { eventId: string } }[]) => {
			woken.push(...messages.map(({ body }) => body.eventId));
		},
	} as unknown as Queue;
	return tellPartners({ DB: database.d1, WEBHOOKS }, now);
};
const waits = async (partnerId: string | null = PARTNER, now = NOW) =>
	(await partnerWaits(drizzle(database.d1), { partnerId, now })).map(({ reason, subject, since }) => [
		reason,
		subject,
		since,
	]);
const told = () =>
	run(
		'SELECT body, endpoint_id, order_id FROM webhook_events WHERE type = ? ORDER BY endpoint_id',
		'partner.attention',
	);
const data = () => told().map(({ body }) => JSON.parse(String(body)).data as Record<string, unknown>);
const addEndpoint = (id: string, events = ['partner.attention'], enabled = 1) =>
	run(
		`INSERT INTO webhook_endpoints (id, partner_id, url, events, enabled, url_set_at, created_at)
		VALUES (?, 'partner', 'https://shop.example/', ?, ?, 0, 0)`,
		id,
		JSON.stringify(events),
		enabled,
	);

async function addOrder(at: number, address = 'a') {
	await addOrders((sql, ...values) => run(sql, ...values), {
		addresses: [address],
		expiresAt: NOW,
		status: 'EMERGENCY',
	});
	const id = orderIdOf('Ethereum', 'EMERGENCY', address);
	run(
		`INSERT INTO order_changes (order_id, sequence, status, previous_status, cause, at)
		VALUES (?, 0, 'EMERGENCY', 'PENDING', 'deposit', ?)`,
		id,
		at,
	);
	return id;
}

/** An event at the endpoint whose attempts failed. */
const addFailed = (endpoint: string, { attempts = 3, state = 'due', at = NOW - HOUR, type = 'webhook.test' } = {}) => {
	run(
		`INSERT INTO webhook_events (id, partner_id, type, body, state, attempts, next_attempt_at, created_at, event_id, endpoint_id)
		VALUES (?1, 'partner', ?2, '{}', ?3, ?4, 0, ?5, ?1, ?6)`,
		`failed ${endpoint} ${attempts} ${state} ${type}`,
		type,
		state,
		attempts,
		at,
		endpoint,
	);
	return `failed ${endpoint} ${attempts} ${state} ${type}`;
};

const addKey = (id: string, expiresAt: number | null, createdAt = NOW - 30 * DAY) =>
	run(
		`INSERT INTO partner_keys (id, partner_id, kind, label, api_key, secret_sealed, addresses, expires_at, created_at)
		VALUES (?1, 'partner', 'app', 'Wallet', ?1, '', '[]', ?2, ?3)`,
		id,
		expiresAt,
		createdAt,
	);

beforeEach(async () => {
	database = sqliteD1();
	woken = [];
	await addPartner((sql, ...values) => run(sql, ...values));
});

describe('what waits for a partner', () => {
	it('is an order that needs their decision, until it is made, goes back or the order is deleted', async () => {
		await addOrder(NOW - HOUR);
		expect(await waits()).toEqual([['order_undecided', ORDER, NOW - HOUR]]);
		expect(await waits(null)).toEqual(await waits());
		expect(await waits('another')).toEqual([]);
		for (const [over, open] of [
			["emergency_choice = 'EXCHANGE'", 'emergency_choice = NULL'],
			['deleted_at = 1', 'deleted_at = NULL'],
			["status = 'EXPIRED'", "status = 'EMERGENCY'"],
		]) {
			run(`UPDATE orders SET ${over}`);
			expect(await waits()).toEqual([]);
			run(`UPDATE orders SET ${open}`);
		}
		run(
			`INSERT INTO transactions (id, order_id, kind, network, asset, to_address, amount, usd_cents, state, planned_at, next_attempt_at,
				settlement_seal) VALUES ('back', ?, 'refund', 'Ethereum', 'ETH', 'to', '1', 0, 'planned', 1, 1, '')`,
			ORDER,
		);
		expect(await waits()).toEqual([]);
	});

	it('is a refund that the payer asked for, and none that they asked for themselves', async () => {
		await addOrder(NOW - 20 * DAY);
		run("UPDATE orders SET refund_asked_at = ?, refund_asked_by = 'payer'", NOW - 5);
		expect(await waits()).toContainEqual(['refund_asked', ORDER, NOW - 5]);
		run("UPDATE orders SET refund_asked_by = 'partner'");
		expect((await waits()).map(([reason]) => reason)).toEqual(['order_undecided']);
	});

	it('is an endpoint where three attempts failed, or the last one did', async () => {
		for (const id of ['due', 'ended', 'young', 'unwanted', 'off', 'old']) addEndpoint(id, [], Number(id !== 'off'));
		addFailed('due');
		const ended = addFailed('ended', { attempts: 1, state: 'ended' });
		addFailed('young', { attempts: 2 });
		addFailed('unwanted', { attempts: 1, state: 'ended' });
		addFailed('off');
		addFailed('old', { at: NOW - 2 * DAY });
		run('INSERT INTO webhook_deliveries VALUES (?, 1, 1, 410, 5, NULL)', ended);
		expect(await waits()).toEqual([
			['endpoint_failing', 'due', NOW - HOUR],
			['endpoint_failing', 'ended', NOW - HOUR],
		]);
		expect(await waits(null)).toEqual(await waits());
	});

	it('is an automatic payout that cannot be made', async () => {
		run(
			"UPDATE partners SET auto_payout = 'weekly', auto_payout_waits = 'no address', auto_payout_waits_since = ?",
			NOW - DAY,
		);
		expect(await waits()).toEqual([['payout_waits', PARTNER, NOW - DAY]]);
	});

	it('is a key that ends within seven days and was made for longer', async () => {
		addKey('ends', NOW + 6 * DAY);
		addKey('later', NOW + 8 * DAY);
		addKey('never', null);
		addKey('over', NOW - 1);
		addKey('short', NOW + DAY, NOW - DAY);
		expect(await waits()).toEqual([['key_expires', 'ends', NOW - DAY]]);
	});
});

describe('partner.attention', () => {
	it('tells of each thing once, at each endpoint that wants it, however often the cron comes', async () => {
		addEndpoint('one');
		addEndpoint('two');
		addEndpoint('other', ['order.status_changed']);
		await addOrder(NOW - HOUR);
		addKey('ends', NOW + 6 * DAY);
		await tell();
		await tell(NOW + 60_000);
		await tell(NOW + 3 * DAY);
		expect(told().map(({ endpoint_id }) => endpoint_id)).toEqual(['one', 'one', 'two', 'two']);
		expect(woken).toHaveLength(2);
		const of = { orderId: null, endpointId: null, keyId: null };
		expect(data().slice(0, 2)).toEqual([
			{ ...of, reason: 'order_undecided', orderId: ORDER, since: new Date(NOW - HOUR).toISOString() },
			{ ...of, reason: 'key_expires', keyId: 'ends', since: new Date(NOW - DAY).toISOString() },
		]);
		const ids = told().map(({ body }) => JSON.parse(String(body)).id as string);
		expect(new Set(ids)).toEqual(new Set(woken));
		expect(ids[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
	});

	it('tells of the same order again once it waits again', async () => {
		addEndpoint('one');
		await addOrder(NOW - HOUR);
		await tell();
		run(`INSERT INTO order_changes VALUES (null, ?, 1, 'EMERGENCY', 'PENDING', 'deposit', ?)`, ORDER, NOW + HOUR);
		run('UPDATE orders SET sequence = 1');
		await tell(NOW + 2 * HOUR);
		expect(data()).toHaveLength(2);
	});

	it('of an endpoint that fails comes once a day, and is no reason for another', async () => {
		addEndpoint('one');
		addFailed('one');
		addFailed('one', { attempts: 4, at: NOW - 2 * HOUR });
		for (const now of [NOW, NOW + HOUR]) await tell(now);
		expect(data()).toMatchObject([{ reason: 'endpoint_failing', endpointId: 'one' }]);
		await tell(NOW + 15 * HOUR);
		expect(data()).toHaveLength(2);
		run("UPDATE webhook_events SET attempts = 5 WHERE type = 'partner.attention'");
		run("UPDATE webhook_events SET state = 'delivered' WHERE type = 'webhook.test'");
		await tell(NOW + 16 * HOUR);
		expect(data()).toHaveLength(2);
		expect(await waits()).toEqual([]);
	});

	it('tells a hundred things a minute, and leaves none out', async () => {
		addEndpoint('one');
		const addresses = Array.from({ length: 120 }, (_, i) => `many ${i}`);
		await addOrders((sql, ...values) => run(sql, ...values), { addresses, expiresAt: NOW, status: 'EMERGENCY' });
		run(
			`INSERT INTO order_changes (order_id, sequence, status, previous_status, cause, at)
			SELECT id, 0, 'EMERGENCY', 'PENDING', 'deposit', ? FROM orders`,
			NOW - HOUR,
		);
		await tell();
		expect(data()).toHaveLength(100);
		await Promise.all([tell(), tell()]);
		expect(new Set(data().map(({ orderId }) => orderId)).size).toBe(120);
		expect(data()).toHaveLength(120);
	});

	it('tells of nothing that nobody wants to hear of, nor of what has waited for a week', async () => {
		await addOrder(NOW - HOUR);
		await tell();
		expect([told(), woken]).toEqual([[], []]);
		addEndpoint('late');
		await addOrder(NOW - 8 * DAY, 'b');
		await tell();
		expect(data()).toMatchObject([{ reason: 'order_undecided', orderId: ORDER }]);
		// After its pruning it does not come again.
		run('DELETE FROM webhook_events');
		await tell(NOW + 30 * DAY);
		expect(told()).toEqual([]);
	});
});
