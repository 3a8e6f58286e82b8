/**
 * No statement of the service reads through a table that grows: each uses an index, so that years of orders cost nothing.
 * The statements are those that all Workers prepare while every endpoint, every operator command, every page, the polls and
 * the cron run; those of the families of chains that run on nodes; and those of the triggers. An index alone is not enough:
 * one by network finds all history. So the rows are counted that D1 reads, with a short history and with a long one.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { copyOrder } from '../support/copies.ts';
import { askEverything, type Driven, driveEverything, driven, FROM_ETH } from '../support/drive.ts';
import { earn } from '../support/earnings.ts';
import { familyStatements } from '../support/family-statements.ts';
import { createPartner } from '../support/partner.ts';
import { eventually, startTestService, type TestService } from '../support/service.ts';
import { recordedRows, recordedStatements, SQL_RECORDER } from '../support/sql-recorder.ts';
import { sqliteD1 } from '../support/sqlite-d1.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

/** Tables that do not grow with the orders, and what they grow with. */
const SMALL: Readonly<Record<string, string>> = {
	site: 'one row',
	d1_migrations: 'a row per migration',
	asset_settings: 'a row per asset',
	network_settings: 'a row per network',
	pair_settings: 'a row per pair',
	partners: 'a row per partner',
	reference_codes: 'a bounded number per partner',
	partner_keys: 'ten per partner',
	cabinet_passkeys: 'a few per partner',
	cabinet_sessions: 'the same, for a week each',
	cabinet_invitations: 'what the operator makes by hand',
	partner_payouts: 'a row per payout of earnings',
	reserve_entries: 'what the operator pays in',
	ledger_pieces: 'a row per thousand orders that are not archived',
	ledger_balances: 'a row per piece, account and asset',
	ledger_folds: 'empty between batches',
	partner_dues: 'a row per partner and asset',
	deposit_sums: 'at most 257 rows per asset',
	unattributed: 'a row per asset',
	arrival_marks: 'a row per network',
	overflows: 'a row per address where more came than is recorded of one order',
	strays: 'a row per order, asset and network where coins came that it did not ask for',
	unlisted_tokens: 'at most ten rows per order',
	sweep_candidates: 'what is not swept',
	wallet_flows: 'a row per day, network, kind and asset',
	unpaid_volume: 'a row per partner and day, of sixty days; read whole in the first minutes of a day alone',
	deleted_holdings: 'a row per asset',
	holds: 'one row',
	webhook_bodies: 'one row',
	hedgers: 'one row',
	exposures: 'a row per asset',
	periodic_checks: 'a row per check',
	incidents: 'a row per kind and subject; the cron deletes old ones',
	alerts: 'a row per thing that waits',
	archived_batches: 'a row per two hundred archived orders',
	archive_cursors: 'a row per network',
	network_history: 'a row per network and hour, for 90 days',
	speeds: 'a row per network, and one for all',
	solvency_reports: 'a row per hour, for a year; the newest are read first',
	solvency_debts: 'a row per 256 debts of an asset and hour, of 48 hours',
};
/** Partial indexes that hold a few rows, whatever the history: what is open, or what is rare. */
const FEW: Readonly<Record<string, string>> = {
	transactions_open: 'not final',
	transactions_one_at_a_time: 'not sent',
	transactions_blocked: 'a person must look',
	transactions_waiting: 'waits',
	transactions_settled: 'paid by hand, or failed on chain for good',
	transactions_reverted: 'reverted by the chain',
	transactions_withdrawals: 'an operator’s command each',
	transactions_not_booked: 'the same, and payouts of earnings',
	transactions_one_sweep: 'not final',
	transactions_one_consolidation: 'not final',
	deposits_open: 'not final',
	deposits_unclaimed: 'nothing is decided',
	deposits_unclaimed_dust: 'rare, and bounded for each order',
	ledger_balances_pending: 'not finished',
	orders_moving: 'not settled',
	orders_refund_asked: 'asked for, and neither planned nor past',
	orders_reported: 'reported as lost, and not looked at',
	orders_flooded: 'rare: a hundred payments of dust each',
	orders_unfunded: 'not paid yet',
	webhook_endpoints_by_partner: 'five per partner',
	webhook_events_due: 'not delivered yet',
	webhook_events_missed: 'the same',
	webhook_events_ended: 'given up lately: the cron deletes old ones',
	webhook_events_undelivered: 'both',
};
/** A list of the newest: it reads as many entries of the index as it shows. */
const NEWEST = / from "(\w+)"(?: indexed by "\w+")?(?: inner join "partners" on [^()]*)? order by [^()]* limit \?$/;

