/**
 * Somebody writes rows of an order whose payout is planned: the signer refuses it, and the operator does to the letter what
 * `attention` prints. The order ends, and nobody is paid but its recipient or its refund address.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Remembered, SignOutcome } from '../../src/ports/signer.ts';
import { payoutsTo } from '../support/earnings.ts';
import { operatorOf } from '../support/operator.ts';
import { type CreatedOrder, create, untilStatus } from '../support/orders.ts';
import { type Credentials, createPartner, signed } from '../support/partner.ts';
import { sealOrderAnew, sealSettlementAnew } from '../support/seals.ts';
import { eventually, serviceForFile } from '../support/service.ts';

const ATTACKER = '0x000000000000000000000000000000000000bEEF';
/** A time of the next attempt at which the agents leave a row alone. */
const NEVER = 9_000_000_000_000;
const file = serviceForFile();
const { run } = operatorOf(file.current);
let partner: Credentials;

interface Vault {
	sign(network: string, ids: readonly string[], remembered: Remembered): Promise<Answer<SignOutcome[]>>;
}

interface Row {
	readonly area: string;
	readonly cause: string;
	readonly todo: string;
}

interface Walked {
	readonly order: CreatedOrder;
	/** What `attention` said and the operator did, once each, in order. */
	readonly told: readonly string[];
}

const send = (on: boolean) => file.current().operator('network/update', { name: 'Ethereum', send: on });

/** The attack is on an order whose payout is planned and waits; then it goes on. */
async function attacked(i: number, attack: string): Promise<CreatedOrder> {
	const toAddress = `0x${i.toString(16).padStart(40, 'cafe')}`;
	const { data: order, text } = await create(file.current(), partner, { toAddress });
	expect(order?.id, text).toBeTruthy();
	await send(false);
	await file.current().operator('sandbox/deposit', { orders: [order.id] });
	await untilStatus(file.current(), partner, order, 'EXCHANGE');
	await file.current().sql(attack, order.id);
	return order;
}

const commandsIn = (text: string): string[] =>
	[...text.matchAll(/`((?:order refund|payout give-up|restored paid) \S{8,}[^`]*)`/g)].map(
		([, command = '']) => command,
	);

const nameOf = (text: string, { id }: CreatedOrder) =>
	text.replaceAll(id, 'ORDER').replaceAll(/[\da-f-]{36}/g, 'PAYOUT');

/** Does what is printed until the order has ended and nothing is said of it. `byHand`: what the operator writes where the cause asks for it. */
async function walk(order: CreatedOrder, asks: RegExp | null, ...byHand: readonly string[]): Promise<Walked> {
	const told = new Set<string>();
	await eventually(
		'the order to end',
		async () => {
			const rows = await file.current().operator<Row[]>('attention');
			const own = rows.filter((row) => JSON.stringify(row).includes(order.id));
			for (const { cause, todo } of own) {
				told.add(nameOf(cause, order));
				if (asks?.test(cause)) {
					for (const statement of byHand) await file.current().sql(statement, order.id);
					// What was refused is tried again within five minutes.
					await file.current().sql('UPDATE transactions SET next_attempt_at = 0 WHERE order_id = ?', order.id);
				}
				for (const command of commandsIn(`${cause} ${todo}`)) {
					await run(...command.split(' '));
					told.add(`$ ${nameOf(command, order)}`);
				}
			}
			const [{ status } = { status: '' }] = await file
				.current()
				.sql<{ status: string }>('SELECT status FROM orders WHERE id = ?', order.id);
			return own.length === 0 && (status === 'DONE' || status === 'EXPIRED');
		},
		60_000,
	).catch((error: Error) => {
		throw new Error(`${error.message}: ${[...told].join('\n')}`);
	});
	return { order, told: [...told] };
}

const timesPaid = async ({ to }: CreatedOrder) => (await payoutsTo(file.current(), 'Ethereum', to.address)).length;

beforeAll(async () => {
	partner = await createPartner(file.current(), { weightPerMinute: 1_000_000 });
});

const GIVEN_UP: Record<string, string> = {
	'another amount': "UPDATE transactions SET amount = '1' || amount WHERE order_id = ?1",
	'no seal': "UPDATE transactions SET settlement_seal = '' WHERE order_id = ?1",
	'another recipient': `UPDATE transactions SET to_address = '${ATTACKER}' WHERE order_id = ?1`,
	'another asset': "UPDATE transactions SET asset = 'USDTERC20' WHERE order_id = ?1",
	'an amount that is none': "UPDATE transactions SET amount = '0' || amount WHERE order_id = ?1",
	'no deposit': 'UPDATE deposits SET payout_id = NULL WHERE order_id = ?1',
};

describe('a planned payout with', () => {
	it.each(Object.entries(GIVEN_UP))(
		'%s is taken back, and its order sent back, by the printed commands',
		async (name, attack) => {
			const order = await attacked(1 + Object.keys(GIVEN_UP).indexOf(name), attack);
			await send(true);
			const { told } = await walk(order, null);
			expect(told).toEqual(expect.arrayContaining(['$ payout give-up PAYOUT --reason R', '$ order refund ORDER']));
			expect((await untilStatus(file.current(), partner, order, 'EXPIRED')).back.tx.id).toBeTruthy();
			expect([await timesPaid(order), (await payoutsTo(file.current(), 'Ethereum', ATTACKER)).length]).toEqual([0, 0]);
		},
	);
});

it.each([
	['margins that are none', 'UPDATE orders SET base_fee_bps = 9000, afftax_bps = 1000 WHERE id = ?1', 31],
	['a floor above it', "UPDATE orders SET min_to_amount = '99' WHERE id = ?1", 34],
])(
	'a payout of an order that is sealed with %s is taken back, and its order sent back, by the printed commands',
	async (name, attack, minute) => {
		const order = await attacked(minute, attack);
		await sealOrderAnew(file.current(), order.id);
		await send(true);
		const { told } = await walk(order, null);
		expect(told[0]).toContain(name.startsWith('a floor') ? 'less than the floor' : name);
		expect(told).toEqual(expect.arrayContaining(['$ payout give-up PAYOUT --reason R', '$ order refund ORDER']));
		expect((await untilStatus(file.current(), partner, order, 'EXPIRED')).back.tx.id).toBeTruthy();
		expect(await timesPaid(order)).toBe(0);
	},
);

it('an order that is sealed with an address of another number is paid once its row is put back with its seal, as the cause says', async () => {
	const order = await attacked(32, 'SELECT ?1');
	const [was] = await file.current().sql<{ seal: string }>('SELECT seal FROM orders WHERE id = ?', order.id);
	await file.current().sql('UPDATE orders SET pay_in_index = pay_in_index + 100000 WHERE id = ?', order.id);
	await sealOrderAnew(file.current(), order.id);
	await send(true);
	const asks = /the pay-in address is not this order’s.*put it back as a backup has it, with its seal/;
	const { told } = await walk(
		order,
		asks,
		`UPDATE orders SET pay_in_index = pay_in_index % 100000, seal = '${was?.seal}' WHERE id = ?1`,
	);
	expect(told.filter((each) => each.startsWith('$'))).toEqual([]);
	const [, plan = ''] = /`(keys plan [^`]+)`/.exec(told[0] ?? '') ?? [];
	expect((await run(...plan.split(' '))).stderr).toBe('');
	await untilStatus(file.current(), partner, order, 'DONE');
	expect(await timesPaid(order)).toBe(1);
});

