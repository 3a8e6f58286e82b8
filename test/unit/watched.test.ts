/** Which addresses a poll queries, on SQLite: open ones always, old ones at low cost. */
import { drizzle } from 'drizzle-orm/d1';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DUST_PER_ORDER, watchedAddresses } from '../../src/treasury/deposits/watch-list.ts';
import {
	classesOf,
	knownBesidesDust,
	knownDeposits,
	movesAt,
	ordersOf,
} from '../../src/treasury/deposits/watch-store.ts';
import { databaseInMemory, orderIdOf, startDatabase, type TestDatabase } from '../support/database.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NOW = Date.UTC(2026, 10, 20, 12);
/** Polls after which every address has been queried. */
const ROUND = 100;

const database = databaseInMemory();

beforeEach(async () => {
	for (const table of ['deposits', 'transactions', 'orders']) await database.run(`DELETE FROM ${table}`);
});

interface Order {
	/** Milliseconds until the window closes; negative once it is closed. */
	readonly closesIn: number;
	readonly status?: string;
	readonly network?: string;
}

/** The addresses are `NEW0`, `NEW1`, …, by status and derivation index. */
async function addOrders(count: number, { closesIn, status = 'NEW', network = 'Ethereum' }: Order): Promise<void> {
	const addresses = Array.from({ length: count }, (_, index) => `${status}${index}`);
	await database.addOrders({ addresses, expiresAt: NOW + closesIn, status, network });
}

const named = async (poll: number, since = NOW): Promise<string[]> =>
	(await watchedAddresses(drizzle(database.d1), { network: 'Ethereum', since, poll, which: 'in turn' })).map(
		({ address }) => address,
	);

it('knows whether any watched order waits for an asset', async () => {
	const anyOf = async (asset: 'ETH' | 'USDTERC20') => {
		const which = { anyOf: asset };
		return watchedAddresses(drizzle(database.d1), { network: 'Ethereum', since: NOW, poll: 0, which });
	};
	await addOrders(3, { closesIn: -31 * DAY, status: 'EXPIRED' });
	expect(await anyOf('ETH')).toEqual([]);
	await addOrders(3, { closesIn: -29 * DAY });
	expect(await anyOf('ETH')).toMatchObject([{ asset: 'ETH' }]);
	expect(await anyOf('USDTERC20')).toEqual([]);
});

describe('each poll queries', () => {
	it.each([
		['the window is open', { closesIn: HOUR }],
		['the window has a day to go', { closesIn: DAY }],
		['the window closed an hour ago', { closesIn: -HOUR }],
		['the deposit is on its way', { closesIn: -5 * DAY, status: 'PENDING' }],
		['the order waits for somebody', { closesIn: -29 * DAY, status: 'EMERGENCY' }],
	])('every address of which %s', async (_, order) => {
		await addOrders(200, order);
		for (const poll of [0, 1, 57]) expect(new Set(await named(poll)).size).toBe(200);
	});

	it('no expired address, and none of another network', async () => {
		await addOrders(100, { closesIn: -31 * DAY, status: 'EMERGENCY' });
		await addOrders(100, { closesIn: -31 * DAY, status: 'EXPIRED' });
		await addOrders(100, { closesIn: HOUR, network: 'Polygon' });
		for (const poll of [0, 1, 2, 57]) expect(await named(poll)).toEqual([]);
	});
});

describe('in turn', () => {
	it('a tenth of the addresses whose window closed today is queried, each once in ten polls', async () => {
		await addOrders(200, { closesIn: -5 * HOUR, status: 'EXPIRED' });
		const polls = await Promise.all(Array.from({ length: 10 }, (_, poll) => named(1_000 + poll)));
		expect(polls.map(({ length }) => length)).toEqual(Array(10).fill(20));
		expect(new Set(polls.flat()).size).toBe(200);
	});

	it('a hundredth of the older ones is queried, each once in a hundred polls', async () => {
		await addOrders(200, { closesIn: -20 * DAY, status: 'DONE' });
		const db = drizzle(database.d1);
		const polls = await Promise.all(
			Array.from({ length: ROUND }, (_, poll) => {
				const older = classesOf({ network: 'Ethereum', since: NOW, poll, which: 'in turn' }).at(-1);
				return older ? ordersOf(db, older, undefined) : [];
			}),
		);
		expect(new Set(polls.map(({ length }) => length))).toEqual(new Set([2]));
		expect(new Set(polls.flat().map(({ id }) => id)).size).toBe(200);
		expect(await named(7)).toEqual(polls[7]?.map(({ payInAddress }) => payInAddress));
	});

	it('after an outage all addresses that were open at the last poll are queried at once', async () => {
		await addOrders(200, { closesIn: -10 * DAY });
		expect((await named(0)).length).toBe(2);
		const beforeOutage = NOW - 10 * DAY - MINUTE;
		expect((await named(0, beforeOutage)).length).toBe(200);
	});

	it('an address that is flooded with dust is queried once a round, so that it slows down no other', async () => {
		await addOrders(2, { closesIn: HOUR });
		await database.run(
			`INSERT INTO deposits (network, tx_id, position, order_id, address, asset, amount, state, dust, first_seen_at, last_seen_at)
			SELECT 'Ethereum', 't' || key, 'native', ?, 'NEW1', 'ETH', '5', 'final', 1, 0, 0 FROM json_each(?)`,
			orderIdOf('Ethereum', 'NEW', 'NEW1'),
			JSON.stringify(Array(DUST_PER_ORDER).fill(0)),
		);
		expect(await named(0)).toEqual(['NEW0']);
		expect(await named(1)).toEqual(['NEW1', 'NEW0']);
		expect(await named(ROUND + 1)).toContain('NEW1');
	});
});

