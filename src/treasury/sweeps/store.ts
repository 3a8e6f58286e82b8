/**
 * The candidates of sweeps in D1: orders whose pay-in address may have to be swept. A row is written together with the
 * event that makes a sweep possible, so that planning reads those rows and not all orders. Conditions of partial
 * indexes are literal.
 */
import { and, eq, isNotNull, lte, or, type SQL, sql } from 'drizzle-orm';
import type { NetworkName } from '../../catalog/networks.ts';
import { type DepositRow, deposits, orders } from '../../orders/table.ts';
import type { Statement } from '../../platform/d1/batches.ts';
import type { Db } from '../../platform/d1/database.ts';
import { inJson } from '../../platform/d1/lists.ts';
import { DAY_MILLISECONDS } from '../../platform/time.ts';
import { type TransactionRow, transactions } from '../table.ts';
import { insertPlanned, type PlannedTransaction } from '../transactions/store.ts';
import type { Timing } from './cheap-hours.ts';
import type { AddressFacts } from './rules.ts';
import { sweepCandidates } from './table.ts';

/** Most candidates that one poll takes, those that have waited longest first. */
const PER_POLL = 50;
/** The wait before a candidate is judged again doubles from the first to the last. */
const FIRST_WAIT_MILLISECONDS = 600_000;
const LAST_WAIT_MILLISECONDS = DAY_MILLISECONDS;

export type Candidate = typeof sweepCandidates.$inferSelect;

export interface LoadedCandidate extends AddressFacts {
	readonly candidate: Candidate;
	readonly order: typeof orders.$inferSelect;
	readonly deposits: readonly DepositRow[];
	readonly sweeps: readonly TransactionRow[];
}

/** Written with a payout or refund that becomes final: its order's deposits may now be swept. */
export const candidateOfOrder = (db: Db, { orderId }: TransactionRow, now: number): Statement[] =>
	putOnList(db, sql`${orders.id} = ${orderId}`, now);

/** Written with gas or a sweep that becomes final: its pay-in address may now be swept, or swept again. */
export const candidateOfAddress = (db: Db, { network, payInAddress }: TransactionRow, now: number): Statement[] =>
	putOnList(db, sql`${orders.fromNetwork} = ${network} and ${orders.payInAddress} = ${payInAddress}`, now);

const putOnList = (db: Db, which: SQL, now: number): Statement[] => [
	db
		.insert(sweepCandidates)
		.select(sql`select ${orders.fromNetwork}, ${orders.id}, 0, ${now}, null, null from ${orders} where ${which}`)
		.onConflictDoUpdate({
			target: [sweepCandidates.network, sweepCandidates.orderId],
			set: { attempts: 0, nextAttemptAt: now },
		}),
];

/** Null where nothing is left to sweep. */
export async function candidateOf(
	db: Db,
	{ id, fromNetwork }: typeof orders.$inferSelect,
): Promise<LoadedCandidate | null> {
	const isIt = and(eq(sweepCandidates.network, fromNetwork), eq(sweepCandidates.orderId, id));
	const found = await db.select().from(sweepCandidates).where(isIt);
	return (await loadCandidates(db, fromNetwork, found))[0] ?? null;
}

/** The candidate is judged at the next poll; neither its failures so far nor the price of gas delay its next sweep. */
export const retryNow = (db: Db, { network, orderId }: Candidate, now: number): Statement =>
	db
		.update(sweepCandidates)
		.set({ attempts: 0, nextAttemptAt: now, retriedAt: now, waitsSince: 0 })
		.where(and(eq(sweepCandidates.network, network), eq(sweepCandidates.orderId, orderId)));

