/**
 * An attacker who can write any row of D1 wants the earnings of partners, or more than was earned. The signer pays only
 * the partner, each order's earnings once, and only orders in its own journal. Each refusal is in the log, and the
 * operator sees it in `earnings show`.
 */
import { beforeEach, describe, expect, it } from 'vitest';
import { earn, paidTo, payoutsTo, type ShownPayout } from '../support/earnings.ts';
import { create, LTC_REFUND, untilStatus } from '../support/orders.ts';
import { type Credentials, createPartner } from '../support/partner.ts';
import { sealEarnedAgain, sealSettlementAnew } from '../support/seals.ts';
import { eventually, serviceForFile, startTestService, type TestService } from '../support/service.ts';

const ATTACKER = '0x000000000000000000000000000000000000bEEF';
/** 2 % of a swap of 2 LTC to ETH at 95 and 3200 USD. */
const EARNED = '1187500000000000';

const file = serviceForFile();
let partner: Credentials;
/** Only this test's partner is paid to this address, so the ledger shows what they received. */
let address: string;
let addresses = 0;

beforeEach(async () => {
	partner = await createPartner(file.current(), { afftaxBps: 200 });
	address = `0x${(++addresses).toString(16).padStart(40, 'a')}`;
	await paidTo(file.current(), partner, address, { asset: 'ETH' });
});

const pay = (service: TestService, { id }: Credentials, more: Record<string, unknown> = {}) =>
	service.operator<ShownPayout>('earnings/pay-out', { partner: id, ...more });

const shown = async (service: TestService, { id }: Credentials): Promise<ShownPayout[]> =>
	(await service.operator<{ payouts: ShownPayout[] }>('earnings/show', { partner: id })).payouts;

const untilPaid = (service: TestService, by: Credentials): Promise<ShownPayout> =>
	eventually('the payout to be sent', async () =>
		(await shown(service, by)).find(({ state }) => state === 'sent' || state === 'final'),
	);

/** Why the signer refused the payout, from the log. The operator must see the same reason. */
async function refusalOf(service: TestService, by: Credentials, id: string): Promise<string> {
	const refusal = await eventually(`payout ${id} to be refused`, async () =>
		service.logged('signing_refused').find(({ payoutId }) => payoutId === id),
	);
	const refused = String(refusal['refused']);
	const isShown = async () =>
		(await shown(service, by)).some(({ payoutId, held }) => payoutId === id && held === refused);
	await eventually('the operator to see why', isShown);
	return refused;
}

/** Pays out while a trigger tampers with the planned payout. Returns why the signer refuses. */
async function tampered(statements: string): Promise<string> {
	const service = file.current();
	await service.sql(
		`CREATE TRIGGER tamper AFTER INSERT ON transactions WHEN NEW.kind = 'earnings' BEGIN ${statements}; END`,
	);
	const { payoutId } = await pay(service, partner);
	await service.sql('DROP TRIGGER tamper');
	return refusalOf(service, partner, payoutId);
}

/** A payout of these orders' earnings, with every row written by hand. */
async function forge(orderIds: readonly string[], amount = EARNED): Promise<string> {
	const { sql } = file.current();
	const id = crypto.randomUUID();
	await sql(
		`INSERT INTO partner_payouts (id, partner_id, asset, network, address, amount, usd_cents, order_count, planned_at)
		 VALUES (?1, ?2, 'ETH', 'Ethereum', ?3, ?4, 380, 1, 0)`,
		id,
		partner.id,
		address,
		amount,
	);
	for (const orderId of orderIds) {
		await sql('INSERT OR REPLACE INTO partner_payout_orders (order_id, payout_id) VALUES (?, ?)', orderId, id);
	}
	await sql(
		`INSERT INTO transactions (id, kind, network, asset, to_address, amount, usd_cents, state, planned_at, next_attempt_at)
		 VALUES (?1, 'earnings', 'Ethereum', 'ETH', ?2, ?3, 380, 'planned', 0, 0)`,
		id,
		address,
		amount,
	);
	return id;
}

/**
 * An order of 2 LTC that was settled at a rate 5 % above the signer's own, and of which the books kept 0.003 ETH for the
 * network, 60 times what the payout costs: its rows as they are then, and its seals. Its payout is planned.
 */
