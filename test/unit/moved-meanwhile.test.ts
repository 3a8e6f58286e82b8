/**
 * What a poll writes of orders that somebody else changes while it judges them, and which orders it takes at all (book:
 * architecture, "The path of money").
 */
import { drizzle } from 'drizzle-orm/d1';
import { beforeEach, expect, it } from 'vitest';
import type { OrderRow } from '../../src/orders/table.ts';
import { dueOrders, loadOrders } from '../../src/treasury/deposits/settle-store.ts';
import { moveOrder } from '../../src/treasury/move-order.ts';
import { addOrders, addPartner, orderIdOf } from '../support/database.ts';
import { NOW } from '../support/rows.ts';
import { type SqliteD1, sqliteD1 } from '../support/sqlite-d1.ts';

/** As many as one poll takes, and more. */
const MANY = 250;
const ID = orderIdOf('Ethereum', 'EMERGENCY', 'one');

let database: SqliteD1;
const run = (statement: string, ...values: (string | number)[]) => database.run(statement, ...values);
const add = (status: string, addresses: readonly string[], expiresAt = NOW + 1) =>
	addOrders(run, { addresses, status, expiresAt });

beforeEach(async () => {
	database = sqliteD1();
	await addPartner(run);
});

/** The order as it is once a poll has judged its facts. The poll has read it before `meanwhile` ran. */
async function judgedAfter(meanwhile: string, changes: Partial<OrderRow> = { factsAt: NOW }) {
	run('DELETE FROM orders');
	await add('EMERGENCY', ['one']);
	run('UPDATE orders SET facts_at = 5');
	const db = drizzle(database.d1);
	const [loaded] = await loadOrders(db, [ID]);
	if (!loaded) throw new Error('the order is not there');
	const move = { order: loaded.order, steps: [], deposits: [], changes, notify: false };
	const { statements } = moveOrder(db, move, NOW, () => crypto.randomUUID());
	run(meanwhile);
	for (const statement of statements) await statement;
	return run('SELECT facts_at, holds_cap, payout_tx_id, updated_at FROM orders')[0];
}

it('facts that a poll has judged count as judged', async () => {
	expect(await judgedAfter('SELECT 1')).toMatchObject({ facts_at: NOW, updated_at: NOW });
});

it('an answer of screening that comes between a poll’s read and its write is judged by the next poll', async () => {
	expect(await judgedAfter('UPDATE orders SET facts_at = 0')).toMatchObject({ facts_at: 0 });
	expect(await judgedAfter('UPDATE orders SET facts_at = 0', { limitSide: 'above' })).toMatchObject({ facts_at: 0 });
});

it('a deletion and a payout’s new id, which others write meanwhile, stay where the order makes no step', async () => {
	const meanwhile = "UPDATE orders SET holds_cap = 0, payout_tx_id = 'replaced'";
	expect(await judgedAfter(meanwhile)).toMatchObject({ holds_cap: 0, payout_tx_id: 'replaced' });
});

const due = async () => (await dueOrders(drizzle(database.d1), 'Ethereum', NOW, null)).ids;

it('orders that cannot move yet keep no other from its turn', async () => {
	const numbers = Array.from({ length: MANY }, (_, i) => i);
	await add('EMERGENCY', [...numbers.map((i) => `without a payout ${i}`), 'one']);
	await add(
		'PENDING',
		numbers.map((i) => `dropped ${i}`),
	);
	run("UPDATE orders SET emergency_choice = 'EXCHANGE' WHERE status = 'EMERGENCY'");
	run('UPDATE orders SET updated_at = 9 WHERE id = ?', ID);
	let polls = 0;
	while (!(await due()).includes(ID)) expect(polls++).toBeLessThan(100);
});

it('a deleted order is never due', async () => {
	await add('NEW', ['deleted and new', 'expired'], NOW - 1);
	await add('PENDING', ['deleted and dropped', 'dropped']);
	run("UPDATE orders SET deleted_at = 1 WHERE pay_in_address LIKE 'deleted %'");
	expect((await due()).toSorted()).toEqual([
		orderIdOf('Ethereum', 'NEW', 'expired'),
		orderIdOf('Ethereum', 'PENDING', 'dropped'),
	]);
});

it.each([
	['stops no payout, and is in none', 'payout', true],
	['stops the refund that would send it back', 'refund', false],
])('dust that screening holds %s', async (_, kind, isPlanned) => {
	await add('EMERGENCY', ['one']);
	run(
		`INSERT INTO deposits (network, tx_id, position, order_id, address, asset, amount, state, dust, first_seen_at, last_seen_at)
			VALUES ('Ethereum', 'dust', '0', ?, 'one', 'ETH', '1', 'final', 1, 1, 1)`,
		ID,
	);
	run(
		`INSERT INTO screenings (order_id, subject, from_network, tx_id, position, address, verdict, decided_by, at)
			VALUES (?, 'deposit', 'Ethereum', 'dust', '0', 'one', 'hold', 'service', 1)`,
		ID,
	);
	const plan = () =>
		run(
			`INSERT INTO transactions (id, order_id, kind, network, asset, to_address, amount, usd_cents, state, planned_at, next_attempt_at,
				settlement_seal) VALUES ('t', ?, ?, 'Monero', 'XMR', 'to', '1', 0, 'planned', 1, 1, '')`,
			ID,
			kind,
		);
	if (!isPlanned) return expect(plan).toThrow('refused: screening');
	plan();
	expect(() => run("UPDATE deposits SET payout_id = 't' WHERE tx_id = 'dust'")).toThrow('refused: screening');
	run("UPDATE screenings SET verdict = 'accept'");
	run("UPDATE deposits SET payout_id = 't' WHERE tx_id = 'dust'");
});
