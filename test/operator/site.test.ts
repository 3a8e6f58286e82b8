/** The settings of the whole service, and their effect on partners' calls. Each command runs as a process. */
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { operatorOf } from '../support/operator.ts';
import { type CreatedOrder, create, readOrder, untilStatus } from '../support/orders.ts';
import { type Credentials, createPartner, signed } from '../support/partner.ts';
import { serviceForFile } from '../support/service.ts';

const service = serviceForFile();
const { json, refusal } = operatorOf(service.current);
const QUOTE = { type: 'float', fromCcy: 'LTC', toCcy: 'ETH', direction: 'from', amount: '2' };
let partner: Credentials;

beforeAll(async () => {
	partner = await createPartner(service.current(), { afftaxBps: 100 });
});

interface Quote {
	readonly from: { readonly rate: string };
}

const price = () => signed<Quote>(service.current(), partner, '/api/v1/price', QUOTE);
const make = (more: Record<string, unknown> = {}) => create(service.current(), partner, more);

async function swapped(): Promise<CreatedOrder> {
	const { data: order } = await create(service.current(), partner);
	await json('sandbox', 'deposit', order.id);
	await untilStatus(service.current(), partner, order, 'DONE');
	return order;
}

describe('site', () => {
	it('show gives the settings, at first the defaults', async () => {
		expect(await json('site', 'show')).toEqual({
			maintenance: false,
			dailyCapUsd: 1_000_000,
			baseFeeBps: 50,
			depositWindowSeconds: 3600,
			unpaidShareBps: 2500,
			archiveAfterDays: null,
			webhookBodyDays: 30,
			showsSecrets: true,
			decisionHours: 72,
			askedRefundUsd: 0,
			reserveHours: 24,
			sweepShareBps: 200,
			ownMarginBps: 2000,
			ownPayouts: 'weekly',
			ownPayoutMinUsd: 20,
			provesSolvency: false,
			provesMonero: false,
			today: { day: new Date().toISOString().slice(0, 10), usedUsd: '0.00', leftUsd: '1000000.00' },
			signer: {
				day: new Date().toISOString().slice(0, 10),
				payoutCapUsd: '1000000.00',
				payoutUsedUsd: '0.00',
				payoutLeftUsd: '1000000.00',
				refundCapUsd: '5000000.00',
				refundUsedUsd: '0.00',
				refundLeftUsd: '5000000.00',
			},
		});
	});

	it('show says how much of the service’s and the signer’s daily caps is used', async () => {
		const used = async () => {
			const { today, signer } = await json<{ today: { usedUsd: string }; signer: { payoutUsedUsd: string } }>(
				'site',
				'show',
			);
			return [Number(today.usedUsd), Number(signer.payoutUsedUsd)] as const;
		};
		const before = await used();
		await swapped();
		const [ordered, signed] = await used();
		expect(ordered - before[0]).toBeCloseTo(190, 2);
		// The signer also counts the payout's network fee.
		expect(signed - before[1]).toBeGreaterThan(190);
		expect(signed - before[1]).toBeLessThan(191);
	});

	it('in maintenance create answers 10, while replays, reads and quotes work; afterwards create works again', async () => {
		const headers = { 'idempotency-key': randomUUID() };
		const { data: order } = await create(service.current(), partner, {}, { headers });
		expect(await json('site', 'update', '--maintenance', 'on')).toMatchObject({ maintenance: true });
		const refused = await make();
		expect([refused.status, refused.code, refused.msg]).toEqual([503, 10, 'MAINTENANCE']);
		const replay = await create(service.current(), partner, {}, { headers });
		expect([replay.code, replay.data.id, replay.data.token]).toEqual([0, order.id, null]);
		expect((await readOrder(service.current(), partner, order)).status).toBe('NEW');
		expect((await price()).code).toBe(0);
		await json('site', 'update', '--maintenance', 'off');
		expect((await make()).code).toBe(0);
	});

	it('the base fee moves the rate of the next quote', async () => {
		const before = (await price()).data.from.rate;
		await json('site', 'update', '--base-fee-bps', '900');
		// 95 / 3200 × (1 − 10 %), the partner's 1 % included.
		expect((await price()).data.from.rate).toBe('0.02671875');
		await json('site', 'update', '--base-fee-bps', '50');
		expect((await price()).data.from.rate).toBe(before);
	});

	it('the deposit window changes for new orders only', async () => {
		const { data: older } = await make();
		await json('site', 'update', '--deposit-window-seconds', '120');
		const { data: order } = await make();
		expect(order.time.expiration - order.time.reg).toBe(120);
		const { time } = await readOrder(service.current(), partner, older);
		expect(time.expiration - time.reg).toBe(3600);
		await json('site', 'update', '--deposit-window-seconds', '3600');
	});

	it('above the daily cap create answers 8; unpaid, expired orders give their share back', async () => {
		const { sql } = service.current();
		const [used] = await sql<{ usd_cents: number }>('SELECT usd_cents FROM daily_volume ORDER BY day DESC LIMIT 1');
		const cap = Math.ceil((used?.usd_cents ?? 0) / 100) + 200;
		// One partner makes all the orders here, so their share is the whole cap.
		await json('site', 'update', '--daily-cap-usd', String(cap), '--unpaid-share-bps', '10000');
		const { data: order } = await make();
		const refused = await make();
		expect([refused.status, refused.code, refused.msg]).toEqual([400, 8, 'LIMIT_MAX']);
		await sql('UPDATE orders SET expires_at = created_at WHERE id = ?', order.id);
		await untilStatus(service.current(), partner, order, 'EXPIRED');
		expect((await make()).code).toBe(0);
		await json('site', 'update', '--daily-cap-usd', '1000000', '--unpaid-share-bps', '2500');
	});

	it('refuses values out of bounds, in one line', async () => {
		expect(await refusal('site', 'update', '--deposit-window-seconds', '59')).toContain('from 60 to 86400');
		expect(await refusal('site', 'update', '--base-fee-bps', '2001')).toContain('from 0 to 2000');
		expect(await refusal('site', 'update', '--unpaid-share-bps', '10001')).toContain('from 0 to 10000');
	});
});
