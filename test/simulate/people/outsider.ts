/**
 * Somebody who may write any row of the database and has no key. Whatever they write, nothing may reach them, and no order
 * may be paid twice or for more than came. What they write is excused only where it is: the order counts as tampered with,
 * and an invented deposit is known by its id.
 */
import { getTableColumns } from 'drizzle-orm';
import { sandboxTxId } from '../../../src/chains/sandbox/transaction-id.ts';
import { keyRing } from '../../../src/crypto/key-ring.ts';
import { type OrderTerms, sealOrder } from '../../../src/orders/seal.ts';
import { orders } from '../../../src/orders/table.ts';
import type { Service } from '../service.ts';
import { SEAL_KEY } from '../settings.ts';
import type { World } from '../world.ts';
import { newAddress } from './addresses.ts';
import type { Story } from './orders.ts';

export interface Target {
	readonly service: Service;
	readonly world: World;
	/** Addresses of the outsider: nothing may ever reach them. */
	readonly stolenTo: string[];
}

type Order = Record<string, unknown>;
type Attack = (target: Target, order: Order) => void;

const write = ({ service }: Target, statement: string, ...values: (string | number)[]): void =>
	void service.d1.rows(statement, ...values);

function ownAddress({ world, stolenTo }: Target, network: unknown): string {
	const address = newAddress(String(network), world.random);
	stolenTo.push(address);
	return address;
}

/** The rows that name a recipient, where nothing is signed yet. */
const redirect =
	(column: 'to' | 'refund', isOrderToo: boolean): Attack =>
	(target, order) => {
		const id = String(order['id']);
		const address = ownAddress(target, order[column === 'to' ? 'to_network' : 'from_network']);
		if (isOrderToo) write(target, `UPDATE orders SET ${column}_address = ? WHERE id = ?`, address, id);
		const kind = column === 'to' ? 'payout' : 'refund';
		const set = 'UPDATE transactions SET to_address = ? WHERE order_id = ? AND kind = ? AND tx_id IS NULL';
		write(target, set, address, id, kind);
	};

const ATTACKS = {
	'another recipient': redirect('to', true),
	'another refund address': redirect('refund', true),
	'another recipient of the transaction': redirect('to', false),
	'another recipient of a token': (target, order) => {
		const address = ownAddress(target, order['from_network']);
		write(target, 'UPDATE unlisted_tokens SET to_address = ? WHERE order_id = ?', address, String(order['id']));
		const set = "UPDATE transactions SET to_address = ? WHERE kind = 'token' AND pay_in_address = ? AND tx_id IS NULL";
		write(target, set, address, String(order['pay_in_address']));
	},
	'ten times the amount': (target, { id }) => {
		const set = "UPDATE transactions SET amount = amount || '0' WHERE order_id = ? AND tx_id IS NULL";
		write(target, set, String(id));
	},
	/** Not where a node tells balances: real coins would hide behind the invented ones, and the ledger check says so. */
	'a deposit that never came': (target, order) => {
		const { service, world } = target;
		if (service.nodeOf(String(order['from_network']))) return;
		const txId = sandboxTxId('utxo', `invented ${order['id']} ${world.random.below(1e9)}`);
		service.lies.add(txId);
		const now = Math.floor(world.now);
		const insert = `INSERT INTO deposits (network, tx_id, position, order_id, address, asset, amount, state, first_seen_at, last_seen_at)
			SELECT from_network, ?, '0', id, pay_in_address, from_asset, ?, 'final', ?, ? FROM orders WHERE id = ?`;
		write(target, insert, txId, String(10n ** 19n), now, now, String(order['id']));
	},
	'the same payment again': (target, { id }) => {
		const insert = `INSERT INTO transactions (id, order_id, kind, network, asset, to_address, amount, usd_cents, state, planned_at, next_attempt_at, settlement_seal)
			SELECT ?, order_id, kind, network, asset, to_address, amount, usd_cents, 'planned', planned_at, 0, settlement_seal
			FROM transactions WHERE order_id = ? AND tx_id IS NOT NULL LIMIT 1`;
		const copy = `${target.world.random.below(1e9).toString(16).padStart(8, '0')}-0000-4000-a000-000000000000`;
		write(target, insert, copy, String(id));
	},
} as const satisfies Readonly<Record<string, Attack>>;

export type AttackName = keyof typeof ATTACKS;
export const ATTACK_NAMES = Object.keys(ATTACKS) as AttackName[];

/**
 * Somebody who has SEAL_KEY as well, as the API Worker has it: the order is sealed with another recipient. What was promised of
 * it before holds all the same.
 */
export async function attackUnderSeal(target: Target, story: Story): Promise<void> {
	attack(target, story, 'another recipient');
	const [order] = target.service.d1.rows('SELECT * FROM orders WHERE id = ?', String(story.id));
	const names = Object.entries(getTableColumns(orders)).map(([field, { name }]) => [field, order?.[name]]);
	const seal = await sealOrder(keyRing({ SEAL_KEY }, 'SEAL_KEY'), Object.fromEntries(names) as OrderTerms);
	write(target, 'UPDATE orders SET seal = ? WHERE id = ?', seal, String(story.id));
}

/** `what`: by chance where it is not named. Nothing is written where the order is not there yet. */
export function attack(target: Target, story: Story, what: AttackName = target.world.random.pick(ATTACK_NAMES)): void {
	if (!story.id) return;
	const [order] = target.service.d1.rows('SELECT * FROM orders WHERE id = ?', story.id);
	if (!order) return;
	story.isTampered = true;
	target.world.note(`somebody writes ${what} for ${story.id}`);
	try {
		ATTACKS[what](target, order);
	} catch (error) {
		// The schema itself refused the row.
		target.world.note(`and the database refuses: ${String(error)}`);
	}
}
