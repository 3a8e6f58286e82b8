/**
 * Makes the service do everything that it can: each endpoint, each operator command, orders in every state. What comes
 * out is not looked at; that it is done is (`checks/plans.test.ts`).
 */
import { SURFACE } from '../../src/app.ts';
import { pathOf, type Topic } from '../../src/operator/topic.ts';
import { TOPICS } from '../../src/operator/topics/table.ts';
import { earn, paidTo } from './earnings.ts';
import { type CreatedOrder, create, createBody, ETH_RECIPIENT, LTC_REFUND, untilStatus } from './orders.ts';
import { type Credentials, createPartner, newNonce, signed } from './partner.ts';
import type { TestService } from './service.ts';
import { startWebhookReceiver } from './webhook-receiver.ts';

/** An account-based chain, whose deposits are swept. */
const FROM_ETH = { fromCcy: 'ETH', toCcy: 'LTC', amount: '1', toAddress: LTC_REFUND, refundAddress: ETH_RECIPIENT };

export async function driveEverything(service: TestService): Promise<void> {
	const receiver = await startWebhookReceiver();
	try {
		const partner = await createPartner(service, { webhookUrl: receiver.url, afftaxBps: 100 });
		await paidTo(service, partner, LTC_REFUND);
		await earn(service, partner, {}, FROM_ETH);
		const orders = await ordersInEveryState(service, partner);
		await callEndpoints(service, partner, orders);
		await runCommands(service, partner, orders);
	} finally {
		await receiver.close();
	}
}

async function ordersInEveryState(service: TestService, partner: Credentials): Promise<CreatedOrder[]> {
	const { operator, sql } = service;
	const orders: CreatedOrder[] = [];
	for (let i = 0; i < 7; i++) orders.push((await create(service, partner)).data);
	const [first, second, third, fourth, fifth, sixth] = orders.map(({ id }) => id) as [
		string,
		string,
		string,
		string,
		string,
		string,
	];
	await operator('sandbox/deposit', { orders: [first, second, third], confirmations: 0 });
	await operator('sandbox/drop', { order: first });
	await operator('sandbox/confirm', { orders: [second] });
	await operator('sandbox/deposit', { orders: [fourth], amount: '0.0000001' });
	await operator('sandbox/deposit', { orders: [fifth, sixth], amount: '0.1' });
	await sql('UPDATE orders SET expires_at = 1, created_at = 0 WHERE id = ?', orders[6]?.id);
	for (const [i, status] of [
		[1, 'DONE'],
		[4, 'EMERGENCY'],
		[5, 'EMERGENCY'],
		[6, 'EXPIRED'],
	] as const) {
		const order = orders[i];
		if (order) await untilStatus(service, partner, order, status);
	}
	return orders;
}

async function callEndpoints(service: TestService, partner: Credentials, orders: readonly CreatedOrder[]) {
	const [emergency, refunded, expired] = [orders[4], orders[5], orders[6]].map((order) => ({
		...{ id: order?.id, token: order?.token },
	}));
	const bodies: readonly (readonly [string, unknown])[] = [
		['POST /api/v1/currencies', {}],
		['POST /api/v1/pairs', {}],
		['POST /api/v1/price', createBody()],
		['POST /api/v1/codes', { code: 'summer', label: 'Summer', afftaxBps: 50 }],
		['GET /api/v1/codes', ''],
		['POST /api/v1/create', createBody({ refCode: 'summer' })],
		['POST /api/v1/codes/enable', { code: 'summer', enabled: false }],
		['DELETE /api/v1/codes', { code: 'summer' }],
		['POST /api/v1/order', expired],
		['POST /api/v1/qr', expired],
		['POST /api/v1/emergency', { ...emergency, choice: 'EXCHANGE' }],
		['POST /api/v1/emergency', { ...refunded, choice: 'REFUND', address: LTC_REFUND }],
		['GET /api/rates.xml', ''],
		['GET /rates/float.xml', ''],
		['POST /api/v1/keys/rotate', {}],
	];
	for (const [endpoint, body] of bodies) {
		const [method = '', path = ''] = endpoint.split(' ');
		await signed(service, partner, path, body, { method, headers: { 'idempotency-key': newNonce() } });
	}
	const called = new Set(bodies.map(([endpoint]) => endpoint));
	const left = SURFACE.map(({ method, path }) => `${method} ${path}`).filter((endpoint) => !called.has(endpoint));
	if (left.length > 0) throw new Error(`drive.ts does not call ${left.join(', ')}`);
}

/** Inputs of the commands; one that is refused has done its reads. */
function commandInputs(partner: string, orders: readonly CreatedOrder[], webhook: string, transaction: string) {
	const [order = '', refundable = '', other = ''] = [orders[0], orders[4], orders[6]].map((one) => one?.id);
	const reason = 'to see its statements';
	const inputs: Readonly<Record<string, readonly object[]>> = {
		'asset/update': [{ code: 'LTC', reserve: '10' }],
		'audit/list': [{}, { subject: partner }, { since: '2026-01-01' }],
		'earnings/show': [{ partner }],
		'earnings/pay-out': [{ partner }, { partner, txId: 'a'.repeat(64) }],
		'ledger/check': [{}, { full: true }],
		'network/check': [{ name: 'Dash' }],
		'network/update': [{ name: 'Dash', send: true }],
		'order/list': [{}, { attention: true }, { partner }, { status: 'NEW' }, { partner, status: 'DONE' }],
		'order/show': [{ id: order }],
		'order/refund': [{ id: refundable }],
		'order/finalise': [{ id: order, reason }],
		'order/delete': [{ id: other }],
		'pair/update': [{ from: 'LTC', to: 'ETH', minUsd: 40 }],
		'partner/create': [{ name: 'Another' }],
		'partner/show': [{ id: partner }],
		'partner/update': [{ id: partner, name: 'Renamed' }],
		'partner/replace-secret': [{ id: partner, secret: 'webhookSecret' }],
		'payout/settle': [{ id: transaction, txId: 'b'.repeat(64), reason }],
		'payout/give-up': [{ id: transaction, reason }],
		'sandbox/deposit': [{ orders: [other] }],
		'sandbox/confirm': [{ orders: [order] }],
		'sandbox/drop': [{ order }],
		'sandbox/price': [{ coin: 'LTC', usd: '95' }],
		'site/update': [{ baseFeeBps: 50 }],
		'treasury/withdraw': [{ asset: 'LTC', amount: '1' }],
		'webhook/list': [{}, { failed: true }, { partner }, { order }, { partner, failed: true }],
		'webhook/redeliver': [{ id: webhook }],
	};
	return inputs;
}

async function runCommands(service: TestService, { id }: Credentials, orders: readonly CreatedOrder[]): Promise<void> {
	const [webhook] = await service.sql<{ id: string }>('SELECT id FROM webhook_events LIMIT 1');
	const [transaction] = await service.sql<{ id: string }>("SELECT id FROM transactions WHERE kind = 'payout' LIMIT 1");
	const inputs = commandInputs(id, orders, webhook?.id ?? '', transaction?.id ?? '');
	for (const [name, topic] of Object.entries<Topic>(TOPICS)) {
		for (const verb of Object.keys(topic.commands)) {
			const path = pathOf(name, verb);
			for (const input of inputs[path] ?? [{}]) await service.operator(path, input).catch(() => undefined);
		}
	}
	await service.local.runScheduled();
}
