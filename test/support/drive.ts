/**
 * Makes the service do everything that it can: each endpoint, each operator command, each page, orders in every state. What comes
 * out is not looked at; that it is done is (`checks/plans.test.ts`).
 */
import { SURFACE } from '../../src/api/app.ts';
import { type Declaration, pathOf, type Topic } from '../../src/operator/topic.ts';
import { TOPICS } from '../../src/operator/topics/table.ts';
import { pageEndText } from '../../src/orders/page.ts';
import { readPages, usePages } from './drive-pages.ts';
import { earn, paidTo } from './earnings.ts';
import { type CreatedOrder, create, createBody, ETH_RECIPIENT, LTC_REFUND, untilStatus } from './orders.ts';
import { type Answer, type Credentials, createPartner, newNonce, type Reachable, signed } from './partner.ts';
import { eventually, type TestService } from './service.ts';
import type { ReceivedWebhook, WebhookReceiver } from './webhook-receiver.ts';

/** An account-based chain, whose deposits are swept. */
export const FROM_ETH = {
	fromCcy: 'ETH',
	toCcy: 'LTC',
	amount: '1',
	toAddress: LTC_REFUND,
	refundAddress: ETH_RECIPIENT,
};

/** The service under drive posts partners' webhooks and alerts to the receiver, and asks it for screening. */
export const driven = ({ url }: WebhookReceiver) => ({
	ALERT_WEBHOOK_URL: `${url}/alerts`,
	ALERT_WEBHOOK_SECRET: SECRET,
	SCREENING_URL: `${url}/screening`,
	SCREENING_SECRET: SECRET,
});
const SECRET = 'the secret of the operator and the service';

/** Who called, and the orders that they made. */
export interface Driven {
	readonly partner: Credentials;
	readonly orders: readonly CreatedOrder[];
}

export async function driveEverything(service: TestService, receiver: WebhookReceiver): Promise<Driven> {
	const held = new Set<string>();
	receiver.answer(({ json }: ReceivedWebhook) => {
		const { data } = json as { data?: { orderId?: string } };
		return { status: 200, body: JSON.stringify({ verdict: held.has(data?.orderId ?? '') ? 'hold' : 'accept' }) };
	});
	const partner = await createPartner(service, { webhookUrl: receiver.url, afftaxBps: 100 });
	await service.operator('site/update', { provesSolvency: true });
	await paidTo(service, partner, LTC_REFUND);
	const old = await paidOrder(service);
	await earn(service, partner, {}, FROM_ETH);
	const orders = await ordersInEveryState(service, partner, held);
	await archiveOne(service, old);
	await callEndpoints(service, partner, orders);
	await usePages(service, visitedBy(partner, orders), receiver.url);
	await runCommands(service, partner, orders);
	await service.sql('UPDATE partners SET auto_payout_at = 0');
	await service.sql('UPDATE periodic_checks SET due_at = 0');
	await service.sql('UPDATE screenings SET next_ask_at = 1 WHERE next_ask_at IS NOT NULL');
	await service.local.runScheduled();
	return { partner, orders };
}

/** Whose pages are opened, and one of their orders. */
function visitedBy({ id: partnerId }: Credentials, [, order]: readonly CreatedOrder[]) {
	if (!order) throw new Error('there is no order whose page could be opened');
	return { partnerId, order };
}

/** What these read is bounded by a piece of the books, which a short history does not fill (`npm run bench`). */
const BY_PIECES = new Set(['ledger/check']);

/** A swap from create to DONE, with the polls that lead to it, the calls and commands that read, and a run of the cron. */
export async function askEverything(service: TestService, { partner, orders }: Driven): Promise<void> {
	const { data: order } = await create(service, partner);
	for (const path of ['order', 'qr'])
		await signed(service, partner, `/api/v1/${path}`, { id: order.id, token: order.token });
	await signed(service, partner, '/api/v1/codes', '', { method: 'GET' });
	await service.operator('sandbox/deposit', { orders: [order.id] });
	await untilStatus(service, partner, order, 'DONE');
	await readPages(service, visitedBy(partner, [order, order]));
	await runCommands(service, partner, orders, ({ reads }, path) => reads === true && !BY_PIECES.has(path));
}

