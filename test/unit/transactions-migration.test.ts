/**
 * The migration of transactions (migrations/0023_transactions.sql), on a database of the version before with every
 * state of orders and transactions. No row is lost, and partners and operators see the same as before.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { getTableColumns } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/sqlite-proxy';
import { beforeAll, describe, expect, it } from 'vitest';
import { transactionRecord } from '../../src/operator/orders/record.ts';
import { orders } from '../../src/orders/table.ts';
import { orderView } from '../../src/orders/view.ts';
import { type TransactionRow, transactions } from '../../src/treasury/table.ts';
import { isDead } from '../../src/treasury/transactions/blocked.ts';
import { blockedReason, type StopKind, stopText, waitingReason } from '../../src/treasury/transactions/stop-reason.ts';

const MIGRATIONS = join(import.meta.dirname, '../../migrations');
const NEWEST = '0023_transactions.sql';
const NOW = 1_800_000_000_000;
const BY_HAND =
	'nothing else is ever sent for it: pay the recipient by hand, from another wallet, and close the case with `payout settle`';

const SIGNED_AGAIN =
	'; the signer signs it again by itself once its own node proves that no block can take this one any more';

/** The sentences of the previous version, each with its kind. */
const SENTENCES: readonly (readonly [StopKind, string])[] = [
	[
		'rejected',
		'the network refuses the signed transaction (min relay fee (1.2) not met); it is tried again by itself: fill the payout wallet if it lacks coins, else look at the node',
	],
	[
		'taken',
		`another transaction took its coins or its nonce (nonce too low: 5 < 7), so it cannot arrive; find that transaction at the payout wallet's address; ${BY_HAND}`,
	],
	['expired', `it was not taken before its time was over (block 12 of 10), so it cannot arrive any more; ${BY_HAND}`],
	[
		'reverted',
		`the chain took it and reverted it (0xabc), so nothing arrived; see in the explorer why the recipient did not take it; ${BY_HAND}`,
	],
	[
		'lost',
		'neither chain nor mempool holds it, 61 minutes after it was sent; it is broadcast again by itself: look whether the node is in step, and whether another transaction spent its coins',
	],
	[
		'unconfirmed',
		'no block holds it 245 minutes after it was sent, its fee was raised 3 times; it may still confirm and needs nothing but time: look at the explorer, and whether fees are above the ceiling',
	],
	['dropped', 'neither chain nor mempool holds it; it is broadcast again by itself'],
	['signer-unreachable', 'the signer does not answer: Error: Network connection lost.'],
	['earlier-nonce', 'waits for 0199a5b2-1c3d-7e4f, whose nonce comes first'],
	['depth-unknown', 'the chain does not say what became of it: ChainUnavailable: “timeout”\nof the node'],
	['fee-not-bumped', 'no block holds it, and its fee is not raised: the fee was raised 5 times already'],
	['note', 'daily cap of the signer: 190.00 USD is more than is left today'],
	['note', 'signing failed: Error: fetch failed'],
	['note', 'waits for nothing that this version knows'],
	['note', ''],
];
const KINDS = ['payout', 'refund', 'earnings', 'gas', 'sweep', 'withdrawal', 'consolidation'];
const STATES = ['planned', 'signed', 'sent', 'final'];
const STATUSES = ['NEW', 'PENDING', 'EXCHANGE', 'DONE', 'EXPIRED', 'EMERGENCY'];

type Row = Record<string, string | number | null>;

let database: DatabaseSync;
let before: { readonly tables: Map<string, Row[]>; readonly views: unknown[] };

