/**
 * A waiting transaction says why it waits, and one that cannot be made is taken back: kill switches, `payout give-up`,
 * `order refund`. Each test pays to a recipient of its own, so that the test sees what reached it.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import type { NetworkName } from '../../src/catalog/networks.ts';
import type { Answer, Remembered, SignOutcome } from '../../src/ports/signer.ts';
import type { SignerRefusal } from '../../src/treasury/signer-refusal.ts';
import { earn, paidTo, payoutsTo } from '../support/earnings.ts';
import { operatorOf } from '../support/operator.ts';
import { type CreatedOrder, create, LTC_REFUND, readOrder, untilStatus } from '../support/orders.ts';
import { type Credentials, createPartner, signed } from '../support/partner.ts';
import { sealSettlementAnew } from '../support/seals.ts';
import { eventually, serviceForFile } from '../support/service.ts';

const file = serviceForFile();
const { json, run } = operatorOf(file.current);
let partner: Credentials;
let recipients = 0;

beforeAll(async () => {
	const webhookUrl = 'http://127.0.0.1:9/';
	partner = await createPartner(file.current(), { weightPerMinute: 1_000_000, afftaxBps: 100, webhookUrl });
});

interface Shown {
	readonly attention: string[];
	readonly payouts: {
		id: string;
		kind: string;
		state: string;
		held: string | null;
		waitsBecause: string | null;
		waitsSince: string | null;
	}[];
	readonly ledger: { cause: string; account: string; amount: string }[];
	readonly history: { status: string; cause: string }[];
}

async function newOrder(toAddress = nextRecipient()): Promise<CreatedOrder> {
	const { data, text } = await create(file.current(), partner, { toAddress });
	expect(data?.id, text).toBeTruthy();
	return data;
}

const nextRecipient = () => `0x${(++recipients).toString(16).padStart(4, '0').padStart(40, 'c0de')}`;
const operator = <T = Record<string, unknown>>(command: string, input: unknown) =>
	file.current().operator<T>(command, input);
const deposit = ({ id }: CreatedOrder, amount?: string) =>
	operator('sandbox/deposit', { orders: [id], ...(amount && { amount }) });
const show = ({ id }: CreatedOrder) => operator<Shown>('order/show', { id });
const until = (order: CreatedOrder, status: string) => untilStatus(file.current(), partner, order, status);
const received = async ({ to }: CreatedOrder) => payoutsTo(file.current(), 'Ethereum', to.address);
const giveUp = (id: string) => operator('payout/give-up', { id, reason: 'it cannot be made' });
const refund = ({ id }: CreatedOrder) => operator<{ waitsBecause: string | null }>('order/refund', { id });
const eth = (active: boolean) => operator('asset/update', { code: 'ETH', active });

/** A paid order whose payout waits for the switch of ETH. */
async function stoppedOrder(): Promise<{ order: CreatedOrder; payoutId: string }> {
	await eth(true);
	const order = await eventually('an order to be taken', async () => {
		const { data } = await create(file.current(), partner, { toAddress: nextRecipient() });
		return data?.id ? data : null;
	});
	await eth(false);
	await deposit(order);
	await until(order, 'EXCHANGE');
	const [payout] = (await show(order)).payouts;
	return { order, payoutId: String(payout?.id) };
}

/** The books are balanced, and nothing of the order is owed to anybody. */
async function isUndone(order: CreatedOrder): Promise<void> {
	const sums = new Map<string, number>();
	for (const { account, amount } of (await show(order)).ledger)
		sums.set(account, (sums.get(account) ?? 0) + Number(amount));
	for (const account of ['payable', 'partnerPending', 'housePending', 'market'])
		expect([account, sums.get(account) ?? 0]).toEqual([account, 0]);
	await eventually('the books to agree with the wallets', async () => {
		const checked = await operator<{ differences: number; moving: number; unbalanced: unknown[] }>('ledger/check', {});
		return checked.differences + checked.moving + checked.unbalanced.length === 0;
	});
}

interface Vault {
	giveUp(payoutId: string, orderId: string | null): Promise<SignerRefusal | null>;
	sign(network: NetworkName, ids: readonly string[], remembered: Remembered): Promise<Answer<SignOutcome[]>>;
}
const vault = () => file.current().object<Vault>('VAULT', 'vault');

describe('a kill switch', () => {
	it('of one asset stops no payout or refund of another asset', async () => {
		const [order, small] = [await newOrder(), await newOrder()];
		await json('asset', 'update', 'DAIAVAX', '--active', 'false');
		await deposit(order);
		await deposit(small, '0.1');
		await until(order, 'DONE');
		await until(small, 'EMERGENCY');
		await json('order', 'refund', small.id);
		expect((await until(small, 'EXPIRED')).back.tx.id).toBeTruthy();
		await json('asset', 'update', 'DAIAVAX', '--active', 'true');
	});
});

