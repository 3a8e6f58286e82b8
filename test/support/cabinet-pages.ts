/** Fills a service with what the cabinet shows: a partner with codes, a webhook, and orders of some days in every state. */
import { type CreatedOrder, createBody, ETH_RECIPIENT, LTC_REFUND, untilStatus } from './orders.ts';
import { type Credentials, createPartner, newNonce, signed } from './partner.ts';
import type { TestService } from './service.ts';

const CABINET_PARTNER = 'Alpha Wallet';
const DAY_MILLISECONDS = 86_400_000;

interface Filled {
	readonly partner: Credentials;
	/** Done first, then waiting, expired, and one that needs a decision. */
	readonly orders: readonly CreatedOrder[];
}

export async function fillCabinet(service: TestService, webhookUrl: string | null = null): Promise<Filled> {
	const { operator } = service;
	const partner = await createPartner(service, { name: CABINET_PARTNER, afftaxBps: 50, webhookUrl });
	await operator('site/update', { unpaidShareBps: 10_000 });
	for (const [code, label] of [
		['summer', 'Summer campaign'],
		['ios-app', 'The app'],
	])
		await signed(service, partner, '/api/v1/codes', { code, label, afftaxBps: 100 });
	const orders = [
		await make(service, partner, { amount: '2', externalId: 'cart-1041' }, 'summer'),
		await make(service, partner, { amount: '5' }, 'ios-app'),
		await make(service, partner, { amount: '3.5' }),
		await make(service, partner, {
			fromCcy: 'ETH',
			toCcy: 'LTC',
			amount: '0.2',
			toAddress: LTC_REFUND,
			refundAddress: ETH_RECIPIENT,
		}),
		await make(service, partner, { amount: '2.25' }, 'summer'),
		await make(service, partner, {}),
		await make(service, partner, {}),
	];
	const [done, lessThanAsked] = [orders.slice(0, 4), orders[6]];
	await operator('sandbox/deposit', { orders: done.map(({ id }) => id) });
	await operator('sandbox/deposit', { orders: [lessThanAsked?.id], amount: '0.1' });
	for (const order of done) await untilStatus(service, partner, order, 'DONE');
	if (lessThanAsked) await untilStatus(service, partner, lessThanAsked, 'EMERGENCY');
	const [expired] = [orders[5]];
	await service.sql("UPDATE orders SET status = 'EXPIRED' WHERE id = ?", expired?.id);
	for (const [i, order] of done.entries()) await moveBack(service, order.id, i * 4 * DAY_MILLISECONDS);
	return { partner, orders };
}

/** As if it were made so long ago. */
async function moveBack({ sql }: Pick<TestService, 'sql'>, id: string, by: number): Promise<void> {
	await sql(
		`UPDATE orders SET created_at = created_at - ?1, expires_at = expires_at - ?1, updated_at = updated_at - ?1,
			finished_at = finished_at - ?1 WHERE id = ?2`,
		by,
		id,
	);
	await sql('UPDATE order_changes SET at = at - ?1 WHERE order_id = ?2', by, id);
	await sql('UPDATE deposits SET first_seen_at = first_seen_at - ?1 WHERE order_id = ?2', by, id);
	await sql('UPDATE transactions SET sent_at = sent_at - ?1 WHERE order_id = ?2', by, id);
}

async function make(service: TestService, partner: Credentials, more: object, code?: string): Promise<CreatedOrder> {
	const answer = await signed<CreatedOrder>(service, partner, '/api/v1/create', createBody({ ...more }), {
		...(code !== undefined && { apiKey: `${partner.apiKey}.${code}` }),
		headers: { 'idempotency-key': newNonce() },
	});
	if (answer.code !== 0) throw new Error(`create: ${answer.text}`);
	return answer.data;
}
