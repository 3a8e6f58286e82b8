import { drizzle } from 'drizzle-orm/d1';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { keyRing } from '../../src/crypto/key-ring.ts';
import { runBatch } from '../../src/platform/d1/batches.ts';
import type { Db } from '../../src/platform/d1/database.ts';
import { proveBooks } from '../../src/treasury/ledger/check.ts';
import { foldEntries } from '../../src/treasury/ledger/fold.ts';
import { expectedHoldings } from '../../src/treasury/ledger/holdings.ts';
import { accountBalances, insertEntries, owedToPartner } from '../../src/treasury/ledger/store.ts';
import { walletFlowUntil } from '../../src/treasury/ledger/wallet-store.ts';
import { addOrders, orderIdOf } from '../support/database.ts';
import { sqliteD1 } from '../support/sqlite-d1.ts';

const KEYS = keyRing({ SEAL_KEY: 'A'.repeat(43) }, 'SEAL_KEY');
const ORDERS = 4_010;
const SETTLED_AT = Date.UTC(2026, 10, 1);
const HOUR = 3_600_000;
/** The youngest entries are not sealed yet. */
const SEALED_AFTER = 600_000;
const TRIGGERS = ['ledger_entries_unchanged', 'ledger_entries_kept', 'ledger_entries_first', 'ledger_entries_added'];
/** Larger than 64 bits, and such that limbs carry. */
const HUGE = 123_456_789_999_999_999_999_999_999_999n;

const orderId = (i: number): string => orderIdOf('Ethereum', 'DONE', `address ${i}`);
const sumsOf = (rows: readonly { account: string; asset: string; amount: bigint }[]) =>
	Object.fromEntries(rows.map(({ account, asset, amount }) => [`${account} ${asset}`, amount]));

const { d1, run } = sqliteD1();
const db: Db = drizzle(d1);
let now = SETTLED_AT;

/** Every order takes HUGE + i wei for the partner, who was paid. */
function book(): void {
	const share = [
		['wallet', ''],
		['partnerPaid', '-'],
	];
	const entries = Array.from({ length: ORDERS }, (_, i) =>
		share.map(([account, sign]) => [orderId(i), 'settled', account, `${sign}${HUGE + BigInt(i)}`, SETTLED_AT + i]),
	).flat();
	run(
		`INSERT INTO ledger_entries SELECT null, value ->> 0, value ->> 1, value ->> 2, 'ETH', value ->> 3, value ->> 4 FROM json_each(?)`,
		JSON.stringify(entries),
	);
}

const proven = (fullFrom: number | null = null) => proveBooks(db, KEYS, { now, fullFrom });
const NOTHING_WRONG = { unbalanced: [], differing: [], brokenSeals: [], flows: [], withoutPiece: [], wronglyPaid: [] };

/** What someone can do who writes the database: the statements, past the triggers, which are put back. */
function tamper(...statements: string[]): void {
	const rows = run(
		`SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND name IN (SELECT value FROM json_each(?))`,
		JSON.stringify(TRIGGERS),
	);
	for (const name of TRIGGERS) run(`DROP TRIGGER ${name}`);
	for (const statement of statements) run(statement);
	for (const { sql } of rows) run(String(sql));
}

beforeAll(async () => {
	const partner = `INSERT INTO partners (id, name, api_key, api_secret_sealed, webhook_secret_sealed, created_at, updated_at)
		VALUES ('partner', 'Partner', 'key', '', '', 0, 0)`;
	run(partner);
	const addresses = Array.from({ length: ORDERS }, (_, i) => `address ${i}`);
	await addOrders(run, { addresses, expiresAt: 0, status: 'DONE' });
	book();
});
beforeEach(() => {
	now += HOUR;
});

describe('kept balances', () => {
	it('are the exact sums of the entries, beyond 64 bits, by account and by partner', async () => {
		const all = BigInt(ORDERS) * HUGE + BigInt((ORDERS * (ORDERS - 1)) / 2);
		expect(sumsOf(await accountBalances(db))).toEqual({ 'wallet ETH': all, 'partnerPaid ETH': -all });
		await addOrders(run, { addresses: ['due'], expiresAt: 0, status: 'NEW' });
		const due = orderIdOf('Ethereum', 'NEW', 'due');
		const add = (cause: string, account: string, amount: bigint) =>
			run(
				`INSERT INTO ledger_entries VALUES (null, ?, ?, ?, 'XMR', ?, ?)`,
				due,
				cause,
				account,
				`${amount}`,
				SETTLED_AT,
			);
		add('paid', 'partner', -HUGE);
		add('paid', 'wallet', HUGE);
		expect(await owedToPartner(db, 'partner')).toEqual([{ asset: 'XMR', amount: HUGE }]);
		expect(sumsOf(await accountBalances(db))).toMatchObject({ 'partner XMR': -HUGE, 'wallet XMR': HUGE });
	});

	it('have entries that nobody can change or delete', async () => {
		const where = `WHERE order_id = '${orderId(7)}'`;
		await expect(async () => run(`UPDATE ledger_entries SET at = at + 1 ${where}`)).rejects.toThrow('never changed');
		await expect(async () => run(`DELETE FROM ledger_entries ${where}`)).rejects.toThrow('never deleted');
		const long = `INSERT INTO ledger_entries VALUES (null, '${orderId(7)}', 'x', 'wallet', 'ETH', '1${'0'.repeat(36)}', 1)`;
		await expect(async () => run(long)).rejects.toThrow('amount too long');
	});
});