describe('recorded dust', () => {
	const addDust = (orderId: string, address: string, amounts: readonly string[], state = 'final') =>
		database.run(
			`INSERT INTO deposits (network, tx_id, position, order_id, address, asset, amount, state, dust, first_seen_at, last_seen_at)
			SELECT 'Ethereum', 't' || key, ?4, ?1, ?2, 'ETH', value, ?4, 1, 0, 0 FROM json_each(?3)`,
			orderId,
			address,
			JSON.stringify(amounts),
			state,
		);

	it('is given as its exact sum without dropped deposits, and one by one for named transactions', async () => {
		await addOrders(1, { closesIn: HOUR });
		const orderId = orderIdOf('Ethereum', 'NEW', 'NEW0');
		const large = '123456789012345678901234567890';
		await addDust(orderId, 'NEW0', [large, large, '1'], 'final');
		await addDust(orderId, 'NEW0', ['1000', '7'], 'seen');
		await database.run("UPDATE deposits SET state = 'gone' WHERE amount = '1000'");
		const turn = { network: 'Ethereum', since: NOW, poll: 0 } as const;
		const [inTurn] = await watchedAddresses(drizzle(database.d1), { ...turn, which: 'in turn' });
		const sum = 2n * BigInt(large) + 8n;
		expect(inTurn?.known).toEqual([{ txId: '', position: 'dust', address: 'NEW0', asset: 'ETH', amount: sum }]);
		const [byName] = await watchedAddresses(drizzle(database.d1), { ...turn, which: ['NEW0'] });
		expect(byName?.known.map(({ txId }) => txId).toSorted()).toEqual(['t0', 't1', 't1', 't2']);
		expect(byName?.known.reduce((total, { amount }) => total + amount, 0n)).toBe(sum);
	});
});

describe('recorded dust, on the platform’s own database,', () => {
	let real: TestDatabase;
	beforeAll(async () => {
		real = await startDatabase();
	});
	afterAll(() => real?.stop());

	/** The number of rows that D1 reads for a poll. */
	async function rowsRead(): Promise<number> {
		let rows = 0;
		const counting = (statement: D1PreparedStatement): D1PreparedStatement =>
			({
				statement,
				bind: (...values: unknown[]) => counting(statement.bind(...values)),
				async raw() {
					const { results, meta } = await statement.all<Record<string, unknown>>();
					rows += meta.rows_read;
					return results.map((row) => Object.values(row));
				},
			}) as unknown as D1PreparedStatement;
		const d1 = {
			prepare: (query: string) => counting(real.d1.prepare(query)),
			async batch(statements: { statement: D1PreparedStatement }[]) {
				const results = await real.d1.batch(statements.map(({ statement }) => statement));
				for (const { meta } of results) rows += meta.rows_read;
				return results;
			},
		} as unknown as D1Database;
		await watchedAddresses(drizzle(d1), { network: 'Ethereum', since: NOW, poll: 0, which: 'in turn' });
		return rows;
	}

	it('costs a poll no row, even when each order has the most dust that does not count as a flood', async () => {
		const addresses = Array.from({ length: 100 }, (_, index) => `NEW${index}`);
		await real.addOrders({ addresses, expiresAt: NOW + HOUR });
		const before = await rowsRead();
		await real.run(
			`INSERT INTO deposits (network, tx_id, position, order_id, address, asset, amount, state, dust, first_seen_at, last_seen_at)
			SELECT 'Ethereum', 't' || key, 'native', orders.id, pay_in_address, 'ETH', '5', 'final', 1, 0, 0 FROM orders, json_each(?)`,
			JSON.stringify(Array(DUST_PER_ORDER - 1).fill(0)),
		);
		expect(await real.run('SELECT count(*) AS rows FROM deposits')).toEqual([{ rows: 100 * (DUST_PER_ORDER - 1) }]);
		expect(await rowsRead()).toBe(before);
	});
});

