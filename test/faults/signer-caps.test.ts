/**
 * The signer's own daily caps. No row of D1 changes them. The operator sees each transaction above them, with cause and
 * figures. No coins are stuck: a deposit that cannot be paid out is sent back.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CreatedOrder, create, createBody, readOrder, untilStatus } from '../support/orders.ts';
import { type Credentials, createPartner, signed } from '../support/partner.ts';
import { eventually, serviceForFile, startTestService, type TestService } from '../support/service.ts';

/** An order of 2 LTC is worth 190 USD. */
const file = serviceForFile({ SIGNER_DAILY_CAP_USD: '300' });
let partner: Credentials;

beforeAll(async () => {
	partner = await createPartner(file.current(), { weightPerMinute: 1_000_000 });
	await askSigner(file.current());
});

/** Each change of a price makes RateBook ask the signer for its cap at once, instead of within ten seconds. */
const askSigner = (service: TestService) => service.operator('sandbox/price', { coin: 'LTC', usd: '95' });

async function newOrder(): Promise<CreatedOrder> {
	const { data, text } = await create(file.current(), partner);
	expect(data?.id, text).toBeTruthy();
	return data;
}

const deposit = (order: CreatedOrder, amount: string, service = file.current()) =>
	service.operator('sandbox/deposit', { orders: [order.id], amount });
const until = (order: CreatedOrder, status: string) => untilStatus(file.current(), partner, order, status);

/** Why the signer refused the order's last payout or refund. */
async function refusalOf(order: CreatedOrder, kind: string, service: TestService = file.current()): Promise<string> {
	return eventually(`the ${kind} of ${order.id} to be refused`, async () => {
		const [row] = await service.sql<{ id: string }>(
			'SELECT id FROM transactions WHERE order_id = ? AND kind = ?',
			order.id,
			kind,
		);
		const line = service.logged('payout_refused').find(({ payoutId }) => payoutId === row?.id);
		return line && String(line['reason']);
	});
}

const attentionOf = async (order: CreatedOrder, service = file.current()): Promise<string[]> =>
	(await service.operator<{ attention: string[] }>('order/show', { id: order.id })).attention;

const limits = async () =>
	(await file.current().operator<{ signer: Record<string, string> }>('site/show')).signer as Record<string, string>;

async function inEmergency(amount: string): Promise<CreatedOrder> {
	const order = await newOrder();
	await deposit(order, amount);
	await until(order, 'EMERGENCY');
	return order;
}

describe('an order worth more than the signer may sign in a day', () => {
	it('is refused: from.max is below the cap, and an order of from.max is accepted', async () => {
		const { data } = await signed<{ from: { max: string } }>(file.current(), partner, '/api/v1/price', createBody());
		expect(Number(data.from.max) * 95).toBeLessThanOrEqual(300);
		expect(Number(data.from.max) * 95).toBeGreaterThan(280);
		expect((await create(file.current(), partner, { amount: data.from.max })).code).toBe(0);
		expect((await create(file.current(), partner, { amount: '3.1' })).code).toBe(8);
	});

	it('because of its deposit is EMERGENCY with LIMIT though the pair allows it; EXCHANGE is accepted, and the deposit is sent back', async () => {
		const order = await inEmergency('10');
		expect((await readOrder(file.current(), partner, order)).emergency.status).toEqual(['LIMIT']);
		const { id, token } = order;
		const answer = await signed(file.current(), partner, '/api/v1/emergency', { id, token, choice: 'EXCHANGE' });
		expect(answer.data).toBe(true);
		// Other orders are made and paid meanwhile.
		const other = await inEmergency('0.1');
		expect((await readOrder(file.current(), partner, order)).status).toBe('EMERGENCY');
		expect(await file.current().sql('SELECT id FROM transactions WHERE order_id = ?', order.id)).toEqual([]);
		expect(await attentionOf(order)).toEqual([
			expect.stringMatching(/exchange was chosen .*more than the signer may sign/),
		]);

		for (const each of [order, other]) {
			await file.current().operator('order/refund', { id: each.id });
			expect((await until(each, 'EXPIRED')).back.tx.id).toBeTruthy();
		}
	});
});

