/** Orders and volume of each reference code of a partner, as they were counted, archived orders included. */
import { asc, eq } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import { codeTotals } from '../../partners/table.ts';
import { usdOfCents } from '../shown.ts';

/** Sorted by code. `volumeUsd`: what the deposits of its DONE orders were worth when they were settled. */
export async function codeCounters(db: DrizzleD1Database, partnerId: string) {
	const rows = await db
		.select()
		.from(codeTotals)
		.where(eq(codeTotals.partnerId, partnerId))
		.orderBy(asc(codeTotals.referenceCode));
	return rows.map(({ referenceCode, orders, ordersDone, volumeUsdCents, earnedUsdCents }) => ({
		...{ code: referenceCode, orders, ordersDone },
		volumeUsd: usdOfCents(volumeUsdCents),
		earnedUsd: usdOfCents(earnedUsdCents),
	}));
}