it('an order that was promised and is sealed on other terms is paid once its row is put back with its seal, as the cause says', async () => {
	const { sql } = file.current();
	const order = await attacked(34, 'SELECT ?1');
	const [was] = await sql<{ seal: string }>('SELECT seal FROM orders WHERE id = ?', order.id);
	const asked = { id: order.id, token: order.token, with: ['promise'] };
	const { data } = await signed<{ promise: unknown }>(file.current(), partner, '/api/v1/order', asked);
	expect(data.promise).toBeTruthy();
	await sql('UPDATE orders SET to_address = ? WHERE id = ?', ATTACKER, order.id);
	await sql('UPDATE transactions SET to_address = ? WHERE order_id = ?', ATTACKER, order.id);
	await sealOrderAnew(file.current(), order.id);
	await send(true);
	const asks = /promised on other terms.*put it back as a backup has it, with its seal/;
	const recipient = order.to.address;
	await walk(
		order,
		asks,
		`UPDATE orders SET to_address = '${recipient}', seal = '${was?.seal}' WHERE id = ?1`,
		`UPDATE transactions SET to_address = '${recipient}' WHERE order_id = ?1`,
	);
	await untilStatus(file.current(), partner, order, 'DONE');
	expect([await timesPaid(order), (await payoutsTo(file.current(), 'Ethereum', ATTACKER)).length]).toEqual([1, 0]);
});

