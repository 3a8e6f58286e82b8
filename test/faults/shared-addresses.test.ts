/**
 * An address belongs to one order, whatever D1 says. An attacker who writes rows of D1 tries to get one address shown
 * twice, and an operator restores the database to an earlier time. No deposit ever pays another customer's order.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import type { SandboxDeposit } from '../../src/chains/sandbox/ledger.ts';
import { copyDatabase, restoreDatabase } from '../support/database-copy.ts';
import { payoutsTo } from '../support/earnings.ts';
import { type CreatedOrder, create, untilStatus } from '../support/orders.ts';
import { type Credentials, createPartner } from '../support/partner.ts';
import { sealOrderAnew, sealSettlementAnew } from '../support/seals.ts';
import { eventually, serviceForFile } from '../support/service.ts';

const ATTACKER = '0x000000000000000000000000000000000000bEEF';
/** More orders than an isolate keeps addresses in memory. */
const CUSTOMERS = 70;
const AT_ONCE = 35;
/** Confirmations that make any deposit of the sandbox final. */
const FINAL = 1_000;

const file = serviceForFile();
let partner: Credentials;

beforeAll(async () => {
	partner = await createPartner(file.current(), { weightPerMinute: 1_000_000 });
});

async function newOrder(more: Record<string, unknown> = {}): Promise<CreatedOrder> {
	const { data, text } = await create(file.current(), partner, more);
	expect(data?.id, text).toBeTruthy();
	return data;
}

/** The orders of this many customers, without those that were refused. */
async function newOrders(count: number): Promise<CreatedOrder[]> {
	const orders: CreatedOrder[] = [];
	for (let made = 0; made < count; made += AT_ONCE) {
		const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => create(file.current(), partner)));
		orders.push(...answers.flatMap(({ data }) => data ?? []));
	}
	return orders;
}

const addressesOf = (orders: readonly CreatedOrder[]): string[] => orders.map(({ from }) => from.address);

const sql = <T = Record<string, unknown>>(statement: string, ...values: unknown[]) =>
	file.current().sql<T>(statement, ...values);

/** A payment to any address on the sandbox's chain, final at once. */
async function payTo(address: string, txId: string): Promise<void> {
	const { object, operator } = file.current();
	const ledger = object<{ deposit(deposit: SandboxDeposit): Promise<void> }>('SANDBOX_LEDGER', 'Litecoin');
	await ledger.deposit({ txId, address, asset: 'LTC', amount: '200000000', confirmations: FINAL });
	// Wakes the agent: a payment that it does not record now is never recorded.
	const other = await newOrder();
	await operator('sandbox/deposit', { orders: [other.id] });
	await untilStatus(file.current(), partner, other, 'DONE');
}

/** Why the signer refused the order's payout, as the log has it. */
async function refusalOf({ id }: CreatedOrder): Promise<Record<string, unknown> | undefined> {
	const ids = (await sql<{ id: string }>('SELECT id FROM transactions WHERE order_id = ?', id)).map((row) => row.id);
	const refusals = file.current().logged('signing_refused');
	return refusals.find(({ payoutId }) => ids.includes(String(payoutId)));
}

