/** The proofs of solvency as they are published, from D1, and the part of the newest one that a creditor is given. */
import { and, desc, eq, lte, sql } from 'drizzle-orm';
import { site } from '../../catalog/table.ts';
import { sha256Hex } from '../../crypto/tokens.ts';
import { databaseOf } from '../../platform/d1/database.ts';
import type { SignedStatement } from '../../ports/promises.ts';
import type { Creditor, OwnDebt, OwnFile, SolvencyFile, SolvencyStatement } from '../../ports/solvency.ts';
import { ownDebt, secretOf } from '../../treasury/solvency/report.ts';
import { solvencyDebts, solvencyReports } from '../../treasury/solvency/table.ts';
import { blindedId } from '../../treasury/solvency/tree.ts';

/** Hours whose heads a file has: who fetches one a day sees no gap. */
const HEADS_OF_FILE = 48;
/** Hours in the list of heads. */
const HEADS_LISTED = 31 * 24;
const KEPT_MILLISECONDS = 60_000;

type Database = { readonly DB: D1Database };

let kept: { readonly at: number; readonly isOn: boolean } | null = null;

/** Does the operator publish proofs? Where they do, an isolate asks once a minute. */
export async function provesSolvency(env: Database): Promise<boolean> {
	const now = Date.now();
	if (!kept?.isOn || now - kept.at >= KEPT_MILLISECONDS) {
		const [row] = await databaseOf(env).select({ isOn: site.provesSolvency }).from(site);
		kept = { at: now, isOn: row?.isOn ?? false };
	}
	return kept.isOn;
}

const isWhole = sql`${solvencyReports.statement} is not null and ${solvencyReports.head} is not null`;

/** The file of this hour, or the newest one; null where there is none. */
export async function solvencyFile(env: Database, hour: number | null): Promise<SolvencyFile | null> {
	const db = databaseOf(env);
	const [report] = await db
		.select()
		.from(solvencyReports)
		.where(and(isWhole, hour === null ? undefined : eq(solvencyReports.number, hour)))
		.orderBy(desc(solvencyReports.number))
		.limit(1);
	if (!report?.statement) return null;
	const heads = await headsUntil(env, report.headNumber ?? 0, HEADS_OF_FILE);
	const { statement, reserves } = report;
	return { type: 'partner-exchange/solvency-file/1', statement, heads, reserves: reserves ?? [] };
}

export const solvencyHeads = (env: Database): Promise<SignedStatement[]> =>
	headsUntil(env, Number.MAX_SAFE_INTEGER, HEADS_LISTED);

/** The oldest first. */
async function headsUntil(env: Database, newest: number, most: number): Promise<SignedStatement[]> {
	const rows = await databaseOf(env)
		.select({ head: solvencyReports.head })
		.from(solvencyReports)
		.where(and(sql`${solvencyReports.headNumber} is not null`, lte(solvencyReports.headNumber, newest)))
		.orderBy(desc(solvencyReports.headNumber))
		.limit(most);
	return rows.flatMap(({ head }) => head ?? []).toReversed();
}

export const ownFileOfOrder = async (env: Database, id: string, token: string): Promise<OwnFile | null> =>
	ownFile(env, { creditor: 'order', id, tokenHash: await sha256Hex(token) });

export const ownFileOfPartner = (env: Database, id: string): Promise<OwnFile | null> =>
	ownFile(env, { creditor: 'partner', id, tokenHash: null });

interface Asked {
	readonly creditor: Creditor;
	readonly id: string;
	readonly tokenHash: string | null;
}

/** A creditor’s part of the newest report; null where there is none, or nothing is owed to them in it. */
async function ownFile(env: Database, asked: Asked): Promise<OwnFile | null> {
	const db = databaseOf(env);
	const [report] = await db
		.select()
		.from(solvencyReports)
		.where(and(isWhole, sql`${solvencyReports.salt} is not null`))
		.orderBy(desc(solvencyReports.number))
		.limit(1);
	if (!report?.statement || report.salt === null) return null;
	const { number } = report;
	const { creditor, id } = asked;
	const secret = secretOf(asked, report.salt);
	const { debts } = JSON.parse(report.statement) as SolvencyStatement;
	const ids = debts.map(({ asset }) => [asset, blindedId({ number, asset, creditor, id, secret })] as const);
	const parts = await db
		.select()
		.from(solvencyDebts)
		.where(
			sql`${solvencyDebts.number} = ${number} and exists (select 1 from json_each(${JSON.stringify(ids)})
				where ${solvencyDebts.asset} = value ->> 0 and value ->> 1 between ${solvencyDebts.first} and ${solvencyDebts.last})`,
		);
	const own: OwnDebt[] = [];
	for (const part of parts) {
		const [, leaf = ''] = ids.find(([asset]) => asset === part.asset) ?? [];
		if (!part.leaves.some(([each]) => each === leaf)) continue;
		const debt = ownDebt(part, await branchesOf(env, number, part.asset), leaf);
		if (debt) own.push(debt);
	}
	return own.length > 0 ? { type: 'partner-exchange/own-debts/1', number, creditor, id, secret, debts: own } : null;
}

/** The parts of an asset's tree, without their leaves. */
function branchesOf(env: Database, number: number, of: (typeof solvencyDebts.$inferSelect)['asset']) {
	const { asset, first, last, hash, sum } = solvencyDebts;
	return databaseOf(env)
		.select({ number: solvencyDebts.number, asset, first, last, hash, sum })
		.from(solvencyDebts)
		.where(and(eq(solvencyDebts.number, number), eq(asset, of)))
		.orderBy(first);
}