async function settledAbove(isSealed: boolean): Promise<void> {
	const service = file.current();
	const { sql } = service;
	const { data: order } = await create(service, partner);
	await service.operator('network/update', { name: 'Ethereum', send: false });
	await service.operator('sandbox/deposit', { orders: [order.id] });
	await untilStatus(service, partner, order, 'EXCHANGE');
	const [payout] = await sql<{ id: string }>(
		"SELECT id FROM transactions WHERE order_id = ? AND kind = 'payout'",
		order.id,
	);
	const id = String(payout?.id);
	await sql('DROP TRIGGER IF EXISTS ledger_entries_unchanged');
	const GROSS = 62_343_750_000_000_000n;
	const [owed, fee, partnerShare] = [57_785_150_000_000_000n, 3_000_000_000_000_000n, (GROSS * 2n) / 100n];
	const amounts = { market: GROSS, payable: -owed, networkFee: -fee, partnerPending: -partnerShare };
	const house = -(GROSS - owed - fee - partnerShare);
	for (const [account, amount] of Object.entries({ ...amounts, housePending: house })) {
		await sql(
			"UPDATE ledger_entries SET amount = ? WHERE order_id = ? AND cause = 'settled' AND account = ? AND asset = 'ETH'",
			amount.toString(),
			order.id,
			account,
		);
	}
	await sql('UPDATE transactions SET amount = ? WHERE id = ?', owed.toString(), id);
	await sealSettlementAnew(service, id);
	if (isSealed) await sealEarnedAgain(service, id);
	await service.operator('network/update', { name: 'Ethereum', send: true });
	await untilStatus(service, partner, order, 'DONE');
}

describe('an order that was settled at a rate above the signer’s, with a large network fee', () => {
	it('earns the partner what the books say, and its earnings are paid', async () => {
		await settledAbove(true);
		const { payoutId } = await pay(file.current(), partner);
		expect(await untilPaid(file.current(), partner)).toMatchObject({ payoutId, amount: '0.001246875' });
	});

	it('earns no more than the signer’s own bounds where the seal is not of this entry', async () => {
		await settledAbove(false);
		const { payoutId } = await pay(file.current(), partner);
		expect(await refusalOf(file.current(), partner, payoutId)).toBe('amount above what was earned');
	});
});