describe('a payout that cannot be made', () => {
	it('is listed with its cause and given up; its order is refunded, and nothing is paid out', async () => {
		const { order, payoutId } = await stoppedOrder();
		const why = 'ETH is switched off; `asset update ETH --active on` lets it go on';
		const shown = await show(order);
		expect(shown.payouts[0]).toMatchObject({ state: 'planned', waitsBecause: why });
		expect(shown.attention).toEqual([
			`the payout waits: ${why}; if it cannot be made: \`payout give-up ${payoutId} --reason R\`, then \`order refund ${order.id}\``,
		]);
		const listed = await operator<{ id: string }[]>('order/list', { attention: true });
		expect(listed.map(({ id }) => id)).toContain(order.id);
		await expect(refund(order)).rejects.toThrow(
			new RegExp(`the payout of this order is planned since 20.*, waits because ETH is.*payout give-up ${payoutId}`),
		);

		expect(await json('payout', 'give-up', payoutId, '--reason', 'the recipient is closed')).toMatchObject({
			id: payoutId,
			orderId: order.id,
			state: 'given up',
		});
		expect((await readOrder(file.current(), partner, order)).status).toBe('EXCHANGE');
		expect((await show(order)).attention).toEqual([
			`a deposit of 2 LTC, of which the payout was given up, waits for \`order refund ${order.id}\``,
		]);
		await isUndone(order);
		const again = await run('payout', 'give-up', payoutId, '--reason', 'twice');
		expect([again.status, again.stderr]).toEqual([1, expect.stringContaining('was given up already, at 20')]);
		const audit = await file.current().sql("SELECT 1 FROM audit_log WHERE command = 'payout give-up'");
		expect(audit).toHaveLength(1);

		await eth(true);
		await refund(order);
		const ended = await until(order, 'EXPIRED');
		expect(ended.back.tx.id).toBeTruthy();
		expect(ended.to.tx.id).toBeNull();
		expect(await received(order)).toEqual([]);
		const { history } = await show(order);
		expect(history.slice(-2).map(({ status }) => status)).toEqual(['EXCHANGE', 'EXPIRED']);
		const told = await file
			.current()
			.sql<{ body: string }>("SELECT body FROM webhook_events WHERE order_id = ? AND body LIKE '%EXPIRED%'", order.id);
		expect(told).toHaveLength(1);
		await isUndone(order);
	});

	it('is never signed after a crash between signer and database, nor under another id; repeating the command completes it', async () => {
		const { order, payoutId } = await stoppedOrder();
		expect(await vault().giveUp(payoutId, order.id)).toBeNull();
		await eth(true);
		const attention = await eventually('the payout to be refused', async () => {
			const reasons = (await show(order)).attention;
			return reasons.find((reason) => reason.includes('is blocked')) ? reasons : null;
		});
		expect(attention[0]).toContain('the payout is blocked: it was given up: it is never signed');
		await giveUp(payoutId);

		const other = crypto.randomUUID();
		await file.current().sql('UPDATE deposits SET payout_id = ?2 WHERE order_id = ?1', order.id, other);
		await file.current().sql(
			`INSERT INTO transactions (id, order_id, kind, network, asset, to_address, amount, usd_cents, state, planned_at, next_attempt_at, settlement_seal)
			 SELECT ?2, id, 'payout', to_network, to_asset, to_address, '59000000000000000', 1, 'planned', 0, 4000000000000, ''
			 FROM orders WHERE id = ?1`,
			order.id,
			other,
		);
		await sealSettlementAnew(file.current(), other);
		const { answer } = await vault().sign('Ethereum', [other], { entries: 0, nextIndex: 0 });
		expect(answer).toMatchObject([{ refused: { kind: 'given-up' } }]);
		await giveUp(other);
		await refund(order);
		await until(order, 'EXPIRED');
		expect(await received(order)).toEqual([]);
	});

	it('is not given up once it is signed', async () => {
		const order = await newOrder();
		await deposit(order);
		await until(order, 'DONE');
		const [payout] = (await show(order)).payouts;
		await expect(giveUp(String(payout?.id))).rejects.toThrow('is signed, so it may arrive, and is never given up');
		// The signer knows this from its own journal, not from the database.
		await file
			.current()
			.sql(
				"UPDATE transactions SET state = 'planned', raw = NULL, tx_id = NULL, sent_at = NULL, next_attempt_at = 4000000000000 WHERE id = ?",
				String(payout?.id),
			);
		await expect(giveUp(String(payout?.id))).rejects.toThrow('is signed, so it may arrive, and is never given up');
	});

	it('and given up while it is being signed is either paid or given up, never both', async () => {
		const orders = await Promise.all(Array.from({ length: 8 }, () => newOrder()));
		await Promise.all(orders.map((order) => deposit(order)));
		const outcomes = await Promise.all(
			orders.map(async (order) => {
				const payout = await eventually('the payout', async () => {
					const rows = await file
						.current()
						.sql<{ id: string }>('SELECT id FROM transactions WHERE order_id = ?', order.id);
					return rows[0];
				});
				return giveUp(payout.id).then(
					() => 'given up',
					() => 'paid',
				);
			}),
		);
		for (const [i, order] of orders.entries()) {
			if (outcomes[i] === 'paid') await until(order, 'DONE');
			else await refund(order).then(() => until(order, 'EXPIRED'));
			expect(await received(order)).toHaveLength(outcomes[i] === 'paid' ? 1 : 0);
		}
	});
});