describe('the proofs of the kept balances', () => {
	it('cover all new entries in one run, and then a few old pieces in rotation', async () => {
		expect(await proven()).toMatchObject({ ...NOTHING_WRONG, pieces: 6, proven: 6, waiting: 0, orders: ORDERS + 1 });
		now += HOUR;
		// The opening balance and three pieces.
		expect(await proven()).toMatchObject({ ...NOTHING_WRONG, proven: 4, waiting: 0 });
		expect((await proven()).oldest).toBeGreaterThanOrEqual(now - HOUR);
		expect(await proven(0)).toMatchObject({ ...NOTHING_WRONG, proven: 6, next: null });
	});

	it('find an entry that was changed, within one rotation', async () => {
		const set = (amount: bigint) =>
			`UPDATE ledger_entries SET amount = '${amount}' WHERE order_id = '${orderId(5)}' AND account = 'wallet'`;
		tamper(set(HUGE + 6n));
		const runs = [];
		for (let i = 0; i < 2; i++) runs.push(await proven());
		expect(runs.flatMap(({ unbalanced }) => unbalanced)).toContainEqual({ order: orderId(5), asset: 'ETH', sum: 1n });
		const last = await proven();
		expect([last.differing, last.brokenSeals]).toMatchObject([[{ account: 'wallet', asset: 'ETH', piece: 1 }], [1]]);
		tamper(set(HUGE + 5n));
		expect(await proven(0)).toMatchObject(NOTHING_WRONG);
	});

	it('hold when a write arrives after the seal, however late: it is booked after what is sealed', async () => {
		const late = ['wallet', 'partnerPaid'].map((account, i) => ({
			orderId: orderId(2_003),
			cause: 'settled late',
			account,
			asset: 'ETH' as const,
			amount: i === 0 ? '7' : '-7',
			at: SETTLED_AT,
		}));
		expect(await proven(0)).toMatchObject(NOTHING_WRONG);
		await runBatch(db, insertEntries(db, late));
		expect(await proven(0)).toMatchObject(NOTHING_WRONG);
		const booked = "SELECT DISTINCT at FROM ledger_entries WHERE cause = 'settled late'";
		expect(run(booked)).toEqual([{ at: now - SEALED_AFTER + 1 }]);
	});

	it('find a changed balance at once', async () => {
		const add = (n: number) =>
			run(`UPDATE ledger_balances SET limb_2 = limb_2 + ${n} WHERE account = 'wallet' AND piece = 3`);
		add(1);
		expect((await proven()).differing).toContainEqual({
			account: 'all accounts',
			asset: 'ETH',
			kept: 10n ** 18n,
			found: 0n,
			piece: null,
		});
		add(-1);
		expect(await proven(0)).toMatchObject(NOTHING_WRONG);
	});

	it('find coins moved between two orders in entries and balances alike, by the seal', async () => {
		const move = (n: bigint) =>
			[11, 12].flatMap((i, k) => {
				const [plus, minus] = k === 0 ? [n, -n] : [-n, n];
				const set = (account: string, amount: bigint) =>
					`UPDATE ledger_entries SET amount = '${amount}' WHERE order_id = '${orderId(i)}' AND account = '${account}'`;
				return [set('wallet', HUGE + BigInt(i) + plus), set('partnerPaid', -(HUGE + BigInt(i)) + minus)];
			});
		tamper(...move(1_000n));
		expect(await proven(0)).toMatchObject({ unbalanced: [], differing: [], brokenSeals: [1] });
		tamper(...move(0n));
		expect(await proven(0)).toMatchObject(NOTHING_WRONG);
	});

	it('find entries that were written past the triggers', async () => {
		await addOrders(run, { addresses: ['rogue'], expiresAt: 0, status: 'EXPIRED' });
		const rogue = orderIdOf('Ethereum', 'EXPIRED', 'rogue');
		tamper(`INSERT INTO ledger_entries VALUES (null, '${rogue}', 'x', 'wallet', 'ETH', '1', 1)`);
		expect((await proven(0)).withoutPiece).toEqual([rogue]);
		tamper(`DELETE FROM ledger_entries WHERE order_id = '${rogue}'`);
		expect(await proven(0)).toMatchObject(NOTHING_WRONG);
	});
});

