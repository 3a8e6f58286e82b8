/**
 * An overflow: what came to a pay-in address of the asset that its order asked for, beyond the deposits on record. On
 * networks that sweep, no wallet lists it. It follows from what lies there, what final sweeps took, and the deposits; so a
 * look that is repeated or late counts nothing twice, and a deposit that is recorded afterwards is taken out of it again.
 */
import { type SQL, sql } from 'drizzle-orm';
import type { NetworkName } from '../../catalog/networks.ts';
import { type DepositRow, deposits, type OrderRow } from '../../orders/table.ts';
import type { Statement } from '../../platform/d1/batches.ts';
import type { Db } from '../../platform/d1/database.ts';
import { exactSum } from '../../platform/d1/exact-sum.ts';
import { inJson, isIn } from '../../platform/d1/lists.ts';
import { overflows } from '../ledger/table.ts';
import { DUST_PER_ORDER } from './watch-list.ts';

export type OverflowRow = typeof overflows.$inferSelect;

/** Rows of these addresses. */
export const overflowsAt = (db: Db, network: NetworkName, addresses: readonly string[]) =>
	db
		.select()
		.from(overflows)
		.where(sql`${overflows.network} = ${network} and ${overflows.address} in ${inJson(addresses)}`);

/** May more have come to its address than polls record? Elsewhere they will record it soon. */
export const mayOverflow = ({ dustCount, watchUntil }: Pick<OrderRow, 'dustCount' | 'watchUntil'>, now: number) =>
	dustCount >= DUST_PER_ORDER || watchUntil <= now;

export const overflowsOf = (db: Db, orderIds: readonly string[]) =>
	db
		.select()
		.from(overflows)
		.where(sql`(${overflows.network}, ${overflows.address}) in (
			select from_network, pay_in_address from orders where id in ${inJson(orderIds)})`);

/** Each order's overflow as it was written, and what is on record. Two statements of a batch. */
export const readOverflows = (db: Db, orderIds: readonly string[]) =>
	[
		overflowsOf(db, orderIds),
		db
			.select({
				orderId: deposits.orderId,
				recorded: exactSum(sql`iif(${deposits.state} in ('seen', 'final'), ${deposits.amount}, '0')`),
				dust: sql<number>`sum(${deposits.dust})`,
			})
			.from(deposits)
			.where(isIn(deposits.orderId, orderIds))
			.groupBy(deposits.orderId),
	] as const;

export interface Recorded {
	readonly recorded: bigint;
	/** Rows of dust, vanished ones too. */
	readonly dust: number;
}

/** Where it lies, and the order of the address. */
export type OverflowPlace = Pick<OverflowRow, 'network' | 'address' | 'asset' | 'orderId'>;

/**
 * The statement that writes it; null where the row is right. `came`: all that ever came of the asset; `swept`: what final
 * sweeps took of that; `recorded`: deposits among it.
 */
export function overflowNow(
	place: OverflowPlace,
	{ came, swept, recorded }: { readonly came: bigint; readonly swept: bigint; readonly recorded: bigint },
	before: OverflowRow | undefined,
	now: number,
): ((db: Db) => Statement) | null {
	const beyond = (amount: bigint) => (amount > recorded ? amount - recorded : 0n).toString();
	const next = { counted: beyond(came), swept: beyond(swept) };
	if (next.counted === (before?.counted ?? '0') && next.swept === (before?.swept ?? '0')) return null;
	if (next.counted === '0') return (db) => db.delete(overflows).where(isAt(place));
	return (db) =>
		db
			.insert(overflows)
			.values({ ...place, ...next, at: now })
			.onConflictDoUpdate({
				target: [overflows.network, overflows.address, overflows.asset],
				set: { ...next, at: now },
			});
}

export const isAt = ({ network, address, asset }: OverflowPlace): SQL =>
	sql`${overflows.network} = ${network} and ${overflows.address} = ${address} and ${overflows.asset} = ${asset}`;

/**
 * Written with deposits that are recorded at last: they are taken out of their addresses' overflows, if need be too much,
 * which the next look mends and `ledger check` adds by itself meanwhile. `recorded`: those that were on no record.
 */
export async function withoutRecorded(db: Db, recorded: readonly DepositRow[]): Promise<Statement[]> {
	if (recorded.length === 0) return [];
	const known = await overflowsOf(db, [...new Set(recorded.map(({ orderId }) => orderId))]);
	const byOrder = Map.groupBy(recorded, ({ orderId }) => orderId);
	return known.map((row) => {
		const amount = (byOrder.get(row.orderId) ?? []).reduce((sum, each) => sum + BigInt(each.amount), 0n);
		const left = BigInt(row.counted) - amount;
		if (left <= 0n) return db.delete(overflows).where(isAt(row));
		const swept = BigInt(row.swept) < left ? row.swept : left.toString();
		return db.update(overflows).set({ counted: left.toString(), swept }).where(isAt(row));
	});
}
