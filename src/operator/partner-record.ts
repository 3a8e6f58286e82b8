/** A partner as the operator sees it: everything but the secrets; and what he was paid. Pure. */
import { assetOf } from '../catalog/assets.ts';
import { fromBaseUnits } from '../money/units.ts';
import type { PartnerRow } from '../partners/table.ts';
import type { PartnerPayoutRow } from '../treasury/table.ts';
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

/** `txId` and `paidAt` are null while the operator is to pay it. */
export const partnerPayoutRecord = (payout: PartnerPayoutRow) => ({
	payoutId: payout.id,
	asset: payout.asset,
	network: payout.network,
	amount: fromBaseUnits(BigInt(payout.amount), assetOf(payout.asset).decimals),
	usd: usdOfCents(payout.usdCents),
	address: payout.address,
	txId: payout.txId,
	orderCount: payout.orderCount,
	plannedAt: isoTime(payout.plannedAt),
	paidAt: isoTimeOrNull(payout.paidAt),
});
