/**
 * Partner earnings, from swaps to `partner.paid_out` (book: contract, "Partner earnings"), paid through the operator's
 * commands (book: run, "Earnings and withdrawals").
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { partnerPaidOut } from '../../src/webhooks/events/partner-paid-out.ts';
import { changedAgo, earn as earnOn, paidTo as paidToOn, payoutsTo, type ShownPayout } from '../support/earnings.ts';
import { operatorOf } from '../support/operator.ts';
import { ETH_RECIPIENT, LTC_REFUND } from '../support/orders.ts';
import { type Credentials, createPartner } from '../support/partner.ts';
import { eventually, sharedService } from '../support/service.ts';
import { startWebhookReceiver, verify, type WebhookReceiver } from '../support/webhook-receiver.ts';

const service = sharedService();
const { run, json } = operatorOf(service.current);
const PAYOUT_ADDRESS = 'ltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c2rkk4wh';
const THIEF = '0x000000000000000000000000000000000000bEEF';
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

interface Earnings {
	readonly earnedUsd: string;
	readonly owedUsd: string;
	readonly owed: readonly Record<string, unknown>[];
	readonly payouts: readonly ShownPayout[];
}

const newTxId = () => (++transactions).toString(16).padStart(64, 'a');
const operator = <T = Record<string, unknown>>(command: string, input?: Record<string, unknown>) =>
	service.current().operator<T>(command, input);
const sql = <T = Record<string, unknown>>(statement: string, ...values: unknown[]) =>
	service.current().sql<T>(statement, ...values);
const show = () => operator<Earnings & Record<string, unknown>>('earnings/show', { partner: partner.id });
const payOut = (txId?: string) => operator<ShownPayout>('earnings/pay-out', { partner: partner.id, txId });
const update = (more: Record<string, unknown>) => operator('partner/update', { id: partner.id, ...more });

/** The error message of the command. */
const refusal = (txId?: string): Promise<string> =>
	payOut(txId).then(
		({ payoutId }) => `payout ${payoutId} is not refused`,
		(error: Error) => error.message.replace('operator earnings/pay-out: ', ''),
	);

const setAddress = (payoutAddress: string, payoutAsset = 'LTC') => update({ payoutAsset, payoutAddress });
const paidTo = (address = PAYOUT_ADDRESS, asset = 'LTC') => paidToOn(service.current(), partner, address, { asset });
const earn = (...bodies: Record<string, unknown>[]) => earnOn(service.current(), partner, ...bodies);

const untilPaid = (payoutId: string): Promise<ShownPayout> =>
	eventually(`payout ${payoutId} to be sent`, async () => {
		const payout = (await show()).payouts.find((shown) => shown.payoutId === payoutId);
		return payout && ['sent', 'final'].includes(payout.state) ? payout : null;
	});

/** Runs while payouts of LTC are switched off. */
async function whileStopped<T>(work: () => Promise<T> | T): Promise<T> {
	await operator('network/update', { name: 'Litecoin', send: false });
	try {
		return await work();
	} finally {
		await operator('network/update', { name: 'Litecoin', send: true });
	}
}

const TO_ETH = {};
const TO_LTC = { fromCcy: 'ETH', toCcy: 'LTC', amount: '1', toAddress: LTC_REFUND, refundAddress: ETH_RECIPIENT };

const isPaidOut = ({ json: body }: { readonly json: unknown }) =>
	(body as { readonly type: string }).type === 'partner.paid_out';

