/** A partner's earnings, dues and payments, in one round trip: kept sums, whatever the history. */
import { and, asc, desc, eq, isNotNull, sql } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import { codeTotals, partners } from '../../partners/table.ts';
import { duesOfPartner, owedOf } from '../ledger/store.ts';
import { partnerPayouts } from './table.ts';

/** Payouts in the answer, newest first. */
export const MAX_PAID = 100;

export async function earnedBy(db: DrizzleD1Database, partnerId: string) {
	const isPaid = and(eq(partnerPayouts.partnerId, partnerId), isNotNull(partnerPayouts.txId));
	const [[counters], dues, paid, [sums], codes] = await db.batch([
		db
			.select({
				ordersDone: partners.ordersDone,
				volumeUsdCents: partners.volumeUsdCents,
				earnedUsdCents: partners.earnedUsdCents,
			})
			.from(partners)
			.where(eq(partners.id, partnerId)),
		duesOfPartner(db, partnerId),
		db
			.select()
			.from(partnerPayouts)
			.where(isPaid)
			.orderBy(desc(partnerPayouts.paidAt), partnerPayouts.id)
			.limit(MAX_PAID),
		db
			.select({ usdCents: sql<number>`coalesce(sum(${partnerPayouts.usdCents}), 0)` })
			.from(partnerPayouts)
			.where(isPaid),
		db.select().from(codeTotals).where(eq(codeTotals.partnerId, partnerId)).orderBy(asc(codeTotals.referenceCode)),
	]);
	return { counters: counters ?? null, owed: owedOf(dues), paid, paidUsdCents: sums?.usdCents ?? 0, codes };
}
