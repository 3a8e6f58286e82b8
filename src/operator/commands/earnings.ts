/** `earnings show`: what is owed to a partner, from the ledger's entries alone, and what they were paid. */
import { assetOf } from '../../catalog/assets.ts';
import { fromBaseUnits } from '../../money/units.ts';
import { usdOfCents } from '../../money/usd.ts';
import { findPartner } from '../../partners/store.ts';
import { isoTimesOf, pick } from '../../platform/pick.ts';
import { marketOrNull } from '../../pricing/market-now.ts';
import { listPartnerPayouts } from '../../treasury/earnings/store.ts';
import { totalUsd, usdOrNull, worth } from '../../treasury/earnings/worth.ts';
import { owedToPartner } from '../../treasury/ledger/store.ts';
import { fail, type RunOf, type RunsOf } from '../command.ts';
import { waitsOf } from '../orders/record.ts';
import { partnerPayoutRecord } from '../partners/record.ts';
import { currentSettings } from '../settings/changes.ts';
import type { earnings as topic } from '../topics/earnings.ts';
import { payOutEarnings } from './pay-out.ts';

/**
 * `earnedUsd` counts all that was ever earned, at the prices of that time; `usd` is what it is worth now, null if
 * unknown. What is planned to be paid is still owed.
 */
const showEarnings: RunOf<typeof topic, 'show'> = async (context, { partner: id }) => {
	const partner = await findPartner(context.db, id);
	if (!partner) return fail(404, `there is no partner ${id}`);
	const [owed, payouts, market, switches] = await Promise.all([
		owedToPartner(context.db, id),
		listPartnerPayouts(context.db, id),
		marketOrNull(context.env),
		currentSettings(context),
	]);
	const worths = owed.map(({ asset, amount }) => worth(market, asset, amount, context.now));
	return {
		partnerId: id,
		name: partner.name,
		earnedUsd: usdOfCents(partner.earnedUsdCents),
		owedUsd: totalUsd(worths),
		...pick(partner, 'payoutAsset', 'payoutAddress'),
		...isoTimesOf(partner, 'payoutAddressChangedAt'),
		owed: owed.map(({ asset, amount }, i) => ({
			asset,
			amount: fromBaseUnits(amount, assetOf(asset).decimals),
			baseUnits: amount.toString(),
			usd: usdOrNull(worths[i] ?? null),
		})),
		payouts: payouts.map((payout) => ({
			...partnerPayoutRecord(payout),
			...(payout.own && waitsOf(payout.own, switches)),
		})),
	};
};

export const earningsRuns: RunsOf<typeof topic> = { show: showEarnings, 'pay-out': payOutEarnings };