it('of two payments for deposits of one order that are signed at once, the second is signed at its next try', async () => {
	const { sql, operator } = file.current();
	const order = await attacked(33, 'SELECT ?1');
	await operator('sandbox/deposit', { orders: [order.id], amount: '1' });
	const second = await eventually('the second deposit', async () => {
		const [row] = await sql<{ tx_id: string }>(
			"SELECT tx_id FROM deposits WHERE order_id = ? AND payout_id IS NULL AND state = 'final'",
			order.id,
		);
		return row?.tx_id;
	});
	// The index that keeps an order from having two is gone as well.
	await sql('DROP INDEX transactions_one_at_a_time');
	const refund = crypto.randomUUID();
	await sql('UPDATE deposits SET payout_id = ? WHERE tx_id = ?', refund, second);
	await sql(
		`INSERT INTO transactions (id, order_id, kind, network, asset, to_address, amount, usd_cents, state, planned_at, next_attempt_at, settlement_seal)
		 SELECT ?2, id, 'refund', 'Litecoin', 'LTC', refund_address, '99000000', 0, 'planned', 0, ?3, '' FROM orders WHERE id = ?1`,
		...[order.id, refund, NEVER],
	);
	await sealSettlementAnew(file.current(), refund);
	const [payout] = await sql<{ id: string }>(
		"SELECT id FROM transactions WHERE order_id = ? AND kind = 'payout'",
		order.id,
	);
	const vault = file.current().object<Vault>('VAULT', 'vault');
	const [one, other] = await Promise.all(
		[['Ethereum', String(payout?.id)] as const, ['Litecoin', refund] as const].map(([network, id]) =>
			vault.sign(network, [id], { entries: 0, nextIndex: 0 }),
		),
	);
	const outcomes = [...(one?.answer ?? []), ...(other?.answer ?? [])];
	expect(outcomes).toHaveLength(2);
	// On a busy machine the first may be signed before the second is judged, which is then in nobody's way.
	const refused = outcomes.flatMap((each) => ('refused' in each ? each.refused.kind : []));
	expect([[], ['deposits-paid-meanwhile']]).toContainEqual(refused);
	await send(true);
	await sql('UPDATE transactions SET next_attempt_at = 0 WHERE id = ?', refund);
	await untilStatus(file.current(), partner, order, 'DONE');
	await eventually('the other deposit to go back', async () => {
		const [row] = await sql<{ state: string }>('SELECT state FROM transactions WHERE id = ?', refund);
		return row?.state === 'sent' || row?.state === 'final';
	});
	await sql(
		"CREATE UNIQUE INDEX transactions_one_at_a_time ON transactions (order_id) WHERE state IN ('planned', 'signed')",
	);
	expect(await timesPaid(order)).toBe(1);
});

it('a payout that is sealed above the worth of its deposit is taken back, and its order sent back, by the printed commands', async () => {
	const order = await attacked(30, "UPDATE transactions SET amount = '1' || amount WHERE order_id = ?1");
	const [row] = await file.current().sql<{ id: string }>('SELECT id FROM transactions WHERE order_id = ?', order.id);
	await sealSettlementAnew(file.current(), String(row?.id));
	await send(true);
	const { told } = await walk(order, null);
	expect(told[0]).toContain('amount above what the deposit is worth');
	expect(told).toEqual(expect.arrayContaining(['$ payout give-up PAYOUT --reason R', '$ order refund ORDER']));
	expect((await untilStatus(file.current(), partner, order, 'EXPIRED')).back.tx.id).toBeTruthy();
	expect(await timesPaid(order)).toBe(0);
});

/** What is changed, what the cause asks for, and how the operator puts it back. */
const PUT_BACK: Record<string, readonly [attack: string, asks: RegExp, back: string]> = {
	'the recipient of an order': [
		`UPDATE orders SET to_address = '${ATTACKER}' || to_address WHERE id = ?1`,
		/the order is not as it was sealed.*`network check`.*put it back as a backup has it/,
		`UPDATE orders SET to_address = replace(to_address, '${ATTACKER}', '') WHERE id = ?1`,
	],
	'the amount of a deposit to none': [
		"UPDATE deposits SET amount = '0' || amount WHERE order_id = ?1",
		/a deposit row of this order has .*, or an amount that is none.*put it back as the chain shows it/,
		"UPDATE deposits SET amount = ltrim(amount, '0') WHERE order_id = ?1",
	],
	'the address of a deposit': [
		"UPDATE deposits SET address = 'x' || address WHERE order_id = ?1",
		/a deposit row of this order has an address.*put it back as the chain shows it/,
		"UPDATE deposits SET address = ltrim(address, 'x') WHERE order_id = ?1",
	],
};

describe('somebody changes', () => {
	it.each(Object.entries(PUT_BACK))(
		'%s: once it is put back, as the cause says, the payout goes out by itself',
		async (name, change) => {
			const [attack, asks, back] = change;
			const order = await attacked(10 + Object.keys(PUT_BACK).indexOf(name), attack);
			await send(true);
			const { told } = await walk(order, asks, back);
			// Nothing else is offered that would lead nowhere.
			expect(told.filter((each) => each.startsWith('$'))).toEqual([]);
			await untilStatus(file.current(), partner, order, 'DONE');
			expect(await timesPaid(order)).toBe(1);
		},
	);

	it('the amount of a deposit: it is sent back once the row is as the chain has it', async () => {
		const order = await attacked(20, "UPDATE deposits SET amount = '300000000' WHERE order_id = ?1");
		await send(true);
		const asks =
			/^refund .*not final on the signer’s node.*compare `order show ID` with an explorer, and put the row back/;
		const { told } = await walk(order, asks, "UPDATE deposits SET amount = '200000000' WHERE order_id = ?1");
		expect(told).toEqual(expect.arrayContaining(['$ payout give-up PAYOUT --reason R', '$ order refund ORDER']));
		expect((await untilStatus(file.current(), partner, order, 'EXPIRED')).back.tx.id).toBeTruthy();
		expect(await timesPaid(order)).toBe(0);
	});
});
