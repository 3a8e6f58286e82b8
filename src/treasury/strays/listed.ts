/**
 * A stray on a network whose node lists every payment is in `unattributed` already, with what belongs to nobody. Before it
 * goes back, it is taken out of that sum and booked as reserve, of which the return is paid.
 */
import { sql } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import type { Statement } from '../../d1/batches.ts';
import { bookableOf, markBooked, unattributedOf } from '../deposits/unattributed.ts';
import { reserveEntries, unattributed } from '../ledger/table.ts';
import { type StrayRow, strays } from './table.ts';

/** Null while so much is not counted there. The batch fails where somebody else has booked some of it meanwhile. */
export async function bookListed(
	db: DrizzleD1Database,
	{ network, address, asset }: StrayRow,
	amount: bigint,
	now: number,
): Promise<Statement[] | null> {
	const sum = await unattributedOf(db, asset);
	if (!sum || bookableOf(sum) < amount) return null;
	const isUnchanged = sql`exists (select 1 from ${unattributed} where ${unattributed.asset} = ${asset} and ${unattributed.booked} = ${sum.booked})`;
	return [
		// Null where it changed, which the column refuses.
		db
			.update(strays)
			.set({ lookedAt: sql`case when ${isUnchanged} then ${now} end` })
			.where(sql`${strays.network} = ${network} and ${strays.address} = ${address} and ${strays.asset} = ${asset}`),
		db.insert(reserveEntries).values({
			...{ network, txId: crypto.randomUUID(), position: 'stray', asset, amount: amount.toString(), at: now },
		}),
		markBooked(db, asset, sum.booked, BigInt(sum.booked) + amount),
	];
}
