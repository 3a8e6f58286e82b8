/**
 * Part five: is the service as fast after years? A database with many finished and open orders, copied from real ones by
 * SQL while the service is stopped, against a database with those few: the same calls to both in turns, as ratios.
 */
import { cpSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type CreatedOrder, create, untilStatus } from '../support/orders.ts';
import { type Credentials, createPartner, signed } from '../support/partner.ts';
import { eventually, startTestService, type TestService } from '../support/service.ts';
import { median } from './report.ts';

export interface YearsPlan {
	readonly finished: number;
	readonly open: number;
	readonly rounds: number;
}

export interface YearsResult {
	readonly ratios: readonly { readonly what: string; readonly empty: number; readonly full: number }[];
	/** Without the pauses between comparisons of the wallets: copied orders have no coins, so they differ. */
	readonly checkSeconds: number;
	readonly megabytes: number;
}

/** Tables that have rows of an order, and what makes a copied row differ: `{n}` is the number of the copy. */
const COPIED: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
	[
		'orders',
		{ id: 'ID', pay_in_address: "pay_in_address || '{n}'", idempotency_key: 'NULL', created_at: 'created_at - {n}' },
	],
	['order_changes', { order_id: 'ID' }],
	['deposits', { order_id: 'ID', tx_id: "tx_id || '{n}'", payout_id: "payout_id || '{n}'" }],
	['transactions', { id: "id || '{n}'", order_id: 'ID', tx_id: "tx_id || '{n}'" }],
	['ledger_entries', { order_id: 'ID' }],
	['webhook_events', { id: "id || '{n}'", order_id: 'ID' }],
];
const POOL = { ADDRESS_POOL: '200' };
/** Of `ledger check`: three, of 1.5 s (`operator/commands/ledger.ts`). */
const PAUSES_MILLISECONDS = 4_500;
const DAY_CAP_USD = 1_000_000_000_000;

/** Ids of copies are as random as those of orders. */
const ID = "printf('%08x-%012x', abs(random()) % 4294967296, {n} * 2 + KIND)";

