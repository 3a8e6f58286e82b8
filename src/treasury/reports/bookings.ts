/** The entries of the books by time, a page of bookings at a time (`ledger_entries_by_time`). */
import { and, asc, eq, gte, lt, sql } from 'drizzle-orm';
import { orders } from '../../orders/table.ts';
import type { Db } from '../../platform/d1/database.ts';
import { ledgerEntries } from '../ledger/table.ts';
import { type Cursor, cursorText, type PageOf } from './cursor.ts';

/** Bookings in one page; each has up to seven entries. */
const PER_PAGE = 200;
const FIRST: Cursor = [0, '', ''];

export type EntryRow = typeof ledgerEntries.$inferSelect;

/** `partner`: bookings of their orders alone. `cursor`: null where this was the last page. */
export async function bookingsPage(
	db: Db,
	{ since, until, after }: PageOf,
	partner: string | undefined,
): Promise<{ readonly entries: readonly EntryRow[]; readonly cursor: string | null }> {
	const [at, orderId = '', cause = ''] = after ?? FIRST;
	const page = await db
		.select({ orderId: ledgerEntries.orderId, cause: ledgerEntries.cause, at: ledgerEntries.at })
		.from(ledgerEntries)
		.innerJoin(orders, eq(orders.id, ledgerEntries.orderId))
		.where(
			and(
				// Literal, for the partial index.
				sql`${ledgerEntries.account} in ('wallet', 'partnerPaid')`,
				gte(ledgerEntries.at, since),
				lt(ledgerEntries.at, until),
				sql`(${ledgerEntries.at}, ${ledgerEntries.orderId}, ${ledgerEntries.cause}) > (${at}, ${orderId}, ${cause})`,
				// The plus makes SQLite go through the bookings by time, where a page ends, and not through all of a partner's orders.
				partner === undefined ? undefined : sql`+${orders.partnerId} = ${partner}`,
			),
		)
		.orderBy(asc(ledgerEntries.at), asc(ledgerEntries.orderId), asc(ledgerEntries.cause))
		.limit(PER_PAGE);
	const last = page.at(-1);
	const keys = JSON.stringify(page.map((booking) => [booking.orderId, booking.cause]));
	const entries = await db
		.select()
		.from(ledgerEntries)
		.where(
			sql`(${ledgerEntries.orderId}, ${ledgerEntries.cause}) in (select value ->> 0, value ->> 1 from json_each(${keys}))`,
		)
		.orderBy(
			asc(ledgerEntries.at),
			asc(ledgerEntries.orderId),
			asc(ledgerEntries.cause),
			asc(ledgerEntries.asset),
			asc(ledgerEntries.account),
		);
	return { entries, cursor: last && page.length === PER_PAGE ? cursorText([last.at, last.orderId, last.cause]) : null };
}
