/** Daily caps that are nearly used up. */
import { eq } from 'drizzle-orm';
import { dailyVolume } from '../../orders/table.ts';
import { usdOfCents } from '../shown.ts';
import type { Facts, Waiting } from './waiting.ts';

/** Of a cap, the share from which a person is told, percent. */
const NEARLY = 90;

/** Pure. */
export const isNearlyUsed = (usedCents: number, capUsd: number): boolean => usedCents >= capUsd * NEARLY;

export async function waitingCaps({ context: { db, now }, settings: { dailyCapUsd } }: Facts): Promise<Waiting[]> {
	const day = new Date(now).toISOString().slice(0, 10);
	const [today] = await db.select().from(dailyVolume).where(eq(dailyVolume.day, day));
	const used = today?.usdCents ?? 0;
	if (!isNearlyUsed(used, dailyCapUsd)) return [];
	return [
		{
			area: 'cap',
			subject: 'site',
			cause: `orders of ${day} take ${usdOfCents(used)} of the daily cap of ${dailyCapUsd} USD; above it create is 8`,
			since: null,
			amount: null,
			usd: usdOfCents(used),
			todo: '`site update --daily-cap-usd` raises it; it begins anew at 00:00 UTC, and unpaid orders give theirs back',
		},
	];
}