const insert = (table: string, row: Row): void => {
	const names = Object.keys(row);
	const marks = names.map(() => '?').join(', ');
	database.prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${marks})`).run(...Object.values(row));
};
const rowsOf = (table: string): Row[] => database.prepare(`SELECT * FROM ${table}`).all() as Row[];
const tableNames = (): string[] =>
	database
		.prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
		.all()
		.map(({ name }) => String(name));

function addOrder(id: string, status: string, more: Row = {}): void {
	insert('orders', {
		...{ id, partner_id: 'p', from_asset: 'LTC', from_network: 'Litecoin', to_asset: 'ETH', to_network: 'Ethereum' },
		...{ direction: 'from', to_address: 'to', refund_address: 'back', pay_in_address: `at ${id}`, pay_in_index: 1 },
		...{ base_fee_bps: 50, afftax_bps: 10, seal: 's', token_hash: 't', request_hash: 'r', from_amount: '1' },
		...{ to_amount: '0.5', rate: '0.5', network_fee: '0.001', usd_cents: 9500, cap_day: '2027-01-15', status },
		...{ finished_at: status === 'DONE' ? NOW : null, payout_tx_id: status === 'DONE' ? `paid ${id}` : null },
		...{ created_at: 1, expires_at: 2, watch_until: 3, updated_at: 4, ...more },
	});
}

/** `n` makes each row's ids unique: one payout per order, one open sweep per address, and so on. */
function addTransaction(n: number, kind: string, state: string, more: Row = {}): string {
	const id = `${kind} ${n}`;
	const isOfOrder = kind === 'payout' || kind === 'refund';
	const isOfSweep = kind === 'gas' || kind === 'sweep';
	if (isOfOrder) addOrder(`order ${n}`, kind === 'payout' ? 'EXCHANGE' : 'EMERGENCY');
	const isSigned = state !== 'planned';
	const isSent = state === 'sent' || state === 'final';
	insert('payouts', {
		...{ id, kind, order_id: isOfOrder ? `order ${n}` : null, to_address: 'to', amount: '12345', usd_cents: n },
		// Each asset has at most one open withdrawal, each network one open consolidation.
		...{ network: isOfOrder ? 'Ethereum' : `network ${n}`, asset: isOfOrder ? 'ETH' : `asset ${n}` },
		...{ pay_in_address: isOfSweep ? `at ${n}` : null, pay_in_index: isOfSweep ? n : null },
		...{ sweep_asset: isOfSweep ? 'USDTERC20' : null, state, settlement_seal: isOfOrder ? `seal ${n}` : null },
		...{ raw: isSigned ? `raw ${n}` : null, tx_id: isSigned ? `tx ${n}` : null, signed_at: isSigned ? 11 : null },
		...{ sent_at: isSent ? 12 : null, final_at: state === 'final' ? 13 : null, fee: state === 'final' ? '-7' : null },
		...{ planned_at: 10, next_attempt_at: 14, attempts: n % 5, ...more },
	});
	return id;
}

function fill(): void {
	insert('partners', {
		...{ id: 'p', name: 'P', api_key: 'k', api_secret_sealed: '', webhook_secret_sealed: '', webhook_events: '[]' },
		...{ created_at: 0, updated_at: 0 },
	});
	for (const status of STATUSES) addOrder(`in ${status}`, status);
	addOrder('chosen', 'EMERGENCY', {
		emergency_choice: 'EXCHANGE',
		emergency_reasons: '["LIMIT"]',
		limit_side: 'above',
	});
	addOrder('refunded', 'EXPIRED', { refund_tx_id: 'sent back', deposit_tx_id: 'came in', deposit_amount: '1' });
	addOrder('deleted', 'EMERGENCY', { deleted_at: 5 });
	let n = 0;
	for (const kind of KINDS)
		for (const state of STATES) {
			addTransaction(n++, kind, state);
			if (state === 'final') continue;
			for (const [, held] of SENTENCES) addTransaction(n++, kind, state, { held, waits_because: held, waits_since: n });
			for (const [, waits_because] of SENTENCES) addTransaction(n++, kind, state, { waits_because, waits_since: n });
		}
	// Blocked by a version that stored no reason; given up; paid by hand.
	addTransaction(n++, 'payout', 'sent', { held: SENTENCES[1]?.[1] ?? '' });
	addTransaction(n++, 'payout', 'sent', { held: SENTENCES[3]?.[1] ?? '', final_at: 13, fee: '21000' });
	for (const kind of ['payout', 'refund', 'earnings', 'withdrawal'])
		addTransaction(n++, kind, 'final', { settled_tx_id: 'by hand' });
	const bumped = addTransaction(n++, 'payout', 'sent');
	for (const at of [1, 2])
		insert('payout_replacements', { payout_id: bumped, tx_id: `v${at}`, raw: 'r', replaced_at: at });
	fillBooks(bumped);
}

function fillBooks(payoutId: string): void {
	const of = (order_id: string) => ({
		network: 'Litecoin',
		order_id,
		address: `at ${order_id}`,
		asset: 'LTC',
		position: '0',
	});
	const times = { first_seen_at: 1, last_seen_at: 2 };
	const deposit = (tx_id: string, more: Row) => insert('deposits', { tx_id, ...times, amount: '100', ...more } as Row);
	for (const state of ['seen', 'final', 'gone']) deposit(`is ${state}`, { ...of('in PENDING'), state });
	deposit('claimed', { ...of('in DONE'), state: 'final', payout_id: payoutId });
	deposit('aside', { ...of('in EXPIRED'), state: 'final', set_aside: 1 });
	deposit('dust', { ...of('in NEW'), state: 'seen', dust: 1 });
	insert('ledger_entries', {
		order_id: 'in DONE',
		cause: 'given up x',
		account: 'wallet',
		asset: 'LTC',
		amount: '-1',
		at: 1,
	});
	insert('sweep_candidates', { network: 'Litecoin', order_id: 'in DONE', looks: 3, next_look_at: 99 });
	const plan = {
		partner_id: 'p',
		asset: 'ETH',
		network: 'Ethereum',
		address: 'a',
		amount: '1',
		usd_cents: 1,
		order_count: 1,
	};
	insert('partner_payouts', { id: 'planned', ...plan, planned_at: 1 });
	insert('partner_payouts', { id: 'paid', ...plan, planned_at: 1, tx_id: 't', paid_at: 2 });
	insert('partner_payout_orders', { order_id: 'in DONE', payout_id: 'paid' });
	insert('order_changes', { order_id: 'in DONE', sequence: 1, status: 'DONE', cause: 'paid', at: 1 });
}

const db = () =>
	drizzle(async (query, params) => {
		const statement = database.prepare(query);
		statement.setReturnArrays(true);
		return { rows: statement.all(...(params as (string | number)[])) };
	});
/** What this schema has of an order; later migrations added the rest. */
const { externalId: _, externalIdUnique: __, paidCents: ___, chosenAt: ____, ...columns } = getTableColumns(orders);
const LATER = { externalId: null, externalIdUnique: false, paidCents: 0, chosenAt: null };
const views = async () =>
	(await db().select(columns).from(orders).orderBy(orders.id)).map((order) => orderView({ ...order, ...LATER }, NOW));

beforeAll(async () => {
	database = new DatabaseSync(':memory:');
	database.exec('PRAGMA foreign_keys = on');
	const migrate = (name: string) => database.exec(`BEGIN; ${readFileSync(join(MIGRATIONS, name), 'utf8')}; COMMIT`);
	for (const name of readdirSync(MIGRATIONS).sort()) if (name < NEWEST) migrate(name);
	fill();
	before = { tables: new Map(tableNames().map((name) => [name, rowsOf(name)])), views: await views() };
	migrate(NEWEST);
});

/** What this schema has of a transaction; migration 0049 added the rest. */
const { earnedSeal: _____, ...transactionColumns } = getTableColumns(transactions);

/** Each transaction with its row from before the migration. */
async function pairs(): Promise<[Row, TransactionRow][]> {
	const rows = await db().select(transactionColumns).from(transactions);
	const after = new Map(rows.map((row) => [row.id, { ...row, earnedSeal: null }]));
	return (before.tables.get('payouts') ?? []).map((old) => {
		const row = after.get(String(old['id']));
		if (!row) throw new Error(`lost: ${old['id']}`);
		return [old, row];
	});
}

describe('the migration of transactions', () => {
	it('loses no row, and changes only names and the reasons why a transaction stops', async () => {
		const {
			blocked_kind: _,
			blocked_facts: __,
			waits_kind: ___,
			waits_facts: ____,
			...kept
		} = rowsOf('transactions')[0] ?? {};
		const columns = Object.keys(kept);
		const pick = (row: Row) => columns.map((name) => row[name]);
		const old = before.tables.get('payouts') ?? [];
		expect(old.length).toBeGreaterThan(600);
		expect(rowsOf('transactions').map(pick)).toEqual(old.map(pick));
		expect(columns.length).toBe(Object.keys(old[0] ?? {}).length - 2);
		expect(rowsOf('transaction_versions')).toEqual(
			(before.tables.get('payout_replacements') ?? []).map(({ payout_id: transaction_id = null, ...row }) => ({
				transaction_id,
				...row,
			})),
		);
		expect(rowsOf('sweep_candidates')).toEqual([
			{ network: 'Litecoin', order_id: 'in DONE', attempts: 3, next_attempt_at: 99 },
		]);
	});

	it('leaves every other table as it was, and no table behind', () => {
		const renamed = ['payouts', 'payout_replacements', 'sweep_candidates'];
		for (const [name, rows] of before.tables) if (!renamed.includes(name)) expect(rowsOf(name)).toEqual(rows);
		const names = [...before.tables.keys()].filter((name) => !['payouts', 'payout_replacements'].includes(name));
		expect(tableNames()).toEqual([...names, 'transactions', 'transaction_versions'].sort());
		expect(database.prepare('PRAGMA foreign_key_check').all()).toEqual([]);
		expect(database.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
	});

	it('shows partners every order as before', async () => {
		expect(before.views.length).toBeGreaterThan(100);
		expect(await views()).toEqual(before.views);
	});

	it('shows operators the same sentence for every transaction, in the current words', async () => {
		const text = (reason: ReturnType<typeof blockedReason>) => reason && stopText(reason);
		const ofToday = (sentence: Row[string] = null) =>
			sentence === null
				? null
				: String(sentence)
						.replace('the payout wallet', 'the hot wallet')
						.replace('its fee was raised', 'its fee was bumped')
						.replace('its fee is not raised', 'no new version of it is signed')
						.replace(/(its time was over \(.*\)), so it cannot arrive any more; .*$/, `$1${SIGNED_AGAIN}`)
						.replace(/(mempool holds it; it is broadcast again by itself)$/, '$1 where its bytes are here');
		for (const [old, row] of await pairs()) {
			const [held, because] = [ofToday(old['held']), ofToday(old['waits_because'])];
			expect([text(blockedReason(row)), text(waitingReason(row))]).toEqual([held, because]);
			if (row.orderId === null) continue;
			const shown = transactionRecord(row, [], { inactiveAssets: [], networks: {} });
			expect(shown).toMatchObject({ held, waitsBecause: held ?? because });
			expect(shown.waitsSince === null).toBe(old['waits_since'] === null);
		}
	});

	it('finds the kind of each sentence of the previous version', async () => {
		const kinds = new Map(SENTENCES.map(([kind, sentence]) => [sentence, kind]));
		for (const [old, row] of await pairs()) {
			expect(row.blockedKind).toBe(old['held'] === null ? null : kinds.get(String(old['held'])));
			expect(row.waitsKind).toBe(old['waits_because'] === null ? null : kinds.get(String(old['waits_because'])));
		}
	});

	it('lets the operator settle by hand what they could settle before, except what is signed again by itself', async () => {
		const couldBefore = ({ state, held, final_at: finalAt }: Row): boolean =>
			(state === 'signed' || state === 'sent') &&
			(String(held).startsWith('another transaction took') ||
				(String(held).startsWith('the chain took it and reverted it') && finalAt !== null));
		const all = await pairs();
		expect(all.filter(([old]) => couldBefore(old)).length).toBeGreaterThan(20);
		for (const [old, row] of all) expect(isDead(row)).toBe(couldBefore(old));
	});
});

it.each([
	['another transaction took its coins or its nonce', 'taken', { message: '' }],
	[
		'another transaction took its coins or its nonce (so an older version said)',
		'taken',
		{ message: 'so an older version said)' },
	],
	['it was not taken before its time was over (too late)', 'expired', { message: 'too late)' }],
	['the chain took it and reverted it: 0xabc', 'reverted', { txId: ': 0xabc' }],
	[
		'neither chain nor mempool holds it, as an older version said',
		'note',
		{ text: 'neither chain nor mempool holds it, as an older version said' },
	],
])('a sentence of an older version keeps its meaning and its words: %s', (held, kind, facts) => {
	const old = new DatabaseSync(':memory:');
	for (const name of readdirSync(MIGRATIONS).sort()) {
		if (name === NEWEST)
			old
				.prepare(
					`INSERT INTO payouts (id, kind, network, asset, to_address, amount, usd_cents, state, raw, tx_id, held, planned_at, next_attempt_at)
					VALUES ('t', 'earnings', 'n', 'a', 'to', '1', 1, 'signed', 'r', 't', ?, 1, 1)`,
				)
				.run(held);
		old.exec(readFileSync(join(MIGRATIONS, name), 'utf8'));
	}
	const row = old.prepare('SELECT blocked_kind, blocked_facts FROM transactions').get() ?? {};
	expect(row['blocked_kind']).toBe(kind);
	expect(JSON.parse(String(row['blocked_facts']))).toEqual(facts);
});
