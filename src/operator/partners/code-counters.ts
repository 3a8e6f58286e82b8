/** Orders and volume of each reference code of a partner, as they were counted, archived orders included. */
import { asc, eq } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import { usdOfCents } from '../../money/usd.ts';
import { codeTotals } from '../../partners/table.ts';

/** A partner may delete codes and make others, so the counted ones have no bound; `report --by code` has them all. */
const SHOWN = 500;

/**
 * The first ones by code; `moreReferenceCodes`: are there others? `volumeUsd`: what the deposits of its DONE orders were
 * worth when they were settled.
 */
export async function codeCounters(db: DrizzleD1Database, partnerId: string) {
	const rows = await db
		.select()
		.from(codeTotals)
		.where(eq(codeTotals.partnerId, partnerId))
		.orderBy(asc(codeTotals.referenceCode))
		.limit(SHOWN + 1);
	const referenceCodes = rows
		.slice(0, SHOWN)
		.map(({ referenceCode, orders, ordersDone, volumeUsdCents, earnedUsdCents }) => ({
			code: referenceCode,
			orders,
			ordersDone,
			volumeUsd: usdOfCents(volumeUsdCents),
			earnedUsd: usdOfCents(earnedUsdCents),
		}));
	return { referenceCodes, moreReferenceCodes: rows.length > SHOWN };
}
