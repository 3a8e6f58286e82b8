/** Partner earnings (decisions.md), from swaps to `partner.paid_out`, as the operator pays them (operator.md). */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { WEBHOOK_SCHEMAS } from '../../src/docs/webhooks.ts';
import { operatorOf } from '../support/operator.ts';
import { create, ETH_RECIPIENT, LTC_REFUND, untilStatus } from '../support/orders.ts';
import { type Credentials, createPartner } from '../support/partner.ts';
import { serviceForFile } from '../support/service.ts';
import { startWebhookReceiver, verify, type WebhookReceiver } from '../support/webhook-receiver.ts';

const service = serviceForFile();
const { run, json } = operatorOf(service.current);
const PAYOUT_ADDRESS = 'ltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c2rkk4wh';
/** 2 % of a swap of 2 LTC at 95 USD is 3.80 USD, 0.04 LTC. */
const AFFTAX_BPS = 200;
let partner: Credentials;
let receiver: WebhookReceiver;
let transactions = 0;

beforeAll(async () => {
	receiver = await startWebhookReceiver();
});
afterAll(() => receiver.close());
beforeEach(async () => {
	receiver.clear();
	partner = await createPartner(service.current(), { webhookUrl: receiver.url, afftaxBps: AFFTAX_BPS });
});

interface Payout {
	readonly payoutId: string;
	readonly amount: string;
	readonly txId: string | null;
}
interface Earnings {
	readonly earnedUsd: string;
	readonly owedUsd: string;
	readonly owed: readonly Record<string, unknown>[];
	readonly payouts: readonly Payout[];
}

const newTxId = () => (++transactions).toString(16).padStart(64, 'a');
const show = () => json<Earnings & Record<string, unknown>>('earnings', 'show', partner.id);
const payOut = (...more: string[]) => json<Payout>('earnings', 'pay-out', partner.id, ...more);

/** What the command says is wrong: one line, exit status 1, nothing on standard output. */
function refusal(...more: string[]): string {
	const { status, stdout, stderr } = run('earnings', 'pay-out', partner.id, ...more);
	expect([status, stdout, stderr.trim().split('\n').length]).toEqual([1, '', 1]);
	return stderr.trim();
}

const paidTo = (address: string, asset = 'LTC') =>
	json('partner', 'update', partner.id, '--payout-asset', asset, '--payout-address', address);

/** As if the address had been set `hours` ago. */
const changedAgo = (hours: number) =>
	service
		.current()
		.sql('UPDATE partners SET payout_address_changed_at = ? WHERE id = ?', Date.now() - hours * 3_600_000, partner.id);

async function usableAddress(address = PAYOUT_ADDRESS, asset = 'LTC'): Promise<void> {
	paidTo(address, asset);
	await changedAgo(24);
}

/** Swaps until DONE; the afftax of each is earned. */
async function earn(...bodies: Record<string, unknown>[]): Promise<void> {
	for (const body of bodies) {
		const { data: order } = await create(service.current(), partner, body);
		json('sandbox', 'deposit', order.id);
		await untilStatus(service.current(), partner, order, 'DONE');
	}
}

const TO_ETH = {};
const TO_LTC = { fromCcy: 'ETH', toCcy: 'LTC', amount: '1', toAddress: LTC_REFUND, refundAddress: ETH_RECIPIENT };

const isPaidOut = ({ json: body }: { readonly json: unknown }) =>
	(body as { readonly type: string }).type === 'partner.paid_out';

