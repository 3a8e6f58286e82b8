/** More orders wait after a restore than one answer names: the rest is counted, and named once those are done. */
import { drizzle } from 'drizzle-orm/d1';
import { beforeAll, expect, it } from 'vitest';
import { waitingTransactions } from '../../src/operator/attention/transactions.ts';
import { type Facts, MOST_ROWS } from '../../src/operator/attention/waiting.ts';
import type { Context } from '../../src/operator/command.ts';
import { doubtedOrders } from '../../src/operator/orders/doubted.ts';
import type { OrderPlace } from '../../src/ports/copy.ts';
import { settingsOf } from '../support/rows.ts';
import { type SqliteD1, sqliteD1 } from '../support/sqlite-d1.ts';

const ORDERS = 1_300;
/** The oldest: a person has confirmed them, and they wait for something else. */
const CONFIRMED = 600;
const PLANNED_FROM = 1_000;

let store: SqliteD1;
let context: Context;
let asked = 0;
const confirmed = new Set<string>();
const idOf = (i: number) => `order ${String(i).padStart(5, '0')}`;

/** With a value in each column that needs one. */
function insert(table: string, rows: readonly Record<string, string | number>[]): void {
	const columns = store.sqlite.prepare(`PRAGMA table_info(${table})`).all();
	const needed = columns.filter(({ notnull, dflt_value: given }) => notnull === 1 && given === null);
	const filled = Object.fromEntries(needed.map(({ name, type }) => [String(name), type === 'INTEGER' ? 1 : '1']));
	const names = Object.keys({ ...filled, ...rows[0] });
	const statement = store.sqlite.prepare(`INSERT INTO ${table} (${names}) VALUES (${names.map(() => '?')})`);
	for (const row of rows) statement.run(...Object.values({ ...filled, ...row }));
}

beforeAll(() => {
	store = sqliteD1();
	insert('partners', [{ id: '1' }]);
	const all = Array.from({ length: ORDERS }, (_, i) => i);
	insert(
		'orders',
		all.map((i) => ({
			id: idOf(i),
			created_at: i + 1,
			pay_in_address: `address ${i}`,
			pay_in_index: i,
			status: 'EXCHANGE',
			from_network: 'Litecoin',
			from_asset: 'LTC',
			to_network: 'Ethereum',
			to_asset: 'ETH',
			direction: 'from',
		})),
	);
	insert(
		'deposits',
		all.map((i) => ({
			order_id: idOf(i),
			network: 'Litecoin',
			asset: 'LTC',
			tx_id: `tx ${i}`,
			position: '0',
			dust: 0,
			address: `address ${i}`,
			amount: '5',
			state: 'final',
		})),
	);
	insert(
		'transactions',
		all
			.slice(PLANNED_FROM)
			.map((i) => ({
				id: `payout ${i}`,
				order_id: idOf(i),
				kind: 'payout',
				settlement_seal: 'of then',
				network: 'Ethereum',
				asset: 'ETH',
				amount: '7',
				state: 'planned',
				planned_at: ORDERS - i,
				usd_cents: 1,
				next_attempt_at: 1,
			})),
	);
	for (const i of all.slice(0, CONFIRMED)) confirmed.add(idOf(i));
	const SIGNER = {
		doubted: async (placed: readonly OrderPlace[]) => {
			asked += 1;
			return { orders: placed.map(({ id }) => id).filter((id) => !confirmed.has(id)), own: false };
		},
	};
	context = { db: drizzle(store.d1), env: { SIGNER }, now: Date.now() } as unknown as Context;
});

it('those that were confirmed before hide none, the oldest are named, and the others counted', async () => {
	const { orders, more } = await doubtedOrders(context);
	expect(orders.map(({ order }) => order.id)).toEqual(Array.from({ length: 500 }, (_, i) => idOf(CONFIRMED + i)));
	expect(more).toBe(ORDERS - CONFIRMED - 500);
	expect(orders.every(({ owed }) => owed === 5n)).toBe(true);
	// Each with what is planned for it, however much is planned for others before it.
	const planned = orders.filter(({ row }) => row).map(({ order, row }) => [order.id, row?.id]);
	expect(planned).toEqual(
		Array.from({ length: CONFIRMED + 500 - PLANNED_FROM }, (_, i) => [
			idOf(PLANNED_FROM + i),
			`payout ${PLANNED_FROM + i}`,
		]),
	);
	expect(asked).toBe(Math.ceil((ORDERS + 1) / 500));
});

it('and the rest is named once these are done, until none is left', async () => {
	const named = new Set<string>();
	for (let rounds = 0; rounds < 5; rounds++)
		for (const { order } of (await doubtedOrders(context)).orders) {
			named.add(order.id);
			confirmed.add(order.id);
		}
	expect(named.size).toBe(ORDERS - CONFIRMED);
	expect(await doubtedOrders(context)).toEqual({ orders: [], own: [], more: 0 });
});

it('`attention` says that more transactions wait than it names, and what names them', async () => {
	const rows = await waitingTransactions({ context, settings: settingsOf() } as unknown as Facts);
	expect(rows).toHaveLength(MOST_ROWS + 1);
	expect(rows.at(-1)).toMatchObject({ subject: 'more', todo: '`payout list --open --limit 500` names more' });
});
