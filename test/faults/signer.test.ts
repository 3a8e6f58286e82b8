/**
 * An attacker who can write any row of D1 steals nothing from the signer, and the operator sees each attempt. Each test
 * tampers with rows as the attacker would, pays a real deposit, and reads the ledger. At the end an older signer is
 * deployed over a journal that a newer one has migrated: it signs nothing, and loses nothing.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { payoutsTo as payoutsOn } from '../support/earnings.ts';
import { databasePath, inDatabase, VAULT } from '../support/object-storage.ts';
import { operatorOf } from '../support/operator.ts';
import { type CreatedOrder, create, ETH_RECIPIENT, untilStatus } from '../support/orders.ts';
import { type Credentials, createPartner, signed } from '../support/partner.ts';
import { sealSettlementAnew } from '../support/seals.ts';
import { eventually, serviceForFile, type TestService } from '../support/service.ts';

const ATTACKER = '0x000000000000000000000000000000000000bEEF';

/** The agents leave a row written by hand alone until this time, which gives the test time to seal it. */
const FORGING_MILLISECONDS = 500;

const file = serviceForFile();
let partner: Credentials;

beforeAll(async () => {
	partner = await createPartner(file.current());
});

const payoutsTo = (service: TestService, recipient: string) => payoutsOn(service, 'Ethereum', recipient);

const deposit = (service: TestService, order: CreatedOrder) =>
	service.operator('sandbox/deposit', { orders: [order.id] });

interface Refusal {
	readonly kind: string;
	readonly refused: string;
	readonly again: boolean;
}

/** The signer's refusal of the order's payout, from the log. The operator's list must also name the order. */
async function refusalOf(service: TestService, order: CreatedOrder): Promise<Refusal> {
	const refusal = await eventually(`the payout of ${order.id} to be refused`, async () => {
		const ids = (await service.sql<{ id: string }>('SELECT id FROM transactions WHERE order_id = ?', order.id)).map(
			({ id }) => id,
		);
		return service.logged('signing_refused').find(({ payoutId }) => ids.includes(String(payoutId)));
	});
	return refusal as unknown as Refusal;
}

async function isShownToOperator(service: TestService, order: CreatedOrder): Promise<boolean> {
	const listed = await service.operator<{ id: string }[]>('order/list', { attention: true });
	return listed.some(({ id }) => id === order.id);
}

async function newOrder(service = file.current(), by = partner): Promise<CreatedOrder> {
	const { data, text } = await create(service, by);
	expect(data?.id, text).toBeTruthy();
	return data;
}

