/** The slow pace of a network, and which rows keep it at its usual one. */
import { drizzle } from 'drizzle-orm/d1';
import { beforeEach, describe, expect, it } from 'vitest';
import { NETWORK_NAMES } from '../../src/catalog/networks.ts';
import { networkMode } from '../../src/chains/configuration.ts';
import { hasWork, isBusy, slowPollAfter } from '../../src/treasury/agent/pace.ts';
import { databaseInMemory, orderIdOf } from '../support/database.ts';

const NOW = 1_000_000_000;
const HOUR = 3_600_000;
const ADDRESS = '0x57a4';
let database: ReturnType<typeof databaseInMemory>;

beforeEach(() => {
	database = databaseInMemory();
});

const busy = (network: 'Ethereum' | 'Litecoin' = 'Ethereum') => isBusy(drizzle(database.d1), network, NOW);
const addOrder = async (status: string, expiresAt: number, set = ''): Promise<string> => {
	await database.addOrders({ addresses: [ADDRESS], expiresAt, status });
	const id = orderIdOf('Ethereum', status, ADDRESS);
	if (set) await database.run(`UPDATE orders SET ${set} WHERE id = ?`, id);
	return id;
};
const addDeposit = (orderId: string, state: string) =>
	database.run(
		`INSERT INTO deposits (network, tx_id, position, address, order_id, asset, amount, state, first_seen_at, last_seen_at)
		VALUES ('Ethereum', 't', '0', ?, ?, 'ETH', '1', ?, 0, 0)`,
		ADDRESS,
		orderId,
		state,
	);

describe('a network is busy', () => {
	it.each([
		['an order that waits for its deposit', 'NEW', NOW + HOUR, ''],
		['one whose window closed and that no poll has ended yet', 'NEW', NOW - HOUR, ''],
		['one whose deposit is not final', 'PENDING', NOW - HOUR, ''],
		['one that may be topped up', 'EMERGENCY', NOW + HOUR, ''],
		['one whose choice was made', 'EMERGENCY', NOW - HOUR, "emergency_choice = 'EXCHANGE'"],
	])('with %s', async (_, status, expiresAt, set) => {
		await addOrder(status, expiresAt, set);
		expect([await busy(), await busy('Litecoin')]).toEqual([true, false]);
	});

	it('with a deposit that may still be undone, whatever its order is', async () => {
		await addDeposit(await addOrder('EXPIRED', NOW - HOUR), 'seen');
		expect(await busy()).toBe(true);
	});

	it('with a transaction that is not final', async () => {
		await database.run(
			`INSERT INTO transactions (id, network, kind, asset, to_address, amount, usd_cents, state, planned_at, next_attempt_at)
			VALUES ('p', 'Ethereum', 'withdrawal', 'ETH', 'to', '1', 1, 'planned', 0, ?)`,
			NOW + HOUR,
		);
		expect(await busy()).toBe(true);
	});
});

describe('coins that go back', () => {
	const addStray = async (dueAt: number | null) =>
		database.run(
			`INSERT INTO strays (network, address, asset, order_id, counted, is_listed, found_at, looked_at, due_at)
			VALUES ('Ethereum', ?, 'USDCERC20', ?, '1', 0, 0, 0, ?)`,
			ADDRESS,
			await addOrder('EXPIRED', NOW - HOUR),
			dueAt,
		);

	it.each([
		['due now', NOW, true],
		['due in an hour', NOW + HOUR, false],
		['of which nothing is to be done', null, false],
	])('%s keep it busy: %s', async (_, dueAt, isKept) => {
		await addStray(dueAt);
		expect([await busy(), await busy('Litecoin')]).toEqual([isKept, false]);
	});

	it('keep it busy while the operator has asked for a token that is not listed', async () => {
		const id = await addOrder('EXPIRED', NOW - HOUR);
		await database.run(
			`INSERT INTO unlisted_tokens (network, address, token, order_id, amount, found_at)
			VALUES ('Ethereum', ?, '0x1', ?, '1', 0)`,
			ADDRESS,
			id,
		);
		expect(await busy()).toBe(false);
		await database.run("UPDATE unlisted_tokens SET asked_at = 1, to_address = 'a', to_seal = 's'");
		expect([await busy(), await busy('Litecoin')]).toEqual([true, false]);
	});
});

