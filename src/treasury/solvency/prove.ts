/**
 * The report of an hour: what is owed, as trees, what the wallets sign that they hold, and the signer's head over both (book:
 * solvency). It is stored before it is signed. After a crash the next run asks the signer what it has signed: an hour has one
 * report, or none.
 */
import { hex } from '@scure/base';
import { desc, eq, lt, sql } from 'drizzle-orm';
import { runInBatches } from '../../platform/d1/batches.ts';
import type { Db } from '../../platform/d1/database.ts';
import { log } from '../../platform/log.ts';
import { HOUR_MILLISECONDS, isoTime } from '../../platform/time.ts';
import type { HeadSigner, SignedHead } from '../../ports/heads.ts';
import type { ReserveClaim, SignedReserves } from '../../ports/reserves.ts';
import type { SolvencyOutcome } from '../../ports/solvency.ts';
import { readDebts } from './debts.ts';
import { type Debt, partsOf, rootsOf, statementText } from './report.ts';
import { solvencyDebts, solvencyReports } from './table.ts';
import { digestOf } from './tree.ts';

/** Pages of heads of one run: after a restore the database may lack many. */
const MOST_PAGES = 40;
const SALT_BYTES = 32;
/** A creditor may fetch their own file for so many hours, and everybody the hour's file; heads are kept for a year. */
const DEBTS_HOURS = 48;
const FILE_HOURS = 31 * 24;
const HEAD_HOURS = 366 * 24;

export interface Proving {
	readonly db: Db;
	readonly signer: HeadSigner;
	readonly deployment: string;
	readonly reserves: (claim: ReserveClaim) => Promise<SignedReserves>;
	readonly now: number;
}

export async function proveSolvency(proving: Proving): Promise<SolvencyOutcome> {
	const { db, signer, now } = proving;
	const number = Math.floor(now / HOUR_MILLISECONDS);
	const last = await adoptHeads(db, signer);
	if (last && last.position >= number) return { is: 'proven', number: last.position };
	const read = await readDebts(db);
	if ('tooMany' in read) return { is: 'too-many', most: read.tooMany };
	if ('differing' in read) {
		const [first] = read.differing;
		return { is: 'books-differ', asset: first?.asset ?? 'unknown' };
	}
	const digest = await storeReport(proving, number, read.debts);
	const since = last && { position: last.position, digest: last.digest };
	const answer = await signer.signHead({ kind: 'solvency', position: number, digest, since, kept: null });
	if ('refused' in answer) return { is: 'head-refused' };
	await adopt(db, [answer.signed]);
	await prune(db, number);
	return { is: 'proven', number };
}

/** Its digest. The parts of the trees come before the report that makes them count. */
async function storeReport({ db, deployment, reserves, now }: Proving, number: number, debts: readonly Debt[]) {
	const salt = hex.encode(crypto.getRandomValues(new Uint8Array(SALT_BYTES)));
	const parts = partsOf(number, debts, salt);
	const roots = rootsOf(parts);
	const at = isoTime(now).replace(/\.\d+Z$/, 'Z');
	const { rows, unsigned } = await reserves({ number, debts: digestOf(JSON.stringify(roots)), at });
	if (unsigned.length > 0)
		log('reserves_unsigned', { networks: unsigned.map(({ network, why }) => `${network}: ${why}`) });
	const told = { at, debts: roots, deployment, number, reserves: digestOf(JSON.stringify(rows)) };
	const statement = statementText({ ...told, unshown: unsigned });
	const digest = digestOf(statement);
	const report = { number, digest, statement, reserves: rows, salt };
	await runInBatches(db, [
		db.delete(solvencyDebts).where(eq(solvencyDebts.number, number)),
		...parts.map((part) => db.insert(solvencyDebts).values(part)),
	]);
	await db
		.insert(solvencyReports)
		.values(report)
		.onConflictDoUpdate({
			target: solvencyReports.number,
			set: report,
			setWhere: sql`${solvencyReports.head} is null`,
		});
	return digest;
}

/** Stores the heads that the signer has signed and the database has not got: the answer was lost, or the database is older. The signer's last head. */
async function adoptHeads(db: Db, signer: HeadSigner): Promise<SignedHead | null> {
	const [last = null] = await signer.heads('solvency', null);
	for (let page = 0; last && page < MOST_PAGES; page++) {
		const [newest] = await db
			.select({ headNumber: solvencyReports.headNumber })
			.from(solvencyReports)
			.where(sql`${solvencyReports.headNumber} is not null`)
			.orderBy(desc(solvencyReports.headNumber))
			.limit(1);
		if (newest?.headNumber && newest.headNumber >= last.number) break;
		await adopt(db, await signer.heads('solvency', newest?.headNumber ?? 0));
	}
	return last;
}

/** Another report of the hour that was stored goes: the head is not of it. */
function adopt(db: Db, heads: readonly SignedHead[]): Promise<void> {
	return runInBatches(
		db,
		heads.map(({ number: headNumber, position: number, digest, key, statement, signature }) => {
			const head = { key, statement, signature };
			const isOfIt = sql`${solvencyReports.digest} = ${digest}`;
			return db
				.insert(solvencyReports)
				.values({ number, digest, head, headNumber })
				.onConflictDoUpdate({
					target: solvencyReports.number,
					set: { head, headNumber, digest, statement: sql`case when ${isOfIt} then ${solvencyReports.statement} end` },
				});
		}),
	);
}

async function prune(db: Db, number: number): Promise<void> {
	await db.batch([
		db.delete(solvencyDebts).where(lt(solvencyDebts.number, number - DEBTS_HOURS)),
		db
			.update(solvencyReports)
			.set({ salt: null })
			.where(sql`${solvencyReports.salt} is not null and ${solvencyReports.number} < ${number - DEBTS_HOURS}`),
		db
			.update(solvencyReports)
			.set({ statement: null, reserves: null })
			.where(sql`${solvencyReports.statement} is not null and ${solvencyReports.number} < ${number - FILE_HOURS}`),
		db.delete(solvencyReports).where(lt(solvencyReports.number, number - HEAD_HOURS)),
	]);
}