/** An index finds too many rows by these alone. */
const COARSE = new Set(['network', 'from_network', 'to_network', 'state', 'status', 'kind', 'account']);

/** Is there one? Every entry of its index answers that, so the first does. */
const ANY_SIGNED = 'select "id" from "transactions" where "transactions"."tx_id" is not null limit ?';

/** Compares all history with its chain, some forty thousand rows a call. */
const COMPARES =
	/^select "number", .* from "(?:audit_log|ledger_entries|order_changes)" where .*"number" <= \?\)? order by/;

/** Reads nothing: its plan lists what refers to the table, which is looked through while a foreign key is broken. */
const INSERTS_VALUES = /^insert into "\w+" \([^)]*\) values /;

/** All that the service can do takes a while on a busy machine. */
const PATIENT_MILLISECONDS = 180_000;

let service: TestService;
const empty = sqliteD1();
const { sqlite } = empty;

let receiver: WebhookReceiver;
beforeAll(async () => {
	receiver = await startWebhookReceiver();
	service = await startTestService(
		driven(receiver),
		undefined,
		{},
		{
			pages: true,
			arrange: (workers) => workers.map((worker) => ({ ...worker, script: `${SQL_RECORDER}${worker.script}` })),
		},
	);
});
afterAll(async () => {
	await service?.local.stop();
	await receiver?.close();
});

const tables = new Set(
	sqlite
		.prepare("SELECT name FROM sqlite_master WHERE type = 'table'")
		.all()
		.map(({ name }) => String(name)),
);

/** The lines of a plan that read through a table that grows. */
function scansOf(statement: string): string[] {
	if (INSERTS_VALUES.test(statement) || statement === ANY_SIGNED) return [];
	const aliases = new Map([...statement.matchAll(/"?(\w+)"? as "?(\w+)"?/gi)].map(([, name, alias]) => [alias, name]));
	const lines = sqlite.prepare(`EXPLAIN QUERY PLAN ${statement}`).all();
	return lines.flatMap(({ detail }) => {
		// What is not null is found from the first entry of an index on.
		const [range, searched = '', by = '', column = ''] =
			/^SEARCH (\w+) USING (?:COVERING )?INDEX (\w+) \((\w+)>\?\)$/.exec(String(detail)) ?? [];
		const isAll = range !== undefined && new RegExp(`${column}"? is not null`, 'i').test(statement);
		if (isAll && tables.has(searched) && !(searched in SMALL) && !(by in FEW)) return [`${range}: ${statement}`];
		const [search, found = '', way = '', terms = ''] =
			/^SEARCH (\w+) USING (?:COVERING )?(?:INDEX (\w+)|PRIMARY KEY) \((.*)\)$/.exec(String(detail)) ?? [];
		const isCoarse = search !== undefined && terms.split(' AND ').every((term) => COARSE.has(term.replace('=?', '')));
		if (isCoarse && tables.has(found) && !(found in SMALL) && !(way in FEW)) return [`${search}: ${statement}`];
		const [line, name = '', index = ''] = /^SCAN (\w+)(?: USING (?:COVERING )?INDEX (\w+))?/.exec(String(detail)) ?? [];
		const table = tables.has(name) ? name : (aliases.get(name) ?? '');
		const isBounded = table in SMALL || index in FEW || (index !== '' && NEWEST.exec(statement)?.[1] === table);
		return line && tables.has(table) && !isBounded ? [`${line}: ${statement}`] : [];
	});
}

/** The statements and conditions of all triggers, with parameters for the row that fires them. */
function triggerStatements(): string[] {
	const triggers = sqlite.prepare("SELECT sql FROM sqlite_master WHERE type = 'trigger'").all();
	return triggers.flatMap(({ sql }) => {
		const [head = '', body = ''] = String(sql)
			.replaceAll(/--[^\n]*/g, '')
			.split(/\bBEGIN\b/);
		const when = /\bWHEN\b([\s\S]*)$/.exec(head)?.[1];
		const statements = body.slice(0, body.lastIndexOf('END')).split(';');
		return [...(when ? [`SELECT 1 WHERE ${when}`] : []), ...statements]
			.map((statement) =>
				statement
					.replaceAll(/RAISE\s*\([^)]*\)/g, '1')
					.replaceAll(/\b(NEW|OLD)\.\w+/gi, '?')
					.trim(),
			)
			.filter((statement) => statement !== '');
	});
}