/** Those that wait for cheap hours are due in such an hour, where their coins are needed, and at the end of their wait. */
export function dueCandidates(db: Db, network: NetworkName, { isCheap, needed }: Timing, now: number) {
	const isNeeded = sql`${sweepCandidates.orderId} in (select id from orders where orders.id = ${sweepCandidates.orderId}
		and from_asset in ${inJson(needed)})`;
	const wait = and(isNotNull(sweepCandidates.waitsSince), isCheap ? undefined : isNeeded);
	const isTime = lte(sweepCandidates.nextAttemptAt, now);
	const isDue = and(eq(sweepCandidates.network, network), isCheap || needed.length > 0 ? or(isTime, wait) : isTime);
	return db.select().from(sweepCandidates).where(isDue).orderBy(sweepCandidates.nextAttemptAt).limit(PER_POLL);
}

/** The candidate waits for cheap hours, a day from when it began to wait. */
export function waitForCheap(db: Db, candidate: Candidate, now: number): Statement {
	const waitsSince = candidate.waitsSince ?? now;
	return db
		.update(sweepCandidates)
		.set({ waitsSince, nextAttemptAt: waitsSince + DAY_MILLISECONDS })
		.where(isStill(candidate));
}

/** The candidate is judged again later. */
export function putBack(db: Db, candidate: Candidate, now: number): Statement {
	const wait = Math.min(FIRST_WAIT_MILLISECONDS * 2 ** Math.min(candidate.attempts, 20), LAST_WAIT_MILLISECONDS);
	return db
		.update(sweepCandidates)
		.set({ attempts: candidate.attempts + 1, nextAttemptAt: now + wait, waitsSince: null })
		.where(isStill(candidate));
}

export const takeOff = (db: Db, candidate: Candidate): Statement =>
	db.delete(sweepCandidates).where(isStill(candidate));

/** Holds while the candidate was not put on the list again. */
const isStill = ({ network, orderId, nextAttemptAt }: Candidate): SQL | undefined =>
	and(
		eq(sweepCandidates.network, network),
		eq(sweepCandidates.orderId, orderId),
		eq(sweepCandidates.nextAttemptAt, nextAttemptAt),
	);

export async function loadCandidates(db: Db, network: NetworkName, candidates: readonly Candidate[]) {
	const among = inJson(candidates.map(({ orderId }) => orderId));
	const addresses = sql`(select pay_in_address from orders where id in ${among})`;
	const isSweep = sql`${transactions.kind} in ('gas', 'sweep', 'token')`;
	const [orderRows, depositRows, payoutRows, sweepRows] = await db.batch([
		db.select().from(orders).where(sql`${orders.id} in ${among}`),
		db.select().from(deposits).where(sql`${deposits.orderId} in ${among}`),
		db.select().from(transactions).where(sql`${transactions.orderId} in ${among}`),
		db
			.select()
			.from(transactions)
			.where(and(isSweep, eq(transactions.network, network), sql`${transactions.payInAddress} in ${addresses}`)),
	]);
	return orderRows.flatMap((order): LoadedCandidate[] => {
		const candidate = candidates.find(({ orderId }) => orderId === order.id);
		if (!candidate || order.fromNetwork !== network) return [];
		return [
			{
				candidate,
				order,
				deposits: depositRows.filter(({ orderId }) => orderId === order.id),
				payouts: payoutRows.filter(({ orderId }) => orderId === order.id),
				// An ended sweep of a stray says nothing of the order's own deposits.
				sweeps: sweepRows.filter(
					({ payInAddress, sweepAsset, state }) =>
						payInAddress === order.payInAddress && (sweepAsset === order.fromAsset || state !== 'final'),
				),
			},
		];
	});
}

/** Does nothing if the address, or for a consolidation the wallet, has one that is not final. */
export const planOnce = (db: Db, planned: PlannedTransaction, now: number): Statement =>
	insertPlanned(db, planned, now).onConflictDoNothing();

const isOpenConsolidation = sql`${transactions.kind} = 'consolidation' and ${transactions.state} <> 'final'`;

export async function hasOpenConsolidation(db: Db, network: NetworkName): Promise<boolean> {
	const isOfIt = and(eq(transactions.network, network), isOpenConsolidation);
	return (await db.select({ id: transactions.id }).from(transactions).where(isOfIt).limit(1)).length > 0;
}