export async function measureYears(plan: YearsPlan): Promise<YearsResult> {
	const folder = mkdtempSync(join(tmpdir(), 'partner-exchange-years-'));
	try {
		const [emptyState, fullState] = [join(folder, 'empty'), join(folder, 'full')];
		const { partner, done, open } = await seed(emptyState);
		cpSync(emptyState, fullState, { recursive: true });
		multiply(databaseIn(fullState), plan, done, open);
		const megabytes = statSync(databaseIn(fullState)).size / 1e6;
		const empty = await startTestService(POOL, emptyState);
		const full = await startTestService(POOL, fullState);
		try {
			const calls = callsOf(partner, done);
			const ratios = [];
			for (const [what, call] of calls) ratios.push({ what, ...(await inTurns(empty, full, call, plan.rounds)) });
			const checks = [];
			for (let i = 0; i < 3; i++) checks.push(await timed(() => full.operator('ledger/check')));
			return { ratios, checkSeconds: (median(checks) - PAUSES_MILLISECONDS) / 1000, megabytes };
		} finally {
			await Promise.all([empty.local.stop(), full.local.stop()]);
		}
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

/** One finished order and one open one, made through the API. */
async function seed(state: string): Promise<{ partner: Credentials; done: CreatedOrder; open: CreatedOrder }> {
	const service = await startTestService(POOL, state);
	const partner = await createPartner(service, { weightPerMinute: 1_000_000, afftaxBps: 100 });
	await service.operator('site/update', { dailyCapUsd: DAY_CAP_USD / 1_000, unpaidShareBps: 10_000 });
	const [done, open] = [(await create(service, partner)).data, (await create(service, partner)).data];
	await service.operator('sandbox/deposit', { orders: [done.id] });
	await untilStatus(service, partner, done, 'DONE');
	// Otherwise every copy would be a payment that is still under way.
	await eventually('its payout to be final', async () => {
		const open = await service.sql("SELECT 1 FROM transactions WHERE state <> 'final'");
		return open.length === 0;
	});
	await service.local.stop();
	return { partner, done, open };
}

function databaseIn(state: string): string {
	const folder = join(state, 'data/d1/miniflare-D1DatabaseObject');
	const name = readdirSync(folder).find((one) => one.endsWith('.sqlite') && one !== 'metadata.sqlite');
	if (!name) throw new Error(`no database in ${folder}`);
	return join(folder, name);
}

function multiply(path: string, { finished, open: opened }: YearsPlan, done: CreatedOrder, open: CreatedOrder): void {
	const sqlite = new DatabaseSync(path);
	sqlite.exec('PRAGMA foreign_keys = OFF; PRAGMA synchronous = OFF; PRAGMA journal_mode = WAL');
	sqlite.exec(`UPDATE site SET daily_cap_usd = ${DAY_CAP_USD}`);
	for (const [order, copies, kind] of [
		[done, finished, 0],
		[open, opened, 1],
	] as const) {
		sqlite.exec('CREATE TEMP TABLE copies (n INTEGER PRIMARY KEY, id TEXT NOT NULL)');
		const id = ID.replaceAll('{n}', 'value').replace('KIND', String(kind));
		sqlite.exec(
			`WITH RECURSIVE numbers (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM numbers WHERE value < ${copies})
			INSERT INTO copies SELECT value, ${id} FROM numbers`,
		);
		for (const [table, changes] of COPIED) copyRows(sqlite, table, changes, order.id);
		sqlite.exec('DROP TABLE copies');
	}
	sqlite.exec('PRAGMA wal_checkpoint(TRUNCATE)');
	sqlite.close();
}

function copyRows(sqlite: DatabaseSync, table: string, changes: Readonly<Record<string, string>>, orderId: string) {
	const columns = sqlite
		.prepare(`PRAGMA table_info(${table})`)
		.all()
		.map(({ name }) => String(name));
	const values = columns.map((column) => {
		const change = changes[column];
		if (change === undefined) return `rows_.${column}`;
		return change === 'ID' ? 'copies.id' : change.replaceAll("'{n}'", 'copies.n').replaceAll('{n}', 'copies.n');
	});
	const key = table === 'orders' ? 'id' : 'order_id';
	const named = values.map((value) => value.replace(/^(\w+) (\|\||-)/, 'rows_.$1 $2'));
	sqlite
		.prepare(
			`INSERT INTO ${table} (${columns.join(', ')}) SELECT ${named.join(', ')}
			FROM copies CROSS JOIN (SELECT * FROM ${table} WHERE ${key} = ?) AS rows_`,
		)
		.run(orderId);
}

type Call = (service: TestService) => Promise<unknown>;

function callsOf(partner: Credentials, done: CreatedOrder): readonly (readonly [string, Call])[] {
	const command = (path: string, input: object = {}): readonly [string, Call] => [
		[path, ...Object.keys(input)].join(' '),
		(service) => service.operator(path, input),
	];
	const poll: Call = async ({ local }) => {
		const agents = await local.miniflare.getDurableObjectNamespace('CHAIN_AGENT', 'partner-exchange');
		const agent = agents.get(agents.idFromName('Litecoin')) as unknown as { holdings(name: string): Promise<unknown> };
		await agent.holdings('Litecoin');
	};
	return [
		['order', (service) => signed(service, partner, '/api/v1/order', { id: done.id, token: done.token })],
		['create', (service) => create(service, partner)],
		['create to DONE', (service) => swap(service, partner)],
		['holdings of an agent', poll],
		command('order/list'),
		command('order/list', { status: 'EXPIRED' }),
		command('order/list', { partner: partner.id }),
		command('order/list', { attention: true }),
		command('order/show', { id: done.id }),
		command('attention'),
		command('partner/list'),
		command('partner/show', { id: partner.id }),
		command('webhook/list'),
		command('webhook/list', { failed: true }),
		command('webhook/list', { partner: partner.id }),
		command('network/list'),
		command('treasury/show'),
		command('audit/list'),
		command('keys/show'),
	];
}

async function swap(service: TestService, partner: Credentials): Promise<void> {
	const { data } = await create(service, partner);
	await service.operator('sandbox/deposit', { orders: [data.id] });
	await untilStatus(service, partner, data, 'DONE', 120_000);
}

/** Median milliseconds of the call against each, in turns; the first of each is a warm-up. */
async function inTurns(empty: TestService, full: TestService, call: Call, rounds: number) {
	const times = { empty: [] as number[], full: [] as number[] };
	for (let round = 0; round <= rounds; round++) {
		times.empty.push(await timed(() => call(empty)));
		times.full.push(await timed(() => call(full)));
	}
	return { empty: median(times.empty.slice(1)), full: median(times.full.slice(1)) };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
	const started = performance.now();
	await work();
	return performance.now() - started;
}