it(
	'reads no table from end to end that grows with the orders, whatever the service does',
	async () => {
		await driveEverything(service, receiver);
		const statements = await recordedStatements(service);
		// What the drive reaches: it must not shrink unseen.
		expect(statements.length).toBeGreaterThan(150);
		for (const table of [
			'orders',
			'deposits',
			'transactions',
			'ledger_entries',
			'webhook_events',
			'audit_log',
			'cabinet_sessions',
			'cabinet_passkeys',
			'cabinet_invitations',
			'operator_sessions',
			'status_days',
		]) {
			expect(
				statements.some((statement) => statement.startsWith('select') && statement.includes(`from "${table}"`)),
			).toBe(true);
		}
		expect(statements.flatMap(scansOf)).toEqual([]);
	},
	PATIENT_MILLISECONDS,
);

it('reads no such table for the families that run on nodes', async () => {
	const statements = await familyStatements(empty);
	expect(statements.length).toBeGreaterThan(30);
	expect(statements.flatMap(scansOf)).toEqual([]);
});

/** Two finished orders, one of them swept, of a partner that nobody owes anything. */
async function finishedOrders(): Promise<Driven> {
	const partner = await createPartner(service);
	const orders = await earn(service, partner, {}, { ...FROM_ETH });
	await eventually('their payouts to be final', async () => {
		const open = await service.sql("SELECT 1 FROM transactions WHERE order_id IS NOT NULL AND state <> 'final'");
		return open.length === 0;
	});
	await service.sql(
		`INSERT INTO transactions (id, kind, network, asset, to_address, amount, usd_cents, pay_in_address, pay_in_index,
			sweep_asset, state, raw, tx_id, fee, planned_at, sent_at, final_at, next_attempt_at)
		SELECT 'sweep', 'sweep', from_network, 'ETH', 'hot', '4', 0, pay_in_address, pay_in_index, 'ETH', 'final', 'raw', 'swept',
			'3', updated_at, updated_at, updated_at, 0 FROM orders WHERE id = ?`,
		orders[1]?.id,
	);
	await service.sql('DELETE FROM sweep_candidates');
	return { partner, orders };
}

const DAY = 86_400_000;
const SHORT = 600;
const LONG = 1_200;
/** A page of a hundred addresses that are polled seldom, and what is on record of them. */
const SELDOM = 120;
/** What a list reads is not exactly the same each time, and which of the two runs has that page is chance. */
const isMore = (short: number, long: number): boolean => long > short * 1.3 + SELDOM;

it(
	'reads no more rows of a long history than of a short one, whatever is asked',
	async () => {
		// What the drive has left to do and to archive is not what is counted here.
		await service.operator('site/update', { archiveAfterDays: null });
		await service.sql('UPDATE site SET daily_cap_usd = 1000000000000, unpaid_share_bps = 10000');
		const finished = await finishedOrders();
		const lengthen = async (by: number) => {
			for (const { id } of finished.orders)
				await copyOrder(service.sql, { id, copies: by / 2, age: 40 * DAY, apart: DAY / 100 });
		};
		const rowsAt = async (): Promise<Map<string, number>> => {
			await askEverything(service, finished);
			await service.local.runScheduled();
			return recordedRows(service);
		};
		await lengthen(SHORT);
		const short = await rowsAt();
		await lengthen(LONG - SHORT);
		const long = await rowsAt();
		expect(short.size).toBeGreaterThan(150);
		expect(
			[...long]
				.filter(([statement]) => !COMPARES.test(statement))
				.filter(([statement, rows]) => isMore(short.get(statement) ?? 0, rows))
				.map(([statement, rows]) => `${short.get(statement)} → ${rows}: ${statement}`),
		).toEqual([]);
	},
	PATIENT_MILLISECONDS,
);

it('reads no such table in a trigger, and finds the rows that refer to a deleted one by an index', () => {
	const keys = [...tables].flatMap((table) =>
		sqlite
			.prepare(`PRAGMA foreign_key_list(${table})`)
			.all()
			// No partner is ever deleted.
			.filter(({ table: parent }) => parent !== 'partners')
			.map(({ from }) => `SELECT 1 FROM ${table} WHERE ${from} = ?`),
	);
	expect([...triggerStatements(), ...keys].flatMap(scansOf)).toEqual([]);
});

it('finds a statement that reads through a table', () => {
	expect(scansOf('select 1 from "orders" where "to_address" = ?')).toHaveLength(1);
	expect(scansOf('select 1 from "orders" where "id" = ?')).toEqual([]);
});