/** An order of a partner who earns nothing with it. */
async function paidOrder(service: TestService): Promise<CreatedOrder> {
	const partner = await createPartner(service);
	const { data: order } = await create(service, partner);
	await service.operator('sandbox/deposit', { orders: [order.id] });
	await untilStatus(service, partner, order, 'DONE');
	return order;
}

/** As if it were forty days old and swept, so that the cron archives it. */
async function archiveOne(service: TestService, order: CreatedOrder): Promise<void> {
	await eventually('its payout to be final', async () => {
		const left = await service.sql("SELECT 1 FROM transactions WHERE order_id = ? AND state <> 'final'", order.id);
		return left.length === 0;
	});
	const by = 40 * 24 * 3_600_000;
	await service.sql(
		`UPDATE orders SET created_at = created_at - ?1, expires_at = expires_at - ?1, watch_until = watch_until - ?1,
			updated_at = updated_at - ?1, finished_at = finished_at - ?1 WHERE id = ?2`,
		by,
		order.id,
	);
	await service.sql('UPDATE transactions SET final_at = final_at - ? WHERE order_id = ?', by, order.id);
	await service.sql('DELETE FROM sweep_candidates WHERE order_id = ?', order.id);
	await service.operator('site/update', { archiveAfterDays: 31 });
	await service.local.runScheduled();
	const [{ orders } = { orders: 0 }] = await service.sql<{ orders: number }>(
		'SELECT sum(orders) AS orders FROM archived_batches',
	);
	if (orders !== 1) throw new Error('drive.ts has archived no order');
}

async function ordersInEveryState(
	service: TestService,
	partner: Credentials,
	held: Set<string>,
): Promise<CreatedOrder[]> {
	const { operator, sql } = service;
	const orders: CreatedOrder[] = [];
	for (let i = 0; i < 8; i++) orders.push((await create(service, partner)).data);
	const [first = '', second = '', third = '', fourth = '', fifth = '', sixth = '', , eighth = ''] = orders.map(
		({ id }) => id,
	);
	await operator('sandbox/deposit', { orders: [first, second, third], confirmations: 0 });
	await operator('sandbox/drop', { order: first });
	await operator('sandbox/confirm', { orders: [second] });
	await operator('sandbox/deposit', { orders: [fourth], amount: '0.0000001' });
	await operator('sandbox/deposit', { orders: [fifth, sixth], amount: '0.1' });
	held.add(eighth);
	await operator('sandbox/deposit', { orders: [eighth] });
	await sql('UPDATE orders SET expires_at = 1, created_at = 0 WHERE id = ?', orders[6]?.id);
	for (const [i, status] of [
		[1, 'DONE'],
		[4, 'EMERGENCY'],
		[5, 'EMERGENCY'],
		[6, 'EXPIRED'],
		[7, 'PENDING'],
	] as const) {
		const order = orders[i];
		if (order) await untilStatus(service, partner, order, status);
	}
	return orders;
}