describe('a refund that is planned', () => {
	it('says what it waits for, blocks the partner’s choice, and is given up for another refund', async () => {
		const order = await newOrder();
		await deposit(order, '0.1');
		await until(order, 'EMERGENCY');
		await operator('network/update', { name: 'Litecoin', send: false });
		const why = 'payouts on Litecoin are switched off; `network update Litecoin --send on` lets it go on';
		expect(await refund(order)).toMatchObject({ waitsBecause: why });
		const [planned] = (await show(order)).payouts;
		await expect(refund(order)).rejects.toThrow(/a refund is on its way: planned since 20.*, waits because payouts on/);
		expect((await show(order)).attention).toEqual([
			expect.stringMatching(/^EMERGENCY \(LIMIT\): its refund of 0.09\d+ LTC is planned since 20/),
			expect.stringContaining(`the refund waits: ${why}`),
		]);
		const { id, token } = order;
		const choice = await signed(file.current(), partner, '/api/v1/emergency', { id, token, choice: 'EXCHANGE' });
		expect([choice.code, choice.msg]).toEqual([1, 'order not in emergency state']);

		await giveUp(String(planned?.id));
		expect((await show(order)).attention).toEqual([
			"EMERGENCY (LIMIT): waits for the partner's choice or a refund; after the decisionHours of `site show` it goes back by itself",
		]);
		await operator('network/update', { name: 'Litecoin', send: true });
		await refund(order);
		await until(order, 'EXPIRED');
		expect((await show(order)).payouts.map(({ kind }) => kind)).toEqual(['refund']);
	});
});

describe('a transaction without an order', () => {
	const plan = (id: string, kind: string, more: Record<string, unknown> = {}) => {
		const row = { id, kind, network: 'Litecoin', asset: 'LTC', to_address: LTC_REFUND, amount: '1000', usd_cents: 1 };
		const values = { ...row, state: 'planned', planned_at: 0, next_attempt_at: 4_000_000_000_000, ...more };
		const names = Object.keys(values);
		return file
			.current()
			.sql(
				`INSERT INTO transactions (${names.join()}) VALUES (${names.map(() => '?').join()})`,
				...Object.values(values),
			);
	};

	it('is given up when it is a withdrawal, but not when it moves coins between our own wallets', async () => {
		await plan('a-withdrawal', 'withdrawal');
		await plan('a-consolidation', 'consolidation');
		expect(await giveUp('a-withdrawal')).toMatchObject({ state: 'given up', kind: 'withdrawal' });
		await expect(giveUp('a-consolidation')).rejects.toThrow('(consolidation) moves coins between wallets of our own');
		await file.current().sql("DELETE FROM transactions WHERE id = 'a-consolidation'");
		await expect(giveUp('nothing')).rejects.toThrow('there is no transaction nothing');
	});

	it('is planned again when it is a partner’s earnings', async () => {
		const earner = await createPartner(file.current(), { afftaxBps: 100 });
		await earn(file.current(), earner, {});
		await paidTo(file.current(), earner, LTC_REFUND);
		await operator('network/update', { name: 'Litecoin', send: false });
		const { payoutId } = await operator<{ payoutId: string }>('earnings/pay-out', { partner: earner.id });
		const shown = await operator<{ payouts: { waitsBecause: string }[] }>('earnings/show', { partner: earner.id });
		expect(shown.payouts[0]?.waitsBecause).toContain('payouts on Litecoin are switched off');
		expect(await giveUp(payoutId)).toMatchObject({ state: 'given up', kind: 'earnings' });
		await operator('network/update', { name: 'Litecoin', send: true });
		const again = await operator<{ payoutId: string }>('earnings/pay-out', { partner: earner.id });
		expect(again.payoutId).not.toBe(payoutId);
		await eventually('the earnings to be paid', async () => {
			const { payouts } = await operator<{ payouts: { txId: string | null }[] }>('earnings/show', {
				partner: earner.id,
			});
			return payouts.length === 1 && payouts[0]?.txId;
		});
	});
});