describe('folding', () => {
	const ids = Array.from({ length: 400 }, (_, i) => orderId(i));
	const fold = async (orders: readonly string[]) => {
		const folding = await foldEntries(db, KEYS, orders, now);
		if ('refused' in folding) return folding;
		await runBatch(db, folding.statements);
		return null;
	};
	const entriesOf = (id: string) => run('SELECT count(*) AS n FROM ledger_entries WHERE order_id = ?', id)[0]?.['n'];

	it('is refused for an order that still owes somebody, and for a piece that does not hold', async () => {
		const due = orderIdOf('Ethereum', 'NEW', 'due');
		expect(await fold([orderId(1), due])).toEqual({ refused: 'open', orders: [due] });
		const set = (at: number) => `UPDATE ledger_entries SET at = ${at} WHERE order_id = '${orderId(2)}'`;
		tamper(set(1));
		expect(await fold([orderId(1), orderId(1_500)])).toEqual({
			refused: 'not-proven',
			orders: [orderId(1)],
			pieces: [1],
		});
		tamper(set(SETTLED_AT + 2));
	});

	it('removes the entries and keeps every balance, count and proof', async () => {
		const before = await proven(0);
		expect(await fold(ids)).toBeNull();
		expect(await fold(ids)).toBeNull();
		const after = await proven(0);
		expect(after).toEqual({ ...before, oldest: after.oldest });
		expect(after).toMatchObject(NOTHING_WRONG);
		expect([entriesOf(orderId(399)), entriesOf(orderId(400))]).toEqual([0, 2]);
	});

	it('fails as a whole where something was booked for one of the orders meanwhile', async () => {
		const folding = await foldEntries(db, KEYS, [orderId(500), orderId(501)], now);
		if ('refused' in folding) throw new Error(folding.refused);
		const add = (account: string, amount: string) =>
			run(
				`INSERT INTO ledger_entries VALUES (null, ?, 'refunded t', ?, 'ETH', ?, ?)`,
				orderId(501),
				account,
				amount,
				now,
			);
		add('wallet', '7');
		add('networkFee', '-7');
		await expect(runBatch(db, folding.statements)).rejects.toThrow('the books changed');
		expect([entriesOf(orderId(500)), entriesOf(orderId(501))]).toEqual([2, 4]);
		expect(await fold([orderId(500), orderId(501)])).toBeNull();
		expect(await proven(0)).toMatchObject(NOTHING_WRONG);
	});

	it('drops a piece that has no orders left, and finds an opening balance that was changed', async () => {
		const placed = run('SELECT order_id FROM ledger_orders WHERE piece = 2');
		expect(await fold(placed.map((row) => String(row['order_id'])))).toBeNull();
		expect(await proven(0)).toMatchObject({ ...NOTHING_WRONG, pieces: 5 });
		run(
			"UPDATE ledger_balances SET limb_0 = limb_0 + iif(account = 'wallet', 1, -1) WHERE piece = 0 AND account IN ('wallet', 'partnerPaid')",
		);
		expect(await proven()).toMatchObject({ brokenSeals: [0] });
	});
});

describe('what rows leave behind that are deleted with their order', () => {
	it('stays in the wallets’ flows and in what they should hold', async () => {
		const row = (id: string, state: string, fee: string, settled: string | null) =>
			run(
				`INSERT INTO transactions (id, order_id, kind, network, asset, to_address, amount, usd_cents, state, raw, tx_id, fee,
				planned_at, sent_at, final_at, next_attempt_at, settled_tx_id, settlement_seal)
				VALUES (?1, ?2, 'payout', 'Ethereum', 'ETH', 'to', ?3, 1, ?4, 'raw', ?1, ?5, 1, 1, ?6, 1, ?7, '')`,
				id,
				orderId(id.length + 3_000),
				`${HUGE}`,
				state,
				fee,
				SETTLED_AT,
				settled,
			);
		row('a', 'final', '21000', null);
		row('bb', 'final', '0', 'by hand');
		row('ccc', 'sent', '-5', null);
		run(
			`INSERT INTO deposits (network, tx_id, position, order_id, address, asset, amount, state, dust, first_seen_at, last_seen_at)
			VALUES ('Ethereum', 'dust', '0', ?, 'address', 'ETH', '77', 'final', 1, 1, 1)`,
			orderId(3_001),
		);
		const read = async () => [await expectedHoldings(db), await walletFlowUntil(db, 'Ethereum', now)];
		const before = await read();
		expect(before).toMatchObject([{}, { fees: [{ kind: 'payout', amount: 20_995n }], moved: [{ amount: HUGE }] }]);
		run('DELETE FROM transactions');
		run('DELETE FROM deposits');
		expect(await read()).toEqual(before);
		expect((await proven(0)).flows).toEqual([]);
		run('UPDATE wallet_flows SET fee_0 = fee_0 + 1, transactions = 1 WHERE day >= 0');
		expect((await proven(0)).flows).toEqual([{ network: 'Ethereum', day: SETTLED_AT / 86_400_000 }]);
	});
});
