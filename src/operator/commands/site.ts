/** `site show` and `site update` (operator.md): what holds for the whole service. */
import { eq } from 'drizzle-orm';
import * as z from 'zod';
import type { Settings } from '../../catalog/settings.ts';
import { site } from '../../catalog/table.ts';
import { logError } from '../../log.ts';
import { decimal, usdText } from '../../money/decimal.ts';
import { dailyVolume } from '../../orders/table.ts';
import { type Context, command } from '../command.ts';
import { changed, changeSettings, currentSettings, NOTHING_TO_CHANGE } from '../settings/changes.ts';
import { wholeBetween } from '../settings/input.ts';
import { usdOfCents } from '../shown.ts';

const MAX_DAILY_CAP_USD = 1_000_000_000_000;
const MAX_BASE_FEE_BPS = 2000;
const ALL_BPS = 10_000;
/** The bounds that migrations/0002_settings.sql states. */
const DEPOSIT_WINDOW_SECONDS = { min: 60, max: 86_400 };

const updateInput = z
	.strictObject({
		maintenance: z.boolean().optional(),
		dailyCapUsd: wholeBetween(0, MAX_DAILY_CAP_USD).optional(),
		baseFeeBps: wholeBetween(0, MAX_BASE_FEE_BPS).optional(),
		depositWindowSeconds: wholeBetween(DEPOSIT_WINDOW_SECONDS.min, DEPOSIT_WINDOW_SECONDS.max).optional(),
		unpaidShareBps: wholeBetween(0, ALL_BPS).optional(),
	})
	.refine((input) => Object.keys(input).length > 0, NOTHING_TO_CHANGE);

const siteRecord = (settings: Settings) => {
	const { maintenance, dailyCapUsd, baseFeeBps, depositWindowSeconds, unpaidShareBps } = settings;
	return { maintenance, dailyCapUsd, baseFeeBps, depositWindowSeconds, unpaidShareBps };
};

/** The settings, and what this UTC day has used of the service's cap and of the signer's own. */
export const showSite = command(z.strictObject({}), async (context) => {
	const [settings, signer] = await Promise.all([currentSettings(context), signerToday(context)]);
	return { ...siteRecord(settings), today: await today(context, settings), signer };
});

async function today({ db, now }: Context, { dailyCapUsd }: Settings) {
	const day = new Date(now).toISOString().slice(0, 10);
	const [row] = await db.select().from(dailyVolume).where(eq(dailyVolume.day, day));
	const [cap, used] = [dailyCapUsd * 100, row?.usdCents ?? 0];
	return { day, usedUsd: usdOfCents(used), leftUsd: usdOfCents(Math.max(0, cap - used)) };
}

/** Null when the signer does not answer: the settings are shown all the same. */
async function signerToday({ env }: Context) {
	try {
		const { day, payoutCapUsd, payoutUsedUsd, refundCapUsd, refundUsedUsd } = await env.SIGNER.limits();
		return {
			day,
			payoutCapUsd: shownUsd(payoutCapUsd),
			payoutUsedUsd: shownUsd(payoutUsedUsd),
			payoutLeftUsd: leftUsd(payoutCapUsd, payoutUsedUsd),
			refundCapUsd: shownUsd(refundCapUsd),
			refundUsedUsd: shownUsd(refundUsedUsd),
			refundLeftUsd: leftUsd(refundCapUsd, refundUsedUsd),
		};
	} catch (error) {
		logError('signer_limits_not_read', error);
		return null;
	}
}

const shownUsd = (usd: number): string => usdText(decimal(String(usd)));

function leftUsd(cap: number, used: number): string {
	const left = decimal(String(cap)).minus(decimal(String(used)));
	return usdText(left.gt('0') ? left : decimal('0'));
}

/** Maintenance and the cap are enforced by D1 itself; orders keep the window and the fee that they were made with. */
export const updateSite = command(updateInput, async (context, wanted) => {
	const settings = await currentSettings(context);
	const { after, changes } = changed(siteRecord(settings), wanted);
	const failure = await changeSettings(context, settings, {
		command: 'site update',
		subject: null,
		changes,
		write: (condition) => context.db.update(site).set(after).where(condition),
	});
	return failure ?? after;
});