describe('an attacker who can write any row of D1', () => {
	it.each([
		[
			'the recipient of the payout',
			`UPDATE transactions SET to_address = '${ATTACKER}' WHERE id = NEW.id`,
			'another recipient than the partner',
		],
		[
			'the partner’s address as well',
			`UPDATE transactions SET to_address = '${ATTACKER}' WHERE id = NEW.id; UPDATE partners SET payout_address = '${ATTACKER}' WHERE payout_address = NEW.to_address`,
			'the payout address has no seal that holds: set it and its asset by partner update',
		],
		[
			'the address and the time of its change',
			`UPDATE transactions SET to_address = '${ATTACKER}' WHERE id = NEW.id; UPDATE partners SET payout_address = '${ATTACKER}', payout_address_changed_at = 1 WHERE payout_address = NEW.to_address`,
			'the payout address has no seal that holds: set it and its asset by partner update',
		],
		[
			'the address, and takes its seal away',
			`UPDATE transactions SET to_address = '${ATTACKER}' WHERE id = NEW.id; UPDATE partners SET payout_address = '${ATTACKER}', payout_seal = NULL WHERE payout_address = NEW.to_address`,
			'the payout address has no seal that holds: set it and its asset by partner update',
		],
		[
			'the asset to one with a coin of more value',
			`UPDATE transactions SET asset = 'ETHARB' WHERE id = NEW.id`,
			'another asset than the partner is paid in',
		],
		[
			'the amount by one unit',
			`UPDATE transactions SET amount = '1187500000000001' WHERE id = NEW.id`,
			'amount above what was earned',
		],
		[
			'the amount to one unit',
			`UPDATE transactions SET amount = '1' WHERE id = NEW.id`,
			'amount below what was earned',
		],
		[
			'the orders to none',
			`DELETE FROM partner_payout_orders WHERE payout_id = NEW.id`,
			'no orders, or more than one payout pays for',
		],
	])('changes %s: refused, and the operator sees it', async (_, statements, refused) => {
		const service = file.current();
		await earn(service, partner, {});
		expect(await tampered(statements)).toBe(refused);
		expect(await payoutsTo(service, 'Ethereum', ATTACKER)).toEqual([]);
		expect(await payoutsTo(service, 'Ethereum', address)).toEqual([]);
	});

	it('replaces the partner’s address with their own: the command refuses it, and plans nothing', async () => {
		const service = file.current();
		await earn(service, partner, {});
		await service.sql('UPDATE partners SET payout_address = ? WHERE id = ?', ATTACKER, partner.id);
		await expect(pay(service, partner)).rejects.toThrow('has no valid seal; set the address again');
		expect(await shown(service, partner)).toEqual([]);
	});

	it('pays to an address that was set an hour ago: the signer waits 24 h', async () => {
		const service = file.current();
		const [order] = await earn(service, partner, {});
		await paidTo(service, partner, address, { asset: 'ETH', hours: 23 });
		const id = await forge([String(order?.id)]);
		expect(await refusalOf(service, partner, id)).toBe('the payout address was changed less than 24 h ago');
	});

	it('adds the orders of another partner: refused', async () => {
		const service = file.current();
		const victim = await createPartner(service, { afftaxBps: 200 });
		const [theirs] = await earn(service, victim, {});
		const [order] = await earn(service, partner, {});
		const id = await forge([String(order?.id), String(theirs?.id)], '2375000000000000');
		expect(await refusalOf(service, partner, id)).toBe('earnings of another partner');
	});

	it('adds orders that were never paid for, and their entries: refused', async () => {
		const service = file.current();
		const [order] = await earn(service, partner, {});
		const { data: unpaid } = await create(service, partner);
		await service.sql(
			"INSERT INTO ledger_entries SELECT null, ?2, cause, account, asset, amount, at FROM ledger_entries WHERE order_id = ?1 AND account IN ('partner', 'partnerPending')",
			order?.id,
			unpaid.id,
		);
		const { payoutId } = await pay(service, partner);
		const refused = await refusalOf(service, partner, payoutId);
		expect(refused).toBe('an order that the signer has no earnings on record for');
	});

	it('credits more than the sealed share in the books: only the share is paid', async () => {
		const service = file.current();
		await service.sql('DROP TRIGGER IF EXISTS ledger_entries_unchanged');
		await service.sql(
			`CREATE TRIGGER raise AFTER INSERT ON ledger_entries WHEN NEW.account IN ('partnerPending', 'partner') AND NEW.amount LIKE '-%'
			 BEGIN UPDATE ledger_entries SET amount = '-1300000000000000' WHERE order_id = NEW.order_id AND cause = NEW.cause AND account = NEW.account; END`,
		);
		await earn(service, partner, {});
		await service.sql('DROP TRIGGER raise');
		const { payoutId } = await pay(service, partner);
		expect(await refusalOf(service, partner, payoutId)).toBe('amount above what was earned');
	});

	it('puts an order’s earnings into two payouts: they are paid once', async () => {
		const service = file.current();
		const [order] = await earn(service, partner, {});
		await pay(service, partner);
		await untilPaid(service, partner);
		const id = await forge([String(order?.id)]);
		expect(await refusalOf(service, partner, id)).toBe('these earnings were paid already');
		expect(await payoutsTo(service, 'Ethereum', address)).toHaveLength(1);
	});

	it('sets a paid payout back to planned: the signer returns the same transaction and no other', async () => {
		const service = file.current();
		await earn(service, partner, {});
		const { payoutId } = await pay(service, partner);
		const { txId } = await untilPaid(service, partner);
		await service.sql('UPDATE partner_payouts SET tx_id = NULL, paid_at = NULL WHERE id = ?', payoutId);
		await service.sql(
			`UPDATE transactions SET state = 'planned', raw = NULL, tx_id = NULL, sent_at = NULL, next_attempt_at = 0,
			 to_address = '${ATTACKER}', amount = '9999999999999999' WHERE id = ?`,
			payoutId,
		);
		const again = await eventually('it to be signed again', async () => (await shown(service, partner))[0]?.txId);
		expect(again).toBe(txId);
		expect(await payoutsTo(service, 'Ethereum', address)).toMatchObject([{ txId, amount: EARNED }]);
		expect(await payoutsTo(service, 'Ethereum', ATTACKER)).toEqual([]);
	});

	it('tries to get paid again what the operator has paid by hand: refused, under the same id and another', async () => {
		const service = file.current();
		const [order] = await earn(service, partner, {});
		const { payoutId } = await pay(service, partner, { txId: 'f'.repeat(63) + addresses.toString(16).at(-1) });
		const id = await forge([String(order?.id)]);
		expect(await refusalOf(service, partner, id)).toBe('these earnings were paid already');
		await service.sql('UPDATE partner_payout_orders SET payout_id = ? WHERE order_id = ?', payoutId, order?.id);
		await service.sql('UPDATE transactions SET id = ?, next_attempt_at = 0 WHERE id = ?', payoutId, id);
		const isRefused = async () =>
			service.logged('signing_refused').find((refusal) => refusal['payoutId'] === payoutId)?.['refused'];
		expect(await eventually('the old id to be refused', isRefused)).toBe('it was given up: it is never signed');
		expect(await payoutsTo(service, 'Ethereum', address)).toEqual([]);
	});
});

