/** `site show` and `site update` (operator.md): what holds for the whole service. */
import * as z from 'zod';
import type { Settings } from '../catalog/settings.ts';
import { site } from '../catalog/table.ts';
import { command } from './command.ts';
import { changed, changeSettings, currentSettings, NOTHING_TO_CHANGE } from './settings-changes.ts';
import { wholeBetween } from './settings-input.ts';

const MAX_DAILY_CAP_USD = 1_000_000_000_000;
const MAX_BASE_FEE_BPS = 2000;
/** The bounds that migrations/0002_settings.sql states. */
const DEPOSIT_WINDOW_SECONDS = { min: 60, max: 86_400 };

const updateInput = z
	.strictObject({
		maintenance: z.boolean().optional(),
		dailyCapUsd: wholeBetween(0, MAX_DAILY_CAP_USD).optional(),
		baseFeeBps: wholeBetween(0, MAX_BASE_FEE_BPS).optional(),
		depositWindowSeconds: wholeBetween(DEPOSIT_WINDOW_SECONDS.min, DEPOSIT_WINDOW_SECONDS.max).optional(),
	})
	.refine((input) => Object.keys(input).length > 0, NOTHING_TO_CHANGE);

const siteRecord = ({ maintenance, dailyCapUsd, baseFeeBps, depositWindowSeconds }: Settings) => ({
	maintenance,
	dailyCapUsd,
	baseFeeBps,
	depositWindowSeconds,
});

export const showSite = command(z.strictObject({}), async (context) => siteRecord(await currentSettings(context)));

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