describe('an attacker who can write any row of D1', () => {
	it.each([
		['the recipient', 'UPDATE orders SET to_address = ?2 WHERE id = ?1', ATTACKER],
		[
			'the refund address',
			'UPDATE orders SET refund_address = ?2 WHERE id = ?1',
			'ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9',
		],
		['the margin', 'UPDATE orders SET afftax_bps = ?2 WHERE id = ?1', 1],
		['the base fee', 'UPDATE orders SET base_fee_bps = ?2 WHERE id = ?1', 0],
		['the partner', 'UPDATE orders SET partner_id = ?2 WHERE id = ?1', 'other'],
	])('changes %s: the seal is broken, and nothing is signed', async (_, statement, value) => {
		const service = file.current();
		const order = await newOrder();
		const other = value === 'other' ? (await createPartner(service)).id : value;
		await service.sql(statement, order.id, other);
		await deposit(service, order);
		expect(await refusalOf(service, order)).toMatchObject({ kind: 'order-seal-broken', again: false });
		expect(await payoutsTo(service, ATTACKER)).toEqual([]);
		await eventually('the operator to be shown the order', () => isShownToOperator(service, order));
	});

	const held = 4_000_000_000_000;

	/** The planned payout of a paid order. It is not signed before the test releases it. */
	async function heldBack(order: CreatedOrder): Promise<{ id: string; amount: string }> {
		const service = file.current();
		const trigger = `hold_${order.id.replaceAll('-', '')}`;
		await service.sql(
			`CREATE TRIGGER ${trigger} AFTER INSERT ON transactions WHEN NEW.order_id = '${order.id}'
			 BEGIN UPDATE transactions SET next_attempt_at = ${held} WHERE id = NEW.id; END`,
		);
		await deposit(service, order);
		const payout = await eventually('the payout to be planned', async () => {
			const rows = await service.sql<{ id: string; amount: string }>(
				'SELECT id, amount FROM transactions WHERE order_id = ?',
				order.id,
			);
			return rows[0];
		});
		await service.sql(`DROP TRIGGER ${trigger}`);
		return payout;
	}

	const letGo = (id: string) => file.current().sql('UPDATE transactions SET next_attempt_at = 0 WHERE id = ?', id);

	const amountsPaid = async () => (await payoutsTo(file.current(), ETH_RECIPIENT)).map(({ amount }) => amount);

	it.concurrent.each<[string, string, (amount: bigint) => bigint]>([
		['raises the amount within what prices may move', '', (amount) => (amount * 10_199n) / 10_000n],
		['lowers the amount', '', (amount) => amount / 2n],
		['takes a deposit away', 'UPDATE deposits SET payout_id = NULL WHERE payout_id = ?', (amount) => amount],
		['changes what a deposit brought', "UPDATE deposits SET amount = '300000000' WHERE payout_id = ?", (a) => a],
	])('%s: refused, because that is not what was settled', async (_, statement, bent) => {
		const service = file.current();
		const order = await newOrder();
		const { id, amount } = await heldBack(order);
		const amountBent = bent(BigInt(amount)).toString();
		await service.sql('UPDATE transactions SET amount = ?2 WHERE id = ?1', id, amountBent);
		if (statement) await service.sql(statement, id);
		const before = await amountsPaid();
		await letGo(id);
		expect(await refusalOf(service, order)).toMatchObject({
			refused: expect.stringMatching(/^(amount or deposits are not those that were settled|no deposit)/),
			again: false,
		});
		expect(await amountsPaid()).toEqual(before);
	});

	it.concurrent('adds a later deposit to the payout and doubles it: refused, because that is not what was settled', async () => {
		const service = file.current();
		const order = await newOrder();
		const { id, amount } = await heldBack(order);
		await deposit(service, order);
		await eventually('the second deposit', async () => {
			const rows = await service.sql(
				"SELECT 1 FROM deposits WHERE order_id = ? AND state = 'final' AND payout_id IS NULL",
				order.id,
			);
			return rows.length > 0;
		});
		await service.sql('UPDATE deposits SET payout_id = ?2 WHERE order_id = ?1', order.id, id);
		await service.sql('UPDATE transactions SET amount = ?2 WHERE id = ?1', id, (2n * BigInt(amount)).toString());
		await letGo(id);
		expect(await refusalOf(service, order)).toMatchObject({
			refused: expect.stringMatching(/^amount or deposits are not those that were settled/),
		});
	});

	it.concurrent('removes the seal: refused, with what to do', async () => {
		const service = file.current();
		const order = await newOrder();
		const { id } = await heldBack(order);
		await expect(service.sql('UPDATE transactions SET settlement_seal = NULL WHERE id = ?', id)).rejects.toThrow(
			'CHECK',
		);
		await service.sql("UPDATE transactions SET settlement_seal = '' WHERE id = ?", id);
		await letGo(id);
		expect(await refusalOf(service, order)).toMatchObject({
			refused:
				`amount or deposits are not those that were settled: somebody changed rows; take it back with \`payout give-up ${id} --reason R\`, ` +
				`then send the deposit back with \`order refund ${order.id}\``,
			again: false,
		});
	});

	it.concurrent('raises the amount and seals it: refused, because it is above the deposit’s worth', async () => {
		const service = file.current();
		const order = await newOrder();
		const { id } = await heldBack(order);
		await service.sql("UPDATE transactions SET amount = '590281200000000000' WHERE id = ?", id);
		await sealSettlementAnew(service, id);
		await letGo(id);
		expect(await refusalOf(service, order)).toMatchObject({ refused: 'amount above what the deposit is worth' });
		expect(await amountsPaid()).not.toContain('590281200000000000');
	});

	it('changes the recipient of the payout: refused', async () => {
		const service = file.current();
		const order = await newOrder();
		await service.sql(
			`CREATE TRIGGER tamper AFTER INSERT ON transactions WHEN NEW.order_id = '${order.id}'
			 BEGIN UPDATE transactions SET to_address = '${ATTACKER}' WHERE id = NEW.id; END`,
		);
		await deposit(service, order);
		expect(await refusalOf(service, order)).toMatchObject({ refused: 'another recipient', again: false });
		await service.sql('DROP TRIGGER tamper');
		expect(await payoutsTo(service, ATTACKER)).toEqual([]);
	});

	/** The rows of a settled order, written by hand with a valid seal: these tests try the checks behind the seal. */
	async function forgeSettlement(order: CreatedOrder, txId: string, address = order.from.address): Promise<void> {
		const service = file.current();
		const now = Date.now();
		const payoutId = crypto.randomUUID();
		await service.sql(
			`INSERT OR REPLACE INTO deposits (network, tx_id, position, order_id, address, asset, amount, state, payout_id, first_seen_at, last_seen_at)
			 VALUES ('Litecoin', ?1, '0', ?2, ?3, 'LTC', '200000000', 'final', ?5, ?4, ?4)`,
			txId,
			order.id,
			address,
			now,
			payoutId,
		);
		await service.sql(
			`INSERT INTO transactions (id, order_id, kind, network, asset, to_address, amount, usd_cents, state, planned_at, next_attempt_at, settlement_seal)
			 VALUES (?1, ?2, 'payout', 'Ethereum', 'ETH', ?3, '59000000000000000', 19000, 'planned', ?4, ?4, '')`,
			payoutId,
			order.id,
			order.to.address,
			now + FORGING_MILLISECONDS,
		);
		await sealSettlementAnew(service, payoutId);
	}

	it('invents a deposit: refused, because it is not on the chain', async () => {
		const order = await newOrder();
		await forgeSettlement(order, 'a'.repeat(64));
		expect(await refusalOf(file.current(), order)).toMatchObject({ kind: 'deposits-not-final' });
	});

	it("claims another order's deposit: refused", async () => {
		const service = file.current();
		const victim = await newOrder();
		await deposit(service, victim);
		const { from } = await untilStatus(service, partner, victim, 'DONE');
		const order = await newOrder();
		await forgeSettlement(order, String(from.tx.id), victim.from.address);
		expect(await refusalOf(service, order)).toMatchObject({ kind: 'deposit-of-other-order', again: false });
	});

	/** The refusal names what has paid, and the command that takes the attacker's row away; the books never had it. */
	async function followsAdvice(order: CreatedOrder, forged: string, cause: string): Promise<void> {
		const service = file.current();
		const { refused } = await refusalOf(service, order);
		const [, command = ''] =
			/^.* already, by \S+: the database was set back, .*`(restored paid [^`]+)`/.exec(refused) ?? [];
		expect(refused).toContain(cause);
		expect((await operatorOf(() => service).run(...command.split(' '))).stderr).toBe('');
		expect(await service.sql('SELECT 1 FROM transactions WHERE id = ?', forged)).toEqual([]);
		const unclaimed = 'SELECT 1 FROM deposits WHERE order_id = ? AND payout_id IS NULL';
		expect(await service.sql(unclaimed, order.id)).toEqual([]);
		await eventually('nothing to be said of it', async () => !(await isShownToOperator(service, order)));
	}

	it('requests a second payout of a paid order: one transaction per payout', async () => {
		const service = file.current();
		const order = await newOrder();
		await deposit(service, order);
		await untilStatus(service, partner, order, 'DONE');
		const before = await payoutsTo(service, ETH_RECIPIENT);
		await service.sql('DROP INDEX transactions_once');
		const second = crypto.randomUUID();
		await service.sql('UPDATE deposits SET payout_id = ?2 WHERE order_id = ?1', order.id, second);
		await service.sql(
			`INSERT INTO transactions (id, order_id, kind, network, asset, to_address, amount, usd_cents, state, planned_at, next_attempt_at, settlement_seal)
			 SELECT ?2, order_id, kind, network, asset, to_address, amount, usd_cents, 'planned', planned_at, ?3, '' FROM transactions WHERE order_id = ?1`,
			order.id,
			second,
			Date.now() + FORGING_MILLISECONDS,
		);
		await sealSettlementAnew(service, second);
		await followsAdvice(order, second, 'this order was paid already');
		expect(await payoutsTo(service, ETH_RECIPIENT)).toEqual(before);
	});

	it('requests a refund of a deposit that was paid out: refused', async () => {
		const service = file.current();
		const order = await newOrder();
		await deposit(service, order);
		await untilStatus(service, partner, order, 'DONE');
		const refund = crypto.randomUUID();
		await service.sql('UPDATE deposits SET payout_id = ?2 WHERE order_id = ?1', order.id, refund);
		await service.sql(
			`INSERT INTO transactions (id, order_id, kind, network, asset, to_address, amount, usd_cents, state, planned_at, next_attempt_at, settlement_seal)
			 VALUES (?2, ?1, 'refund', 'Litecoin', 'LTC', ?3, '199990000', 19000, 'planned', 0, ?4, '')`,
			order.id,
			refund,
			order.back.address,
			Date.now() + FORGING_MILLISECONDS,
		);
		await sealSettlementAnew(service, refund);
		await followsAdvice(order, refund, 'these deposits were paid for already');
	});

	it('deletes the record of a signed payout: the signer returns the same transaction and no other', async () => {
		const service = file.current();
		const order = await newOrder();
		await deposit(service, order);
		await untilStatus(service, partner, order, 'DONE');
		const before = await payoutsTo(service, ETH_RECIPIENT);
		const [payout] = await service.sql<{ tx_id: string }>(
			'SELECT tx_id FROM transactions WHERE order_id = ?',
			order.id,
		);
		await service.sql(
			"UPDATE transactions SET state = 'planned', raw = NULL, tx_id = NULL, sent_at = NULL, next_attempt_at = 0 WHERE order_id = ?",
			order.id,
		);
		const again = await eventually('the payout to be signed again', async () => {
			const [row] = await service.sql<{ tx_id: string | null }>(
				'SELECT tx_id FROM transactions WHERE order_id = ?',
				order.id,
			);
			return row?.tx_id;
		});
		expect(again).toBe(payout?.tx_id);
		expect(await payoutsTo(service, ETH_RECIPIENT)).toEqual(before);
	});

	it('puts their own pay-in address into an order: neither a read nor a replay shows it', async () => {
		const service = file.current();
		const headers = { 'idempotency-key': 'a key of the order' };
		const { data: order } = await create(service, partner, {}, { headers });
		await service.sql("UPDATE orders SET pay_in_address = 'ltc1attacker' WHERE id = ?", order.id);
		const { id, token } = order;
		const read = await signed(service, partner, '/api/v1/order', { id, token });
		const replay = await create(service, partner, {}, { headers });
		for (const { text } of [read, replay]) expect(text).not.toContain('attacker');
		await eventually('the log', async () =>
			service.logged('request_failed').some(({ error }) => String(error).includes(`the seal of order ${id} is broken`)),
		);
	});
});

/** Steps of a newer signer's schema. */
const NEWER = 99;

describe('an older signer over a journal that a newer one has migrated', () => {
	/** An order whose planned payout waits until payouts on Ethereum are switched on. */
	async function paidOrder(): Promise<{ readonly order: CreatedOrder; readonly payoutId: string }> {
		const service = file.current();
		const order = await newOrder();
		await service.operator('network/update', { name: 'Ethereum', send: false });
		await deposit(service, order);
		await untilStatus(service, partner, order, 'EXCHANGE');
		const [payout] = await service.sql<{ id: string }>('SELECT id FROM transactions WHERE order_id = ?', order.id);
		return { order, payoutId: String(payout?.id) };
	}

	/** Runs this statement on the journal, whose object begins again afterwards, as after a deployment. */
	async function journalAfter(statement: string): Promise<void> {
		const path = await databasePath(file.current(), VAULT);
		inDatabase(path, (database) => database.exec(statement));
		await file.current().evict(VAULT.binding, VAULT.name);
	}

	it('signs nothing, says why, and pays once the newer signer is back', async () => {
		const service = file.current();
		const { order, payoutId } = await paidOrder();
		await journalAfter(`INSERT INTO schema_steps VALUES (${NEWER})`);
		await service.operator('network/update', { name: 'Ethereum', send: true });
		const refusal = await eventually('the payout to be refused', async () =>
			service.logged('signing_refused').find((line) => line['payoutId'] === payoutId),
		);
		expect(refusal).toMatchObject({ kind: 'journal-too-new', refused: expect.stringContaining(`step ${NEWER}`) });
		const giveUp = service.operator('payout/give-up', { id: payoutId, reason: 'a journal that nothing is known of' });
		await expect(giveUp).rejects.toThrow('nothing was changed');
		type Checks = { readonly checks: readonly { readonly ok: boolean; readonly detail: string }[] };
		const { checks } = await service.operator<Checks>('network/check', { name: 'Ethereum' });
		expect(checks.filter(({ detail }) => detail.includes(`schema step ${NEWER}`))).toMatchObject([{ ok: false }]);

		await journalAfter(`DELETE FROM schema_steps WHERE step = ${NEWER}`);
		await untilStatus(service, partner, order, 'DONE');
	});
});