describe('earnings pay-out', () => {
	it('pays what is owed in all assets in the payout asset, by itself, and announces it', async () => {
		const address = 'ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9';
		await paidTo(address);
		await earn(TO_ETH, TO_ETH, TO_LTC);
		const before = await show();
		// 2 × 3.80 USD in ETH at 95 USD is 0.08 LTC; 2 % of 1 ETH at 3200 USD is 64 USD, 0.67368421 LTC, kept as it was
		// earned.
		const owed = Object.fromEntries(before.owed.map(({ asset, amount }) => [asset, amount]));
		expect(owed).toEqual({ ETH: '0.002375', LTC: '0.67368421' });
		const planned = await json<ShownPayout>('earnings', 'pay-out', partner.id);
		const what = { asset: 'LTC', network: 'Litecoin', amount: '0.75368421', usd: '71.59', address, orderCount: 3 };
		expect(planned).toMatchObject({ partnerId: partner.id, payer: 'service', held: null, ...what });
		const webhook = await receiver.waitFor(isPaidOut);
		expect(verify(webhook, partner.webhookSecret)).toBe(true);
		const paid = await untilPaid(planned.payoutId);
		const { payoutId, txId } = paid;
		expect(webhook.json).toEqual({
			id: expect.any(String),
			type: 'partner.paid_out',
			createdAt: expect.any(String),
			apiVersion: 'v1',
			data: { payoutId, txId, ...what },
		});
		expect(partnerPaidOut.schema.parse(webhook.json)).toEqual(webhook.json);
		// The whole amount arrives, because the house pays the network fee.
		expect(await payoutsTo(service.current(), 'Litecoin', address)).toMatchObject([{ txId, amount: '75368421' }]);
		expect(await show()).toMatchObject({
			earnedUsd: before.earnedUsd,
			owedUsd: '0.00',
			owed: [],
			payouts: [{ payoutId }],
		});
		expect(await refusal()).toContain('nothing is owed');
		expect(await operator('ledger/check')).toMatchObject({ differences: 0, unbalanced: [] });
	});

	it('with --tx-id books a payment that the operator has made by hand, and announces it', async () => {
		await paidTo();
		await earn(TO_ETH, TO_LTC);
		const txId = newTxId();
		const paid = await payOut(txId);
		const data = { asset: 'LTC', network: 'Litecoin', amount: '0.71368421', usd: '67.79', address: PAYOUT_ADDRESS };
		expect(paid).toMatchObject({ payer: 'operator', state: 'booked', txId, orderCount: 2, ...data });
		const webhook = await receiver.waitFor(isPaidOut);
		expect(webhook.json).toMatchObject({ data: { payoutId: paid.payoutId, txId, orderCount: 2, ...data } });
		expect(await show()).toMatchObject({ owed: [], payouts: [{ payoutId: paid.payoutId, txId, state: 'booked' }] });
		expect(await refusal(newTxId())).toContain('nothing is owed');
		expect(await operator('ledger/check')).toMatchObject({ differences: 0, unbalanced: [] });
	});

	it('that was signed and can no longer arrive is closed with the operator’s own payment, and announced once', async () => {
		await paidTo();
		await earn(TO_ETH);
		onTestFinished(() => sql('DROP TRIGGER IF EXISTS dies').then(() => undefined));
		await sql(
			`CREATE TRIGGER dies AFTER UPDATE ON transactions WHEN NEW.kind = 'earnings' AND NEW.state = 'signed' AND NEW.blocked_kind IS NULL BEGIN
				UPDATE transactions SET next_attempt_at = 9000000000000001, final_at = 1,
					blocked_kind = 'taken', blocked_facts = '{"message":"too late"}' WHERE id = NEW.id; END`,
		);
		const { payoutId: id } = await payOut();
		const dead = await eventually('it to be blocked', async () => (await show()).payouts.find(({ held }) => held));
		await sql('DROP TRIGGER dies');
		expect(dead).toMatchObject({ payoutId: id, state: 'signed' });
		const txId = newTxId();
		const settled = await json('payout', 'settle', id, '--tx-id', txId, '--reason', 'paid from the other wallet');
		expect(settled).toMatchObject({ id, kind: 'earnings', state: 'final', settledTxId: txId });
		const webhook = await receiver.waitFor(isPaidOut);
		expect(webhook.json).toMatchObject({ data: { payoutId: id, txId, amount: '0.04' } });
		expect(await show()).toMatchObject({ owed: [], payouts: [{ payoutId: id, payer: 'operator', txId, held: null }] });
		expect(await refusal()).toContain('nothing is owed');
		expect((await run('payout', 'settle', id, '--tx-id', newTxId(), '--reason', 'again')).stderr).toContain(
			'settled already',
		);
		expect(await payoutsTo(service.current(), 'Litecoin', PAYOUT_ADDRESS)).not.toContainEqual(
			expect.objectContaining({ txId: dead?.txId }),
		);
		expect(await operator('ledger/check')).toMatchObject({ differences: 0, unbalanced: [] });
		const settling = "SELECT changes FROM audit_log WHERE command = 'payout settle' AND subject = ?";
		const [audit] = await sql<{ changes: string }>(settling, id);
		expect(JSON.parse(audit?.changes ?? '')).toEqual({
			txId,
			instead: dead?.txId,
			reason: 'paid from the other wallet',
		});
	});

	it('counters never go down, and every order’s entries still sum to zero per asset', async () => {
		await paidTo(ETH_RECIPIENT, 'ETH');
		await earn(TO_ETH, TO_LTC);
		const counters = await operator('partner/show', { id: partner.id });
		await untilPaid((await payOut()).payoutId);
		expect(await operator('partner/show', { id: partner.id })).toEqual(counters);
		expect(await operator('ledger/check')).toMatchObject({ differences: 0, unbalanced: [] });
	});

	it('a planned payout waits while its payouts are stopped, and keeps its amount', async () => {
		await paidTo();
		await earn(TO_ETH);
		onTestFinished(() => operator('sandbox/price', { coin: 'LTC', usd: '95' }).then(() => undefined));
		const planned = await whileStopped(async () => {
			const first = await payOut();
			expect(first).toMatchObject({ state: 'planned', amount: '0.04', txId: null, paidAt: null });
			// A small change: the signer's prices may be seconds old, and its tolerance is 2 %.
			await operator('sandbox/price', { coin: 'LTC', usd: '96' });
			await earn(TO_ETH);
			expect(await payOut()).toEqual(first);
			expect(await show()).toMatchObject({ payouts: [{ state: 'planned', txId: null }] });
			await operator('sandbox/price', { coin: 'LTC', usd: '95' });
			return first;
		});
		expect(await untilPaid(planned.payoutId)).toMatchObject({ amount: '0.04', orderCount: 1 });
		// The 3.84 USD earned in the meantime belong to the next payout.
		expect(await show()).toMatchObject({ owedUsd: '3.84' });
		expect(await untilPaid((await payOut()).payoutId)).toMatchObject({ amount: '0.04042105', orderCount: 1 });
	});

	it('a changed address waits 24 h', async () => {
		await earn(TO_ETH);
		expect(await refusal()).toContain('has no payout address');
		await setAddress(PAYOUT_ADDRESS);
		for (const txId of [undefined, newTxId()]) expect(await refusal(txId)).toContain('it can be used from 20');
		await changedAgo(service.current(), partner.id, 23.9);
		expect(await refusal()).toContain('it can be used from 20');
		await changedAgo(service.current(), partner.id, 24);
		expect(await untilPaid((await payOut()).payoutId)).toMatchObject({ address: PAYOUT_ADDRESS, amount: '0.04' });
		expect((await show()).payouts).toHaveLength(1);
	});

	it('an address of the service is none that earnings go to, however it is written', async () => {
		const [order] = await earn(TO_ETH);
		await earn(TO_LTC);
		const [{ address } = { address: '' }] = await sql<{ address: string }>(
			"SELECT pay_in_address AS address FROM orders WHERE from_asset = 'ETH' AND partner_id = ?",
			partner.id,
		);
		const [ltc, eth] = [await service.current().hotAddress('Litecoin'), await service.current().hotAddress('Ethereum')];
		for (const [own, asset] of [
			...[ltc, ltc.toUpperCase(), String(order?.from.address)].map((each) => [each, 'LTC'] as const),
			...[eth, eth.toLowerCase(), address].map((each) => [each, 'USDTERC20'] as const),
		])
			await expect(setAddress(own, asset), own).rejects.toThrow('is an address of this service');
		expect(await sql('SELECT payout_seal FROM partners WHERE id = ?', partner.id)).toEqual([{ payout_seal: null }]);
		// Who has SEAL_KEY writes it with its seal, and the signer knows its own.
		await sql("UPDATE partners SET payout_asset = 'LTC', payout_address = ? WHERE id = ?", ltc, partner.id);
		await changedAgo(service.current(), partner.id, 24);
		expect(await refusal()).toContain('is not the one that was set last');
		await setAddress(PAYOUT_ADDRESS);
		await changedAgo(service.current(), partner.id, 24);
		expect(await untilPaid((await payOut()).payoutId)).toMatchObject({ address: PAYOUT_ADDRESS });
	});

	it('an address without a seal is set again, and waits', async () => {
		await paidTo();
		await earn(TO_ETH);
		await sql('UPDATE partners SET payout_seal = NULL WHERE id = ?', partner.id);
		expect(await refusal()).toContain('has no valid seal; set the address again');
		await setAddress(PAYOUT_ADDRESS);
		expect(await refusal()).toContain('it can be used from 20');
		await changedAgo(service.current(), partner.id, 24);
		expect(await untilPaid((await payOut()).payoutId)).toMatchObject({ address: PAYOUT_ADDRESS });
	});

	it('an address that somebody wrote into the database is not sealed with another asset, nor with the same', async () => {
		await paidTo(ETH_RECIPIENT, 'ETH');
		const row = () => sql('SELECT payout_asset, payout_address, payout_seal FROM partners WHERE id = ?', partner.id);
		await sql('UPDATE partners SET payout_address = ? WHERE id = ?', THIEF, partner.id);
		const written = await row();
		for (const payoutAsset of ['USDTERC20', 'ETH'])
			await expect(update({ payoutAsset })).rejects.toThrow('has no valid seal; give the address as well');
		expect(await row()).toEqual(written);
		await setAddress(ETH_RECIPIENT, 'USDTERC20');
		await update({ payoutAsset: 'ETH' });
		expect(await row()).toEqual([
			{ payout_asset: 'ETH', payout_address: ETH_RECIPIENT, payout_seal: expect.any(String) },
		]);
	});

	it('an asset that somebody wrote into the database is not sealed with a new address, nor with the same', async () => {
		await update({ payoutAsset: 'LTC' });
		const row = () => sql('SELECT payout_asset, payout_address, payout_seal FROM partners WHERE id = ?', partner.id);
		const writes = () => sql("UPDATE partners SET payout_asset = 'USDTERC20' WHERE id = ?", partner.id);
		await writes();
		const none = { payout_asset: 'USDTERC20', payout_address: null, payout_seal: null };
		await expect(update({ payoutAddress: ETH_RECIPIENT })).rejects.toThrow('no valid seal; give the asset as well');
		expect(await row()).toEqual([none]);
		await setAddress(ETH_RECIPIENT, 'ETH');
		const [{ payout_seal: seal } = {}] = await row();
		await writes();
		for (const payoutAddress of [THIEF, ETH_RECIPIENT])
			await expect(update({ payoutAddress })).rejects.toThrow('no valid seal; give the asset as well');
		expect(await row()).toEqual([{ ...none, payout_address: ETH_RECIPIENT, payout_seal: seal }]);
		await setAddress(ETH_RECIPIENT, 'ETH');
		await update({ payoutAddress: THIEF });
		expect(await row()).toEqual([{ payout_asset: 'ETH', payout_address: THIEF, payout_seal: expect.any(String) }]);
	});

	it('a payout planned to the partner’s former address is planned again', async () => {
		const left = 'ltc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qmu8tk5';
		await paidTo(left);
		await earn(TO_ETH);
		await whileStopped(async () => {
			expect(await payOut()).toMatchObject({ state: 'planned', address: left });
			await setAddress(ETH_RECIPIENT, 'ETH');
			expect(await refusal()).toContain('it can be used from 20');
			await changedAgo(service.current(), partner.id, 24);
			const paid = await untilPaid((await payOut()).payoutId);
			expect(paid).toMatchObject({ address: ETH_RECIPIENT, amount: '0.0011875' });
		});
		expect((await show()).payouts).toHaveLength(1);
		expect(await payoutsTo(service.current(), 'Litecoin', left)).toEqual([]);
	});

	it('refuses a payout worth less than its network fee', async () => {
		await update({ afftaxBps: 1 });
		await paidTo(ETH_RECIPIENT, 'USDTERC20');
		await earn(TO_ETH);
		expect(await refusal()).toMatch(
			/0\.019 USDTERC20 that are owed are less than their network fee of 0\.4 USDTERC20; wait/,
		);
		expect((await show()).payouts).toEqual([]);
	});

	it('refuses a payout that the hot wallet does not hold, as by a wrong price, and owes nothing more for it', async () => {
		await paidTo();
		await earn(TO_ETH);
		// Once it was planned, nothing of its size could be added up, and nothing went back by itself on its network.
		await operator('sandbox/price', { coin: 'ETH', usd: `1${'0'.repeat(14)}` });
		try {
			expect(await refusal()).toMatch(
				/by the prices of now \d{9,}\S* LTC are owed, and the hot wallet holds \d+(\.\d+)? LTC; see price list/,
			);
			expect((await show()).payouts).toEqual([]);
		} finally {
			await operator('sandbox/price', { coin: 'ETH', usd: '3200' });
		}
		await untilPaid((await payOut()).payoutId);
	});

	it('books a transaction once, whichever partner it paid and however its id is written, and none of the service’s own', async () => {
		await paidTo();
		await earn(TO_ETH);
		const txId = newTxId();
		const { payoutId } = await payOut(txId);
		await earn(TO_ETH);
		expect(await refusal(txId.toUpperCase())).toBe(`transaction ${txId} is booked already, as payout ${payoutId}`);
		partner = await createPartner(service.current(), { afftaxBps: AFFTAX_BPS });
		await paidTo();
		await earn(TO_ETH);
		expect(await refusal(txId)).toContain('is booked already');
		expect(await refusal('two words')).toContain('must be a transaction id');
		const [own] = await sql<{ tx_id: string }>(
			"SELECT tx_id FROM transactions WHERE tx_id IS NOT NULL AND kind = 'payout'",
		);
		expect(await refusal(String(own?.tx_id))).toContain('is one that the service made itself');
	});

	it('a planned payout can be paid by hand until it is signed, and the service then does not pay it', async () => {
		const address = 'LM2WMpR1Rp6j3Sa59cMXMs1SPzj9eXpGc1';
		await paidTo(address);
		await earn(TO_ETH);
		await whileStopped(async () => {
			const { payoutId } = await payOut();
			expect(await payOut(newTxId())).toMatchObject({ payoutId, payer: 'operator', state: 'booked' });
		});
		await earn(TO_ETH);
		const { payoutId } = await payOut();
		await untilPaid(payoutId);
		expect(await payoutsTo(service.current(), 'Litecoin', address)).toHaveLength(1);
		expect(await refusal(newTxId())).toContain('nothing is owed');
	});

	it('a payout that the signer has signed is never given up, even while D1 does not show the signature', async () => {
		await paidTo();
		await earn(TO_ETH);
		const forgets = `CREATE TRIGGER forgets BEFORE UPDATE ON transactions WHEN NEW.kind = 'earnings' AND NEW.state = 'signed'
			BEGIN SELECT RAISE(ABORT, 'the answer is lost'); END`;
		onTestFinished(() => sql('DROP TRIGGER IF EXISTS forgets').then(() => undefined));
		await sql(forgets);
		const { payoutId } = await payOut();
		const isSigned = `the service has signed payout ${payoutId}`;
		const forgot = async () =>
			JSON.stringify(service.current().logged('poll_part_failed')).includes('the answer is lost');
		await eventually('it to be signed', forgot);
		expect(await refusal(newTxId())).toContain(isSigned);
		await paidTo(ETH_RECIPIENT, 'ETH');
		expect(await refusal()).toContain(isSigned);
		await sql('DROP TRIGGER forgets');
		expect(await untilPaid(payoutId)).toMatchObject({ address: PAYOUT_ADDRESS, amount: '0.04' });
		expect(await show()).toMatchObject({ owed: [] });
	});

	it('of several concurrent commands, one pays, once', async () => {
		await paidTo(PAYOUT_ADDRESS);
		await earn(TO_ETH, TO_ETH);
		const before = (await payoutsTo(service.current(), 'Litecoin', PAYOUT_ADDRESS)).length;
		const answers = await Promise.allSettled(
			Array.from({ length: 6 }, (_, i) => payOut(i === 5 ? newTxId() : undefined)),
		);
		const known = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value.payoutId] : []));
		expect(new Set(known).size).toBe(1);
		const payout = await eventually('it to be paid', async () => {
			const [first] = (await show()).payouts;
			return first?.txId ? first : null;
		});
		expect(payout.payoutId).toBe(known[0]);
		expect(await show()).toMatchObject({ owed: [], payouts: [{ orderCount: 2 }] });
		const after = (await payoutsTo(service.current(), 'Litecoin', PAYOUT_ADDRESS)).length;
		expect(after - before).toBe(payout.payer === 'service' ? 1 : 0);
	});

	it.each(['planned before', 'not planned'])('of several concurrent commands, one books it, %s', async (planned) => {
		await paidTo();
		await earn(TO_ETH, TO_ETH);
		await whileStopped(async () => {
			if (planned === 'planned before') await payOut();
			const answers = await Promise.allSettled(Array.from({ length: 6 }, () => payOut(newTxId())));
			const won = answers.filter((answer) => answer.status === 'fulfilled').map(({ value }) => value);
			expect(won).toHaveLength(1);
			const lost = answers.filter((answer) => answer.status === 'rejected').map(({ reason }) => String(reason));
			for (const why of lost) expect(why).toMatch(/was not written, another one may have come first|nothing is owed/);
			expect(await show()).toMatchObject({ owed: [], payouts: [{ payoutId: won[0]?.payoutId, txId: won[0]?.txId }] });
			const rows = 'SELECT 1 FROM webhook_events WHERE partner_id = ? AND type = ?';
			expect(await sql(rows, partner.id, 'partner.paid_out')).toHaveLength(1);
			const closed = await sql<{ amount: string }>(
				'SELECT amount FROM ledger_entries WHERE account = ? AND cause = ?',
				'partnerPaid',
				`paid out ${won[0]?.payoutId}`,
			);
			expect(closed.map(({ amount }) => amount)).toEqual(['-1187500000000000', '-1187500000000000']);
		});
	});

	it('notifies only partners that chose the event, and every step is in the audit log', async () => {
		await update({ events: ['order.status_changed'] });
		await paidTo();
		await earn(TO_ETH);
		await whileStopped(async () => {
			await payOut();
			await payOut(newTxId());
		});
		const events = 'SELECT 1 FROM webhook_events WHERE partner_id = ? AND type = ?';
		expect(await sql(events, partner.id, 'partner.paid_out')).toEqual([]);
		const audited = await sql<{ changes: string }>(
			'SELECT changes FROM audit_log WHERE subject = ? AND command = ? ORDER BY at',
			partner.id,
			'earnings pay-out',
		);
		expect(audited.map(({ changes }) => Object.keys(JSON.parse(changes))[0])).toEqual(['planned', 'paid']);
	});

	it('refuses an unknown partner', async () => {
		expect(await run('earnings', 'pay-out', 'nobody')).toMatchObject({ status: 1, stdout: '' });
	});
});
