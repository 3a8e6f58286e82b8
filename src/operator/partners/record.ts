/** A partner as the operator sees them: everything but the secrets, and what they were paid. Pure. */
import { assetOf } from '../../catalog/assets.ts';
import { fromBaseUnits } from '../../money/units.ts';
import { usdOfCents } from '../../money/usd.ts';
import { orderPageOf } from '../../partners/order-page.ts';
import type { PartnerRow, WebhookEndpointRow } from '../../partners/table.ts';
import { isoTimesOf, pick } from '../../platform/pick.ts';
import { isoTimeOrNull } from '../../platform/time.ts';
import type { PartnerPayout } from '../../treasury/earnings/store.ts';
import { blockedText } from '../../treasury/transactions/wait-reason.ts';

/** `endpoint`: the first webhook endpoint. */
export const partnerRecord = (partner: PartnerRow, endpoint: WebhookEndpointRow | null) => ({
	...pick(partner, 'id', 'name', 'enabled', 'apiKey', 'weightPerMinute', 'afftaxBps', 'maxRefCodes'),
	...pick(partner, 'requireTimestamp'),
	webhookUrl: endpoint?.url ?? null,
	events: endpoint?.events ?? [],
	...pick(partner, 'payoutAsset', 'payoutAddress'),
	...isoTimesOf(partner, 'payoutAddressChangedAt'),
	...pick(partner, 'autoPayout', 'autoPayoutMinUsd'),
	autoPayoutNextAt: isoTimeOrNull(partner.autoPayoutAt),
	autoPayoutWaits: partner.autoPayoutWaits,
	orderPage: orderPageOf(partner, true),
	...isoTimesOf(partner, 'createdAt', 'updatedAt'),
});

export const endpointRecord = (row: WebhookEndpointRow) => ({
	...pick(row, 'id', 'url', 'events', 'enabled'),
	isSealed: row.seal !== null,
	...isoTimesOf(row, 'urlSetAt', 'createdAt'),
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
	...pick(payout, 'asset', 'network'),
	amount: fromBaseUnits(BigInt(payout.amount), assetOf(payout.asset).decimals),
	usd: usdOfCents(payout.usdCents),
	address: payout.address,
	txId: own?.settledTxId ?? own?.txId ?? payout.txId,
	held: own && blockedText(own),
	attempts: own?.attempts ?? 0,
	orderCount: payout.orderCount,
	isAutomatic: payout.autoPeriod !== null,
	...isoTimesOf(payout, 'plannedAt', 'paidAt'),
});