/** Each operation of the API, and what it answered. */
export async function callEndpoints(service: Reachable, partner: Credentials, orders: readonly CreatedOrder[]) {
	const [emergency, refunded, expired] = [orders[4], orders[5], orders[6]].map((order) => ({
		id: order?.id,
		token: order?.token,
	}));
	const key = { kind: 'server', label: 'Server' };
	const made = await signed<{ id: string }>(service, partner, '/api/v1/keys', key);
	const bodies: readonly (readonly [string, unknown])[] = [
		['POST /api/v1/currencies', {}],
		['POST /api/v1/pairs', {}],
		['POST /api/v1/price', createBody()],
		['POST /api/v1/codes', { code: 'summer', label: 'Summer', afftaxBps: 50 }],
		['GET /api/v1/codes', ''],
		['POST /api/v1/create', createBody({ refCode: 'summer' })],
		['POST /api/v1/codes/enable', { code: 'summer', enabled: false }],
		['DELETE /api/v1/codes', { code: 'summer' }],
		['POST /api/v1/limits', {}],
		['POST /api/v1/assets', {}],
		[`GET /api/v1/status?id=${expired?.id}&token=forged`, ''],
		['POST /api/v1/orders', { ids: [emergency?.id, expired?.id] }],
		['POST /api/v1/orders', { ids: [emergency?.id], status: 'EMERGENCY', since: 0, until: 100_000_000_000 }],
		['POST /api/v1/create', createBody({ externalId: 'A 1', externalIdUnique: true })],
		['POST /api/v1/create', createBody({ externalId: 'A 1', externalIdUnique: true })],
		['POST /api/v1/validate-address', { ccy: 'LTC', address: LTC_REFUND }],
		['POST /api/v1/orders', {}],
		['POST /api/v1/orders', { limit: 1, cursor: pageEndText([Date.now(), '']), since: 0, until: 100_000_000_000 }],
		['POST /api/v1/orders', { status: 'DONE', since: 0, until: 100_000_000_000 }],
		['POST /api/v1/orders', { status: 'DONE', cursor: pageEndText([Date.now(), '']) }],
		['POST /api/v1/orders', { externalId: 'A 1', with: ['progress'] }],
		['POST /api/v1/earnings', {}],
		['POST /api/v1/webhooks', { url: 'https://shop.example/hooks' }],
		['GET /api/v1/webhooks', ''],
		['POST /api/v1/webhooks/change', { id: '0011223344556677', url: 'https://shop.example/hooks', enabled: false }],
		['DELETE /api/v1/webhooks', { id: '0011223344556677' }],
		['POST /api/v1/webhooks/test', {}],
		['POST /api/v1/webhooks/test', { endpoint: '0011223344556677' }],
		['POST /api/v1/webhooks/deliveries', { limit: 1 }],
		['POST /api/v1/webhooks/deliveries', { cursor: pageEndText([Date.now(), '']) }],
		['POST /api/v1/webhooks/redeliver', { id: 'none' }],
		['POST /api/v1/webhooks/redeliver', { id: 'none', endpoint: '0011223344556677' }],
		['POST /api/v1/sandbox/keys', {}],
		['POST /api/v1/sandbox/deposit', { id: 'none' }],
		['POST /api/v1/order', expired],
		['POST /api/v1/qr', expired],
		['POST /api/v1/emergency', { ...emergency, choice: 'EXCHANGE' }],
		['POST /api/v1/emergency', { ...refunded, choice: 'REFUND', address: LTC_REFUND }],
		['GET /api/rates.xml', ''],
		['GET /rates/float.xml', ''],
		['GET /rates/bestchange.xml', ''],
		['GET /rates/fixedfloat.xml', ''],
		['GET /rates/plain.json', ''],
		['POST /api/v1/keys/rotate', {}],
		['POST /api/v1/keys', key],
		['GET /api/v1/keys', ''],
		['DELETE /api/v1/keys', { id: made.data.id }],
	];
	const answers: (readonly [endpoint: string, answer: Answer])[] = [];
	for (const [endpoint, body] of bodies) {
		const [method = '', path = ''] = endpoint.split(' ');
		const bend = { method, headers: { 'idempotency-key': newNonce() } };
		answers.push([endpoint, await signed(service, partner, path, body, bend)]);
	}
	const called = new Set(bodies.map(([endpoint]) => endpoint.split('?')[0]));
	const left = SURFACE.map(({ method, path }) => `${method} ${path}`).filter((endpoint) => !called.has(endpoint));
	if (left.length > 0) throw new Error(`drive.ts does not call ${left.join(', ')}`);
	return answers;
}