describe('a payout that the signer refused', () => {
	it('is planned again when the operator repeats the command, and paid', async () => {
		const service = file.current();
		await earn(service, partner, {});
		expect(await tampered(`UPDATE transactions SET amount = '${EARNED}0' WHERE id = NEW.id`)).toContain('amount above');
		const [refused] = await shown(service, partner);
		const { payoutId } = await pay(service, partner);
		expect(payoutId).not.toBe(refused?.payoutId);
		await untilPaid(service, partner);
		expect(await payoutsTo(service, 'Ethereum', address)).toMatchObject([{ amount: EARNED }]);
	});
});

// The last: it stops the service of the file.
describe('a service that stops between a payout’s signature and its broadcast', () => {
	it('broadcasts that same transaction when it starts again, and the signer’s cap counts earnings', async () => {
		const first = file.current();
		await paidTo(first, partner, LTC_REFUND);
		await earn(first, partner, {});
		await first.sql(
			`CREATE TRIGGER waits AFTER UPDATE ON transactions WHEN NEW.state = 'signed' AND NEW.next_attempt_at < 9000000000000000
			 BEGIN UPDATE transactions SET next_attempt_at = 9000000000000001 WHERE id = NEW.id; END`,
		);
		const { signer } = await first.operator<{ signer: { payoutUsedUsd: string } }>('site/show');
		await pay(first, partner);
		const signed = await eventually('it to be signed', async () =>
			(await shown(first, partner)).find(({ state }) => state === 'signed'),
		);
		await expect(pay(first, partner, { txId: 'a'.repeat(64) })).rejects.toThrow('the service has signed payout');
		await first.local.stop();

		// Since then the signer has signed earnings of 3.80 USD. The cap allows 190 USD more, but no further 3.80 USD.
		const cap = String(Math.floor(Number(signer.payoutUsedUsd) + 3.8) + 193);
		const running = await startTestService({ SIGNER_DAILY_CAP_USD: cap }, first.stateDirectory);
		try {
			expect(await payoutsTo(running, 'Litecoin', LTC_REFUND)).toEqual([]);
			await running.sql('DROP TRIGGER waits');
			await running.sql("UPDATE transactions SET next_attempt_at = 0 WHERE state = 'signed'");
			expect(await untilPaid(running, partner)).toMatchObject({ payoutId: signed.payoutId, txId: signed.txId });
			expect(await payoutsTo(running, 'Litecoin', LTC_REFUND)).toMatchObject([
				{ txId: signed.txId, amount: '4000000' },
			]);

			await earn(running, partner, {});
			const { payoutId } = await pay(running, partner);
			const refusal = await eventually('the cap', async () =>
				running.logged('signing_refused').find((line) => line['payoutId'] === payoutId),
			);
			expect(refusal).toMatchObject({
				refused: expect.stringMatching(/^daily cap of the signer: 3\.80 USD/),
				again: true,
			});
			expect(await payoutsTo(running, 'Litecoin', LTC_REFUND)).toHaveLength(1);
		} finally {
			await running.local.stop();
		}
	}, 180_000);
});
