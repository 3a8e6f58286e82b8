/**
 * A partner's own change in the cabinet, with the code of the operator's command: the same checks, the same writes, and an
 * audit line that begins with `cabinet`. Only the fields of `ownInput` are taken, whatever is sent, and those that cost the
 * operator money only within the operator's bounds (`site update --own-…`).
 */
import * as z from 'zod/mini';
import type { Settings } from '../../catalog/settings.ts';
import type { AutoPayout } from '../../partners/partner.ts';
import { findPartner } from '../../partners/store.ts';
import type { PartnerRow } from '../../partners/table.ts';
import { firstIssue } from '../../platform/issue.ts';
import { pick } from '../../platform/pick.ts';
import { type Context, fail } from '../command.ts';
import { currentSettings } from '../settings/changes.ts';
import { partner } from '../topics/partner.ts';
import { applyUpdate, noSuchPartner } from './update.ts';

const { shape } = partner.commands.update.input;
const ownInput = z.strictObject({
	...pick(shape, 'id', 'webhookUrl', 'events', 'payoutAsset', 'payoutAddress', 'afftaxBps', 'autoPayout'),
	...pick(shape, 'autoPayoutMinUsd', 'orderPageFrames', 'orderPageName', 'orderPageReturn', 'orderPageSupport'),
	...pick(shape, 'orderPageTerms', 'orderPageAccent', 'widgetBps', 'widgetUsd', 'orderPageLanguage', 'payerDecides'),
	orderPageLogo: z.optional(z.nullable(z.string())),
});

type Own = z.output<typeof ownInput>;

export async function changeOwn(context: Context, partnerId: string, wanted: object): Promise<unknown> {
	const parsed = ownInput.safeParse({ ...wanted, id: partnerId });
	if (!parsed.success) return fail(400, firstIssue(parsed.error.issues));
	const update = parsed.data;
	const before = await findPartner(context.db, partnerId);
	if (!before) return noSuchPartner(partnerId);
	const problem = boundsProblem(await currentSettings(context), before, update);
	if (problem) return fail(400, problem);
	return applyUpdate(context, update, commandOf(update), { warns: true });
}

function commandOf({ payoutAsset, payoutAddress, webhookUrl, events }: Own): string {
	if (payoutAsset !== undefined || payoutAddress !== undefined) return 'cabinet payout address';
	return webhookUrl !== undefined || events !== undefined ? 'cabinet webhook' : 'cabinet settings';
}

type Bounds = Pick<Settings, 'ownMarginBps' | 'ownPayouts' | 'ownPayoutMinUsd'>;
type Held = Pick<PartnerRow, 'afftaxBps' | 'autoPayout' | 'autoPayoutMinUsd' | 'payoutAddress'> &
	Partial<Pick<PartnerRow, 'orderPage'>>;

/** From never on, the rarest first. */
const HOW_OFTEN: readonly AutoPayout[] = ['none', 'monthly', 'weekly', 'daily'];

/** Which of the operator's bounds the change breaks; null for none. What the operator has set already stays allowed. */
export function boundsProblem(bounds: Bounds, before: Held, change: Partial<Own>): string | null {
	const {
		afftaxBps = before.afftaxBps,
		autoPayout = before.autoPayout,
		autoPayoutMinUsd = before.autoPayoutMinUsd,
	} = change;
	if (afftaxBps !== before.afftaxBps && afftaxBps > bounds.ownMarginBps)
		return `the operator allows a default margin of at most ${bounds.ownMarginBps} basis points`;
	const { widgetBps = null } = change;
	if (widgetBps !== null && widgetBps > bounds.ownMarginBps && widgetBps !== before.orderPage?.widgetBps)
		return `the operator allows a margin of the widget of at most ${bounds.ownMarginBps} basis points`;
	const isPaid = autoPayout !== before.autoPayout || autoPayoutMinUsd !== before.autoPayoutMinUsd;
	if (!isPaid || autoPayout === 'none') return null;
	if (bounds.ownPayouts === 'none') return 'the operator alone sets automatic payouts here';
	if (before.payoutAddress === null && change.payoutAddress === undefined)
		return 'automatic payouts need a payout address; set one on the page of your earnings first';
	if (autoPayout !== before.autoPayout && HOW_OFTEN.indexOf(autoPayout) > HOW_OFTEN.indexOf(bounds.ownPayouts))
		return `the operator allows payouts that are ${bounds.ownPayouts} or rarer`;
	if (autoPayoutMinUsd < bounds.ownPayoutMinUsd)
		return `the operator allows a minimum of ${bounds.ownPayoutMinUsd} USD or more`;
	return null;
}