/** Inputs of the commands; one that is refused has done its reads. */
function commandInputs(partner: string, orders: readonly CreatedOrder[], webhook: string, transaction: string) {
	const [order = '', refundable = '', other = '', screened = ''] = [orders[0], orders[4], orders[6], orders[7]].map(
		(one) => one?.id,
	);
	const exports = [{}, { since: '2026-01-01', until: '2099-01-01' }, { partner }, { partner, since: '7d' }];
	const groupings = ['day', 'asset', 'partner', 'code', 'pair'].map((by) => ({ by, since: '2026-01-01' }));
	const reason = 'to see its statements';
	const inputs: Readonly<Record<string, readonly object[]>> = {
		'asset/update': [{ code: 'LTC', reserve: '10' }],
		'alert/clear': [{ kind: 'books-differ', subject: 'orders' }],
		'archive/show': [{ number: 1 }],
		'archive/find': [{ text: orders[1]?.from.address ?? '' }],
		'audit/list': [{}, { subject: partner }, { subject: partner.slice(0, 6) }, { since: '2026-01-01' }],
		'earnings/show': [{ partner }],
		'earnings/pay-out': [{ partner }, { partner, txId: 'a'.repeat(64) }],
		'export/orders': exports,
		'export/ledger': exports,
		'export/statements': exports,
		'ledger/check': [{}, { full: true }],
		'network/check': [{ name: 'Dash' }],
		'network/update': [{ name: 'Dash', send: true }],
		'network/history': [{}, { name: 'Litecoin', by: 'hour' }],
		'order/list': [
			{},
			{ attention: true },
			{ partner },
			{ status: 'NEW' },
			{ partner, status: 'DONE' },
			{ since: '2026-01-01', until: '2099-01-01' },
			{ after: order },
			{ status: 'DONE', after: order },
			{ partner, after: order, since: '7d' },
			{ attention: true, partner },
			{ attention: true, status: 'EMERGENCY' },
		],
		'order/find': [{ text: order.slice(0, 6) }, { text: orders[1]?.from.address ?? '' }, { text: LTC_REFUND }],
		'order/screen': [
			{ id: screened, verdict: 'hold', reason },
			{ id: screened, verdict: 'accept', reason },
		],
		'order/show': [{ id: order }, { id: order.slice(0, 8) }],
		'order/refund': [{ id: refundable }],
		'order/finalise': [{ id: order, reason }],
		'order/delete': [{ id: other }],
		'pair/update': [{ from: 'LTC', to: 'ETH', minUsd: 40 }],
		'partner/create': [{ name: 'Another' }],
		'partner/show': [{ id: partner }],
		'partner/invite': [{ id: partner }],
		'partner/access': [{ id: partner }],
		'partner/make-key': [{ id: partner, kind: 'read', label: 'Report' }],
		'partner/keys': [{ id: partner }],
		'partner/revoke-key': [{ id: partner, key: '0'.repeat(16) }],
		'partner/end-access': [{ id: partner }],
		'partner/update': [
			{ id: partner, name: 'Renamed' },
			{ id: partner, autoPayout: 'daily' },
		],
		'partner/replace-secret': [{ id: partner, secret: 'webhookSecret' }],
		'payout/list': [{}, { open: true }, { since: '7d', until: '2099-01-01' }],
		'payout/show': [{ id: transaction }],
		'payout/settle': [{ id: transaction, txId: 'b'.repeat(64), reason }],
		'payout/give-up': [{ id: transaction, reason }],
		report: [{}, ...groupings],
		'restored/confirm': [{ orders: [order], own: true }],
		'restored/paid': [{ id: transaction, txId: 'c'.repeat(64), reason }],
		'sandbox/deposit': [{ orders: [other] }],
		'sandbox/confirm': [{ orders: [order] }],
		'sandbox/drop': [{ order }],
		'sandbox/price': [{ coin: 'LTC', usd: '95' }],
		'site/update': [{ baseFeeBps: 50 }],
		'treasury/returned': [{ asset: 'LTC', txId: 'd'.repeat(64), from: null }],
		'treasury/withdraw': [{ asset: 'LTC', amount: '1' }],
		'webhook/list': [{}, { failed: true }, { partner }, { order }, { partner, failed: true }],
		'webhook/redeliver': [{ id: webhook }],
	};
	return inputs;
}

async function runCommands(
	service: TestService,
	{ id }: Credentials,
	orders: readonly CreatedOrder[],
	isWanted: (command: Declaration, path: string) => boolean = () => true,
): Promise<void> {
	const [webhook] = await service.sql<{ id: string }>('SELECT event_id AS id FROM webhook_events LIMIT 1');
	const [transaction] = await service.sql<{ id: string }>("SELECT id FROM transactions WHERE kind = 'payout' LIMIT 1");
	const inputs = commandInputs(id, orders, webhook?.id ?? '', transaction?.id ?? '');
	for (const [name, topic] of Object.entries<Topic>(TOPICS)) {
		for (const [verb, command] of Object.entries(topic.commands)) {
			const path = pathOf(name, verb);
			if (!isWanted(command, path)) continue;
			for (const input of inputs[path] ?? [{}]) await service.operator(path, input).catch(() => undefined);
		}
	}
}