describe('an attacker who can write any row of D1', () => {
	it('frees the address of their own order: no customer is shown it, and no customer’s deposit is paid to the attacker', async () => {
		const theirs = await newOrder({ toAddress: ATTACKER });
		await sql("UPDATE orders SET pay_in_address = 'aside' WHERE id = ?", theirs.id);
		const customers = await newOrders(CUSTOMERS);
		// A customer pays to the address that they were shown. By then the rows give it to the attacker's order.
		const victim = customers.find(({ from }) => from.address === theirs.from.address) ?? customers.at(-1);
		const address = String(victim?.from.address);
		await sql("UPDATE orders SET pay_in_address = 'aside too' WHERE id = ?", victim?.id);
		await sql('UPDATE orders SET pay_in_address = ? WHERE id = ?', address, theirs.id);
		await file.current().operator('sandbox/deposit', { orders: [theirs.id] });
		await eventually('the order to be judged', async () => {
			const [{ status = '' } = {}] = await sql<{ status: string }>('SELECT status FROM orders WHERE id = ?', theirs.id);
			return status === 'DONE' || (await refusalOf(theirs));
		});
		expect(await payoutsTo(file.current(), 'Ethereum', ATTACKER)).toEqual([]);
		expect(await refusalOf(theirs)).toMatchObject({ kind: 'order-seal-broken', again: false });
		const shown = addressesOf(customers);
		expect(shown).not.toContain(theirs.from.address);
		expect(new Set(shown).size).toBe(CUSTOMERS);
	});

	it('has a second sealed order with the same address: the signer signs neither its payout nor its refund', async () => {
		const service = file.current();
		const first = await newOrder();
		await service.operator('sandbox/deposit', { orders: [first.id] });
		await untilStatus(service, partner, first, 'DONE');
		const second = await newOrder({ toAddress: ATTACKER });
		// Sealed as the Worker would seal it, so only the signer's own check is left to stop it.
		await sql("UPDATE orders SET pay_in_address = 'aside three' WHERE id = ?", first.id);
		await sql(
			`UPDATE orders SET pay_in_address = ?, pay_in_index = (SELECT pay_in_index FROM orders WHERE id = ?) WHERE id = ?`,
			...[first.from.address, first.id, second.id],
		);
		await sealOrderAnew(service, second.id);
		await service.operator('sandbox/deposit', { orders: [second.id] });
		const refusal = { kind: 'address-not-of-order', again: false };
		expect(await eventually('the payout to be refused', () => refusalOf(second))).toMatchObject(refusal);
		expect(await payoutsTo(service, 'Ethereum', ATTACKER)).toEqual([]);
		await sql(
			"UPDATE transactions SET kind = 'refund', network = 'Litecoin', asset = 'LTC' WHERE order_id = ?",
			second.id,
		);
		const [{ id = '' } = {}] = await sql<{ id: string }>('SELECT id FROM transactions WHERE order_id = ?', second.id);
		await sql(
			'UPDATE transactions SET next_attempt_at = ?, to_address = ? WHERE id = ?',
			Date.now() + 60_000,
			second.back.address,
			id,
		);
		await sealSettlementAnew(service, id);
		await sql(
			'UPDATE transactions SET to_address = ?, blocked_kind = NULL, blocked_facts = NULL, next_attempt_at = 0 WHERE order_id = ?',
			second.back.address,
			second.id,
		);
		await eventually('the refund to be refused', async () => {
			const refused = service.logged('signing_refused').filter(({ network }) => network === 'Litecoin');
			return refused.some((each) => each['kind'] === refusal.kind);
		});
	});
});

describe('a database that was restored to an earlier time', () => {
	it('shows no address twice, and pays no order with the deposit of a forgotten one', async () => {
		const service = file.current();
		const paidBefore = await payoutsTo(service, 'Ethereum', ATTACKER);
		const copy = await copyDatabase(service);
		const forgotten = await newOrders(AT_ONCE);
		const [paid, unpaid] = forgotten;
		await service.operator('sandbox/deposit', { orders: [String(paid?.id)] });
		await untilStatus(service, partner, paid as CreatedOrder, 'DONE');
		await restoreDatabase(service, copy);
		expect(await sql('SELECT id FROM orders WHERE id = ?', String(paid?.id))).toEqual([]);

		const known = new Set(addressesOf(forgotten));
		const later = await newOrders(CUSTOMERS);
		expect(addressesOf(later).filter((address) => known.has(address))).toEqual([]);
		for (const [i, order] of [paid, unpaid].entries()) {
			await payTo(String(order?.from.address), `${i}`.repeat(64));
			const recorded = await sql('SELECT order_id FROM deposits WHERE address = ?', String(order?.from.address));
			expect(recorded).toEqual([]);
		}
		expect(await payoutsTo(service, 'Ethereum', ATTACKER)).toEqual(paidBefore);
	});
});