describe('a network is idle', () => {
	it.each([
		['no order', null, 0, ''],
		['an order that was never paid', 'EXPIRED', NOW - HOUR, ''],
		['one that was paid out within its window', 'DONE', NOW + HOUR, ''],
		['one that waits for the choice of a person', 'EMERGENCY', NOW - HOUR, ''],
		['one that was deleted', 'NEW', NOW + HOUR, 'deleted_at = 1'],
	])('with %s', async (_, status, expiresAt, set) => {
		if (status) await addOrder(status, expiresAt, set);
		expect(await busy()).toBe(false);
	});

	it('with deposits that are final or dropped', async () => {
		const id = await addOrder('EXPIRED', NOW - HOUR);
		await addDeposit(id, 'final');
		expect(await busy()).toBe(false);
		await database.run("UPDATE deposits SET tx_id = 'u'");
		await addDeposit(id, 'gone');
		expect(await busy()).toBe(false);
	});
});

describe('a poll at the slow pace has work', () => {
	const worked = (network: 'Ethereum' | 'Litecoin' = 'Ethereum') => hasWork(drizzle(database.d1), network, NOW);

	it('while anything is open', async () => {
		expect(await worked()).toBe(false);
		await addOrder('NEW', NOW + HOUR);
		expect([await worked(), await worked('Litecoin')]).toEqual([true, false]);
	});

	it('while an address may have to be swept, also one that waits for cheap hours', async () => {
		const id = await addOrder('DONE', NOW - HOUR);
		await database.run(
			"INSERT INTO sweep_candidates (network, order_id, attempts, next_attempt_at) VALUES ('Ethereum', ?, 0, ?)",
			id,
			NOW + HOUR,
		);
		expect([await worked(), await busy(), await worked('Litecoin')]).toEqual([true, false, false]);
	});

	it.each([
		['now', NOW, true],
		['in an hour', NOW + HOUR, false],
	])('with coins of an archived order that are due %s', async (_, dueAt, isFound) => {
		await database.run(
			`INSERT INTO overflows (network, address, asset, order_id, counted, swept, at, due_at)
			VALUES ('Ethereum', ?, 'ETH', 'o', '1', '0', 0, ?)`,
			ADDRESS,
			dueAt,
		);
		expect([await worked(), await worked('Litecoin')]).toEqual([isFound, false]);
	});
});

describe('the slow pace', () => {
	const paceOf = (variables: Record<string, string>) => {
		const { pollSeconds = 0, idleSeconds = 0 } = networkMode({ SANDBOX: 'on', ...variables }, 'Dash') ?? {};
		return [pollSeconds, idleSeconds];
	};

	it('is a minute, or what is set, and never faster than the usual one', () => {
		expect(paceOf({})).toEqual([2, 60]);
		expect(paceOf({ NODE_IDLE_POLL_SECONDS_DASH: '20' })).toEqual([2, 20]);
		expect(paceOf({ NODE_POLL_SECONDS_DASH: '100' })).toEqual([100, 100]);
	});

	it('is fast enough that a report of fees and reserves still holds when one poll fails', () => {
		const set = () => paceOf({ NODE_IDLE_POLL_SECONDS_DASH: '91' });
		expect(set).toThrow('NODE_IDLE_POLL_SECONDS_DASH is no whole number of seconds between 1 and 90');
	});
});

describe('the slow polls', () => {
	it('of all networks come one after the other, evenly apart, however their last ones began', () => {
		const next = NETWORK_NAMES.map((network) => slowPollAfter(NOW, network, 60)).sort((a, b) => a - b);
		expect(next.every((time) => time > NOW && time <= NOW + 60_000)).toBe(true);
		const apart = next.slice(1).map((time, i) => time - (next[i] ?? 0));
		expect(new Set(apart)).toEqual(new Set([60_000 / NETWORK_NAMES.length]));
	});

	it('of one network come at its own moment, also after a poll that began late', () => {
		const moment = slowPollAfter(NOW, 'Tron', 60);
		expect(slowPollAfter(moment, 'Tron', 60)).toBe(moment + 60_000);
		expect(slowPollAfter(moment + 7_000, 'Tron', 60)).toBe(moment + 60_000);
	});
});
