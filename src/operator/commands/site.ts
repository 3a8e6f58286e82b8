/** `site show` and `site update`: the settings of the whole service. */
import { eq } from 'drizzle-orm';
import type { Settings } from '../../catalog/settings.ts';
import { site } from '../../catalog/table.ts';
import { decimal, usdText } from '../../money/decimal.ts';
import { usdOfCents } from '../../money/usd.ts';
import { dailyVolume } from '../../orders/table.ts';
import { logError } from '../../platform/log.ts';
import { pick } from '../../platform/pick.ts';
import { utcDay } from '../../platform/time.ts';
import { type Context, fail, type RunOf, type RunsOf } from '../command.ts';
import { changed, changeSettings, currentSettings } from '../settings/changes.ts';
import type { site as topic } from '../topics/site.ts';

const SHOWN = [
	...(['maintenance', 'dailyCapUsd', 'baseFeeBps', 'depositWindowSeconds', 'unpaidShareBps'] as const),
	...([
		'archiveAfterDays',
		'webhookBodyDays',
		'showsSecrets',
		'decisionHours',
		'askedRefundUsd',
		'reserveHours',
		'sweepShareBps',
		'ownMarginBps',
		'ownPayouts',
		'ownPayoutMinUsd',
		'provesSolvency',
		'provesMonero',
	] as const),
];
const siteRecord = (settings: Settings) => pick(settings, ...SHOWN);

/** The settings, and what this UTC day has used of the service's cap and of the signer's own. */
const showSite: RunOf<typeof topic, 'show'> = async (context) => {
	const [settings, signer] = await Promise.all([currentSettings(context), signerToday(context)]);
	return { ...siteRecord(settings), today: await today(context, settings), signer };
};

async function today({ db, now }: Context, { dailyCapUsd }: Settings) {
	const day = utcDay(now);
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

/** D1 itself enforces maintenance and the cap. Orders keep the window and the fee that they were made with. */
const updateSite: RunOf<typeof topic, 'update'> = async (context, wanted) => {
	if (wanted.archiveAfterDays && !(context.env.ARCHIVE && context.deployment?.api.hasArchive))
		return fail(409, 'there is no bucket to archive to: bind one as ARCHIVE to the API Worker and the operator Worker');
	const settings = await currentSettings(context);
	const { after, changes } = changed(siteRecord(settings), wanted);
	const failure = await changeSettings(context, settings, {
		of: { table: 'site', name: 'site', named: wanted },
		changes,
		write: (condition) => context.db.update(site).set(after).where(condition),
	});
	return failure ?? after;
};

export const siteRuns: RunsOf<typeof topic> = { show: showSite, update: updateSite };
