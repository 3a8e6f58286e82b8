/** A partner as the operator sees it: everything but the secrets. Pure. */
import type { PartnerRow } from '../partners/table.ts';
import { isoTime, isoTimeOrNull, usdOfCents } from './shown.ts';

export const partnerRecord = (partner: PartnerRow) => ({
	id: partner.id,
	name: partner.name,
	enabled: partner.enabled,
	apiKey: partner.apiKey,
	weightPerMinute: partner.weightPerMinute,
	afftaxBps: partner.afftaxBps,
	maxRefCodes: partner.maxRefCodes,
	requireTimestamp: partner.requireTimestamp,
	webhookUrl: partner.webhookUrl,
	events: partner.webhookEvents,
	payoutAsset: partner.payoutAsset,
	payoutAddress: partner.payoutAddress,
	payoutAddressChangedAt: isoTimeOrNull(partner.payoutAddressChangedAt),
	createdAt: isoTime(partner.createdAt),
	updatedAt: isoTime(partner.updatedAt),
});

/** Counters never go down (decisions.md "Partner earnings"). */
export const partnerCounters = (partner: PartnerRow) => ({
	ordersDone: partner.ordersDone,
	volumeUsd: usdOfCents(partner.volumeUsdCents),
	earnedUsd: usdOfCents(partner.earnedUsdCents),
});