describe('the signer’s counters of a day', () => {
	it('payouts above the cap wait and say what is used and what remains; refunds continue under their own cap', async () => {
		const before = await limits();
		// The tests above refunded 10.1 LTC and made no payout.
		expect(before).toMatchObject({ payoutCapUsd: '300.00', payoutUsedUsd: '0.00', refundCapUsd: '1500.00' });
		expect(Number(before['refundUsedUsd'])).toBeGreaterThan(959);

		const paid = await newOrder();
		await deposit(paid, '2');
		await until(paid, 'DONE');
		const waits = await newOrder();
		await deposit(waits, '2');
		expect(await refusalOf(waits, 'payout')).toMatch(
			/^daily cap of the signer: 190\.00 USD is more than is left today, 109\.\d\d USD; 190\.\d\d of 300\.00 USD are used; it goes on after 00:00 UTC, or raise SIGNER_DAILY_\w*CAP_USD of the signer$/,
		);

		const shown = await eventually('the reason to be stored', async () => {
			const { payouts } = await file
				.current()
				.operator<{ payouts: { held: string | null; waitsBecause: string | null; waitsSince: string | null }[] }>(
					'order/show',
					{ id: waits.id },
				);
			return payouts[0]?.waitsBecause ? payouts[0] : null;
		});
		expect(shown).toMatchObject({
			held: null,
			waitsBecause: expect.stringMatching(/^daily cap of the signer: 190\.00 USD/),
			waitsSince: expect.stringMatching(/^20/),
		});

		const back = await inEmergency('0.3');
		await file.current().operator('order/refund', { id: back.id });
		await until(back, 'EXPIRED');
		expect((await limits())['payoutUsedUsd']).toMatch(/^190\.\d\d$/);

		const tooMuch = await inEmergency('8');
		await file.current().operator('order/refund', { id: tooMuch.id });
		expect(await refusalOf(tooMuch, 'refund')).toMatch(
			/^daily refund cap of the signer: 760\.00 USD is more than is left today, 51\d\.\d\d USD; 98\d\.\d\d of 1500\.00 USD are used; it goes on after 00:00 UTC, or raise SIGNER_DAILY_\w*CAP_USD of the signer$/,
		);
		const never = await inEmergency('20');
		await file.current().operator('order/refund', { id: never.id });
		expect(await refusalOf(never, 'refund')).toMatch(
			/^daily refund cap of the signer: 1900\.00 USD is more than 1500\.00 USD, all of a day \(SIGNER_DAILY_REFUND_CAP_USD\)$/,
		);
		await eventually('the operator to be told', async () =>
			(await attentionOf(never)).some((line) => line.includes('SIGNER_DAILY_REFUND_CAP_USD')),
		);
	});
});

describe('a network on nodes, and no SIGNER_DAILY_CAP_USD', () => {
	let service: TestService | null = null;

	afterAll(() => service?.local.stop());

	it('nothing is signed until it is set; payout, network check and site show say so, and no order is taken', async () => {
		const order = await newOrder();
		const { local, stateDirectory } = file.current();
		await local.stop();

		const onNodes = { NODE_URL_DASH: 'http://127.0.0.1:9', NODE_CHAIN_DASH: 'regtest' };
		service = await startTestService({ ...onNodes, SIGNER_DAILY_CAP_USD: '' }, stateDirectory);
		await deposit(order, '2', service);
		expect(await refusalOf(order, 'payout', service)).toMatch(/^SIGNER_DAILY_CAP_USD is not set/);
		expect((await readOrder(service, partner, order)).status).toBe('EXCHANGE');
		expect(await attentionOf(order, service)).toEqual([expect.stringContaining('SIGNER_DAILY_CAP_USD is not set')]);
		await askSigner(service);
		expect((await create(service, partner)).code).toBe(8);
		expect((await service.operator<{ signer: unknown }>('site/show')).signer).toMatchObject({ payoutCapUsd: '0.00' });
		const { checks } = await service.operator<{ checks: { what: string; ok: boolean; detail: string }[] }>(
			'network/check',
			{ name: 'Dash' },
		);
		expect(checks.find(({ what }) => what === 'daily cap')).toMatchObject({
			ok: false,
			detail: expect.stringContaining('SIGNER_DAILY_CAP_USD is not set'),
		});
		await service.local.stop();

		service = await startTestService({ ...onNodes, SIGNER_DAILY_CAP_USD: '5000' }, stateDirectory);
		await service.sql('UPDATE transactions SET next_attempt_at = 0 WHERE order_id = ?', order.id);
		await untilStatus(service, partner, order, 'DONE');
	}, 60_000);
});

describe('a SIGNER_RATE_TOLERANCE_BPS that is not a number', () => {
	let service: TestService | null = null;

	afterAll(() => service?.local.stop());

	it('signs nothing, and every payout names the variable', async () => {
		service = await startTestService({}, undefined, { SIGNER_RATE_TOLERANCE_BPS: '2%' });
		const own = await createPartner(service, { weightPerMinute: 1_000_000 });
		const { data: order } = await create(service, own);
		await deposit(order, '2', service);
		const why = "the signer's SIGNER_RATE_TOLERANCE_BPS is not a whole number from 0 to 9999";
		expect(await refusalOf(order, 'payout', service)).toBe(why);
		expect(await attentionOf(order, service)).toEqual([expect.stringContaining(why)]);
	});
});