describe('a family that reads whole blocks', () => {
	const told = async (which?: readonly string[]) =>
		(await watchedAddresses(drizzle(database.d1), { network: 'Ethereum', since: NOW, poll: 0, which })).map(
			({ address }) => address,
		);

	it('gets all addresses that are watched, or those that it asks about, however old their orders are', async () => {
		await addOrders(150, { closesIn: HOUR });
		await addOrders(150, { closesIn: -29 * DAY, status: 'DONE' });
		await addOrders(150, { closesIn: -31 * DAY, status: 'EXPIRED' });
		expect((await told()).length).toBe(300);
		const named = ['NEW7', 'DONE8', 'EXPIRED9', 'somebody else’s', ...Array(6_000).fill('another')];
		expect((await told(named)).toSorted()).toEqual(['DONE8', 'EXPIRED9', 'NEW7']);
		expect(await told([])).toEqual([]);
	});
});

it('gets ten thousand open addresses, page by page, each with its recorded deposits', async () => {
	await addOrders(10_000, { closesIn: HOUR });
	await database.run(
		`INSERT INTO deposits (network, tx_id, position, order_id, address, asset, amount, state, first_seen_at, last_seen_at)
		SELECT from_network, 't' || id, 'native', id, pay_in_address, from_asset, '7', 'final', 0, 0 FROM orders`,
	);
	await database.run(
		`INSERT INTO transactions (id, kind, network, asset, to_address, amount, usd_cents, pay_in_address, pay_in_index,
			sweep_asset, state, raw, tx_id, fee, planned_at, sent_at, next_attempt_at)
		SELECT 's' || id, 'sweep', from_network, 'ETH', 'hot', '4', 0, pay_in_address, pay_in_index, 'ETH', 'final', 'raw', 't' || id,
			'3', 0, 0, 0 FROM orders`,
	);
	const watched = await watchedAddresses(drizzle(database.d1), {
		network: 'Ethereum',
		since: NOW,
		poll: 0,
		which: 'in turn',
		feePayer: 'address',
	});
	expect(watched.length).toBe(10_000);
	expect(new Set(watched.map(({ address }) => address)).size).toBe(10_000);
	expect(watched.every(({ known, swept }) => known[0]?.amount === 7n && known.length === 1 && swept === 7n)).toBe(true);
});

describe('no query reads all orders', () => {
	const planOf = async ({ sql, params }: { sql: string; params: unknown[] }): Promise<string> =>
		(await database.run(`EXPLAIN QUERY PLAN ${sql}`, ...params)).map(({ detail }) => String(detail)).join('; ');

	it.each([
		['open windows', 0, 'orders_watched (from_network=? AND expires_at>?)'],
		['deposits on their way', 1, 'orders_moving (from_network=?)'],
		['those of today', 2, 'orders_watched_today (from_network=? AND <expr>=? AND expires_at>?)'],
		['older ones', 3, 'orders_watched_in_turn (from_network=? AND <expr>=? AND expires_at>? AND expires_at<?)'],
	])('for %s', async (_, which, index) => {
		const classes = classesOf({ network: 'Ethereum', since: NOW, poll: 7, which: 'in turn' });
		const last = { id: 'o', expiresAt: NOW };
		for (const from of [undefined, last]) {
			const condition = classes[which];
			if (!condition) throw new TypeError('no such class');
			const plan = await planOf(ordersOf(drizzle(database.d1), condition, from).toSQL());
			expect(plan).toContain(`SEARCH orders USING INDEX ${index.split(' ')[0]}`);
			expect(plan).not.toContain('SCAN orders');
			if (!from) expect(plan).toContain(index);
		}
	});

	it('nor all deposits or payouts', async () => {
		const db = drizzle(database.d1);
		expect(await planOf(knownDeposits(db, ['o']).toSQL())).toContain('SEARCH deposits USING INDEX deposits_by_order');
		expect(await planOf(knownBesidesDust(db, ['o']).toSQL())).toContain(
			'SEARCH deposits USING INDEX deposits_not_dust (order_id=?)',
		);
		expect(await planOf(movesAt(db, 'Ethereum', ['a']).toSQL())).toContain(
			'SEARCH transactions USING INDEX transactions_sweeps (network=? AND pay_in_address=?)',
		);
	});
});