describe('earnings pay-out', () => {
	it('pays what is owed in all assets in the payout asset, and announces it', async () => {
		await usableAddress();
		await earn(TO_ETH, TO_ETH, TO_LTC);
		const before = show();
		const txId = newTxId();
		const paid = payOut('--tx-id', txId);
		// 2 × 3.80 USD in ETH at 95 USD is 0.08 LTC; 2 % of 1 ETH at 3200 USD is 64 USD, 0.67368421 LTC, kept as it was earned.
		const owed = Object.fromEntries(before.owed.map(({ asset, amount }) => [asset, amount]));
		expect(owed).toEqual({ ETH: '0.002375', LTC: '0.67368421' });
		const data = {
			payoutId: paid.payoutId,
			asset: 'LTC',
			network: 'Litecoin',
			amount: '0.75368421',
			usd: '71.59',
			address: PAYOUT_ADDRESS,
			txId,
			orderCount: 3,
		};
		expect(paid).toMatchObject({ partnerId: partner.id, ...data });
		const webhook = await receiver.waitFor(isPaidOut);
		expect(verify(webhook, partner.webhookSecret)).toBe(true);
		expect(webhook.json).toEqual({
			id: expect.any(String),
			type: 'partner.paid_out',
			createdAt: expect.any(String),
			apiVersion: 'v1',
			data,
		});
		expect(WEBHOOK_SCHEMAS['partner.paid_out'].parse(webhook.json)).toEqual(webhook.json);
		expect(show()).toMatchObject({
			earnedUsd: before.earnedUsd,
			owedUsd: '0.00',
			owed: [],
			payouts: [{ payoutId: paid.payoutId, txId, amount: '0.75368421' }],
		});
		expect(refusal('--tx-id', newTxId())).toContain('nothing is owed');
	});

	it('counters never go down, and every order’s entries still sum to zero per asset', async () => {
		await usableAddress();
		await earn(TO_ETH, TO_LTC);
		const counters = json('partner', 'show', partner.id);
		payOut('--tx-id', newTxId());
		expect(json('partner', 'show', partner.id)).toEqual(counters);
		expect(json('ledger', 'check')).toMatchObject({ differences: 0, unbalanced: [] });
	});

	it('without --tx-id says exactly what to pay and where, and that stands until it is booked', async () => {
		await usableAddress();
		await earn(TO_ETH);
		const said = refusal();
		expect(said).toContain(`pay 0.04 LTC (3.80 USD, 1 order) to ${PAYOUT_ADDRESS} on Litecoin`);
		expect(said).toContain('--tx-id');
		expect(show()).toMatchObject({ owedUsd: '3.80', payouts: [{ amount: '0.04', txId: null, paidAt: null }] });
		json('sandbox', 'price', 'LTC', '190');
		await earn(TO_ETH);
		expect(refusal()).toBe(said);
		json('sandbox', 'price', 'LTC', '95');
		expect(payOut('--tx-id', newTxId())).toMatchObject({ amount: '0.04', orderCount: 1 });
		// What was earned in the meantime, twice as much, is for the next one.
		expect(show()).toMatchObject({ owedUsd: '7.60' });
		expect(payOut('--tx-id', newTxId())).toMatchObject({ amount: '0.08', orderCount: 1 });
	});

	it('a changed address waits 24 h', async () => {
		await earn(TO_ETH);
		expect(refusal('--tx-id', newTxId())).toContain('has no payout address');
		paidTo(PAYOUT_ADDRESS);
		for (const more of [[], ['--tx-id', newTxId()]]) expect(refusal(...more)).toContain('it can be used from 20');
		await changedAgo(23.9);
		expect(refusal('--tx-id', newTxId())).toContain('it can be used from 20');
		await changedAgo(24);
		expect(payOut('--tx-id', newTxId())).toMatchObject({ address: PAYOUT_ADDRESS, amount: '0.04' });
		expect(await service.current().sql('SELECT 1 FROM partner_payouts WHERE partner_id = ?', partner.id)).toHaveLength(
			1,
		);
	});

	it('a payout planned to an address that the partner has no more is planned anew', async () => {
		await usableAddress();
		await earn(TO_ETH);
		expect(refusal()).toContain(PAYOUT_ADDRESS);
		paidTo(ETH_RECIPIENT, 'ETH');
		expect(refusal()).toContain('it can be used from 20');
		await changedAgo(24);
		expect(refusal()).toContain(`pay 0.0011875 ETH (3.80 USD, 1 order) to ${ETH_RECIPIENT} on Ethereum`);
		expect(show().payouts).toHaveLength(1);
		expect(payOut('--tx-id', newTxId())).toMatchObject({ address: ETH_RECIPIENT, amount: '0.0011875' });
	});

	it('books a transaction once, whoever it paid, however its id is written', async () => {
		await usableAddress();
		await earn(TO_ETH);
		const txId = newTxId();
		const { payoutId } = payOut('--tx-id', txId);
		await earn(TO_ETH);
		expect(refusal('--tx-id', txId.toUpperCase())).toBe(`transaction ${txId} is booked already, as payout ${payoutId}`);
		partner = await createPartner(service.current(), { afftaxBps: AFFTAX_BPS });
		await usableAddress();
		await earn(TO_ETH);
		expect(refusal('--tx-id', txId)).toContain('is booked already');
		expect(refusal('--tx-id', 'two words')).toContain('must be a transaction id');
	});

	it.each(['planned before', 'not planned'])('of several at once one books it, %s', async (planned) => {
		await usableAddress();
		await earn(TO_ETH, TO_ETH);
		if (planned === 'planned before') refusal();
		const answers = await Promise.allSettled(
			Array.from({ length: 6 }, () =>
				service.current().operator<Payout>('earnings/pay-out', { partner: partner.id, txId: newTxId() }),
			),
		);
		const won = answers.filter((answer) => answer.status === 'fulfilled').map(({ value }) => value);
		expect(won).toHaveLength(1);
		const lost = answers.filter((answer) => answer.status === 'rejected').map(({ reason }) => String(reason));
		for (const why of lost) expect(why).toMatch(/was not written, another one may have come first|nothing is owed/);
		expect(show()).toMatchObject({ owed: [], payouts: [{ payoutId: won[0]?.payoutId, txId: won[0]?.txId }] });
		const rows = 'SELECT 1 FROM webhook_events WHERE partner_id = ? AND type = ?';
		expect(await service.current().sql(rows, partner.id, 'partner.paid_out')).toHaveLength(1);
		const closed = await service
			.current()
			.sql<{ amount: string }>(
				'SELECT amount FROM ledger_entries WHERE account = ? AND cause = ?',
				'partnerPaid',
				`paid out ${won[0]?.payoutId}`,
			);
		expect(closed.map(({ amount }) => amount)).toEqual(['-1187500000000000', '-1187500000000000']);
	});

	it('tells only who chose to be told, and every step is in the audit log', async () => {
		json('partner', 'update', partner.id, '--events', 'order.status_changed');
		await usableAddress();
		await earn(TO_ETH);
		refusal();
		payOut('--tx-id', newTxId());
		const { sql } = service.current();
		const events = 'SELECT 1 FROM webhook_events WHERE partner_id = ? AND type = ?';
		expect(await sql(events, partner.id, 'partner.paid_out')).toEqual([]);
		const audited = await sql<{ changes: string }>(
			'SELECT changes FROM audit_log WHERE subject = ? AND command = ? ORDER BY at',
			partner.id,
			'earnings pay-out',
		);
		expect(audited.map(({ changes }) => Object.keys(JSON.parse(changes))[0])).toEqual(['planned', 'paid']);
	});

	it('knows no payout to nobody', () => {
		expect(run('earnings', 'pay-out', 'nobody')).toMatchObject({ status: 1, stdout: '' });
	});
});
