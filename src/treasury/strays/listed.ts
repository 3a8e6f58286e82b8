/**
 * A stray on a network whose node lists every payment is in `unattributed` already, with what belongs to nobody. Before it
 * goes back, it is taken out of that sum and booked as reserve, of which the return is paid.
 */
import { sql } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import type { Statement } from '../../platform/d1/batches.ts';
import { bookableOf, isBookedStill, markBooked, ofNoOrder } from '../deposits/of-no-order.ts';
import { reserveEntries } from '../ledger/table.ts';
import { type StrayRow, strays } from './table.ts';

/**
 * `upTo`: base units of the stray that are to be booked in all; what a return that was given up has booked is. Null while so
 * much is not counted there. The batch fails where somebody else has booked some of it meanwhile.
 */
export async function bookListed(
	db: DrizzleD1Database,
	{ network, address, asset, booked }: StrayRow,
	upTo: bigint,
	now: number,
): Promise<Statement[] | null> {
	const amount = upTo - BigInt(booked);
	if (amount <= 0n) return [];
	const sum = await ofNoOrder(db, asset);
	if (!sum || bookableOf(sum) < amount) return null;
	return [
		// Null where it changed, which the column refuses.
		db
			.update(strays)
			.set({ lookedAt: sql`case when ${isBookedStill(sum)} then ${now} end`, booked: upTo.toString() })
			.where(sql`${strays.network} = ${network} and ${strays.address} = ${address} and ${strays.asset} = ${asset}`),
		db
			.insert(reserveEntries)
			.values({ network, txId: crypto.randomUUID(), position: 'stray', asset, amount: amount.toString(), at: now }),
		markBooked(db, sum, amount),
	];
}
