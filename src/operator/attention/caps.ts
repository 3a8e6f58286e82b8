/** Daily caps that are nearly used up. */
import { eq } from 'drizzle-orm';
import { usdOfCents } from '../../money/usd.ts';
import { dailyVolume } from '../../orders/table.ts';
import { utcDay } from '../../platform/time.ts';
import type { Facts, Waiting } from './waiting.ts';

/** A cap is listed once at least this percentage of it is used. */
const NEARLY = 90;

/** Pure. */
export const isNearlyUsed = (usedCents: number, capUsd: number): boolean => usedCents >= capUsd * NEARLY;

export async function waitingCaps(facts: Facts): Promise<Waiting[]> {
	return [...(await siteCap(facts)), ...(await signerCaps(facts))];
}

async function siteCap({ context: { db, now }, settings: { dailyCapUsd } }: Facts): Promise<Waiting[]> {
	const day = utcDay(now);
	const [today] = await db.select().from(dailyVolume).where(eq(dailyVolume.day, day));
	const used = today?.usdCents ?? 0;
	if (!isNearlyUsed(used, dailyCapUsd)) return [];
	return [
		{
			area: 'cap',
			subject: 'site',
			cause: `orders of ${day} take ${usdOfCents(used)} of the daily cap of ${dailyCapUsd} USD; above it create answers 8`,
			usd: usdOfCents(used),
			todo: '`site update --daily-cap-usd N` raises it; it starts again at 00:00 UTC, and unpaid orders give their share back',
		},
	];
}

/** The signer's own caps, which only its configuration sets. */
async function signerCaps({ context: { env } }: Facts): Promise<Waiting[]> {
	const { day, payoutCapUsd, payoutUsedUsd, refundCapUsd, refundUsedUsd } = await env.SIGNER.limits();
	const row = (subject: string, used: number, cap: number, variable: string): Waiting[] => {
		const cents = Math.round(used * 100);
		if (!isNearlyUsed(cents, cap)) return [];
		const usd = usdOfCents(cents);
		const cause = `the signer signed for ${usd} of ${cap} USD on ${day}; above it nothing is signed that day`;
		const todo = `it starts again at 00:00 UTC; or raise ${variable} of the signer`;
		return [{ area: 'cap', subject, cause, usd, todo }];
	};
	return [
		...row('signer, payouts', payoutUsedUsd, payoutCapUsd, 'SIGNER_DAILY_CAP_USD'),
		...row('signer, refunds', refundUsedUsd, refundCapUsd, 'SIGNER_DAILY_REFUND_CAP_USD'),
	];
}
