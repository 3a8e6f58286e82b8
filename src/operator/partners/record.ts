/** A partner as the operator sees them: everything but the secrets, and what they were paid. Pure. */
import { assetOf } from '../../catalog/assets.ts';
import { fromBaseUnits } from '../../money/units.ts';
import { usdOfCents } from '../../money/usd.ts';
import { orderPageOf } from '../../partners/order-page.ts';
import type { PartnerRow } from '../../partners/table.ts';
import { isoTime, isoTimeOrNull } from '../../platform/time.ts';
import type { PartnerPayout } from '../../treasury/earnings/store.ts';
import { blockedText } from '../../treasury/transactions/wait-reason.ts';

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
	autoPayout: partner.autoPayout,
	autoPayoutMinUsd: partner.autoPayoutMinUsd,
	autoPayoutNextAt: isoTimeOrNull(partner.autoPayoutAt),
	autoPayoutWaits: partner.autoPayoutWaits,
	orderPage: orderPageOf(partner, true),
	createdAt: isoTime(partner.createdAt),
	updatedAt: isoTime(partner.updatedAt),
});

/** Counters never go down. */
export const partnerCounters = (partner: PartnerRow) => ({
	ordersDone: partner.ordersDone,
	volumeUsd: usdOfCents(partner.volumeUsdCents),
	earnedUsd: usdOfCents(partner.earnedUsdCents),
});

/**
 * A payout of earnings. `state` is that of its transaction, or `booked` where the operator has paid it. `held`: why it
 * waits for a person. `paidAt`: when it was sent, or booked.
 */
export const partnerPayoutRecord = ({ plan: payout, own }: PartnerPayout) => ({
	payoutId: payout.id,
	payer: own && own.settledTxId === null ? 'service' : 'operator',
	state: own?.state ?? (payout.txId === null ? 'planned' : 'booked'),
	asset: payout.asset,
	network: payout.network,
	amount: fromBaseUnits(BigInt(payout.amount), assetOf(payout.asset).decimals),
	usd: usdOfCents(payout.usdCents),
	address: payout.address,
	txId: own?.settledTxId ?? own?.txId ?? payout.txId,
	held: own && blockedText(own),
	attempts: own?.attempts ?? 0,
	orderCount: payout.orderCount,
	isAutomatic: payout.autoPeriod !== null,
	plannedAt: isoTime(payout.plannedAt),
	paidAt: isoTimeOrNull(payout.paidAt),
});
