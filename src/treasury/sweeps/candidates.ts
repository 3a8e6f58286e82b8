/**
 * Whose pay-in address may have to be swept: rows that come with what makes it possible, so that planning looks at those
 * and not at every order there ever was.
 */
import { and, eq, lte, type SQL, sql } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import type { NetworkName } from '../../catalog/networks.ts';
import { deposits, orders } from '../../orders/table.ts';
import type { Statement } from '../move-order.ts';
import { sweepCandidates, type TransactionRow, transactions } from '../table.ts';
import type { AddressFacts } from './rules.ts';

/** Candidates that one look takes up, those that have waited longest first. */
const PER_LOOK = 50;
/** Wait before a candidate that is not swept is looked at again: doubles from the first to the last. */
const FIRST_WAIT_MILLISECONDS = 600_000;
const LAST_WAIT_MILLISECONDS = 24 * 3_600_000;

export type Candidate = typeof sweepCandidates.$inferSelect;

export interface LoadedCandidate extends AddressFacts {
	readonly candidate: Candidate;
	readonly order: typeof orders.$inferSelect;
	readonly sweeps: readonly TransactionRow[];
}

/** To be written with what makes `payout` final: its order's deposits, or its address, may now be swept. */
export function candidateStatements(db: DrizzleD1Database, payout: TransactionRow, now: number): Statement[] {
	// It belongs to no order and to no address of one.
	if (payout.orderId === null && payout.payInAddress === null) return [];
	const which =
		payout.orderId === null
			? sql`${orders.fromNetwork} = ${payout.network} and ${orders.payInAddress} = ${payout.payInAddress}`
			: sql`${orders.id} = ${payout.orderId}`;
	const insert = db
		.insert(sweepCandidates)
		.select(sql`select ${orders.fromNetwork}, ${orders.id}, 0, ${now} from ${orders} where ${which}`)
		.onConflictDoUpdate({
			target: [sweepCandidates.network, sweepCandidates.orderId],
			set: { looks: 0, nextLookAt: now },
		});
	return [insert];
}

export const dueCandidates = (db: DrizzleD1Database, network: NetworkName, now: number): Promise<Candidate[]> =>
	db
		.select()
		.from(sweepCandidates)
		.where(and(eq(sweepCandidates.network, network), lte(sweepCandidates.nextLookAt, now)))
		.orderBy(sweepCandidates.nextLookAt)
		.limit(PER_LOOK);

/** Looked at again after a while, the longer the more often it was in vain. */
export function putBack(db: DrizzleD1Database, candidate: Candidate, now: number): Statement {
	const wait = Math.min(FIRST_WAIT_MILLISECONDS * 2 ** Math.min(candidate.looks, 20), LAST_WAIT_MILLISECONDS);
	return db
		.update(sweepCandidates)
		.set({ looks: candidate.looks + 1, nextLookAt: now + wait })
		.where(isStill(candidate));
}

export const takeOff = (db: DrizzleD1Database, candidate: Candidate): Statement =>
	db.delete(sweepCandidates).where(isStill(candidate));

/** Not put on the list anew meanwhile. */
const isStill = ({ network, orderId, nextLookAt }: Candidate): SQL | undefined =>
	and(
		eq(sweepCandidates.network, network),
		eq(sweepCandidates.orderId, orderId),
		eq(sweepCandidates.nextLookAt, nextLookAt),
	);

export async function loadCandidates(
	db: DrizzleD1Database,
	network: NetworkName,
	candidates: readonly Candidate[],
): Promise<LoadedCandidate[]> {
	const among = sql`(select value from json_each(${JSON.stringify(candidates.map(({ orderId }) => orderId))}))`;
	const addresses = sql`(select pay_in_address from orders where id in ${among})`;
	// Literal, because SQLite takes a partial index only for the words that it was made with.
	const isSweep = sql`${transactions.kind} in ('gas', 'sweep')`;
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
				sweeps: sweepRows.filter(({ payInAddress }) => payInAddress === order.payInAddress),
			},
		];
	});
}
