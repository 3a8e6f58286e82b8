/** A partner as the operator sees them: everything but the secrets, what they were paid, and the counts of their codes. */
import { asc, eq, sql } from 'drizzle-orm';
import { assetOf } from '../../catalog/assets.ts';
import { fromBaseUnits } from '../../money/units.ts';
import { usdOfCents } from '../../money/usd.ts';
import { orderPageOf } from '../../partners/order-page.ts';
import { codeTotals, type PartnerRow, partners, type WebhookEndpointRow } from '../../partners/table.ts';
import type { Db } from '../../platform/d1/database.ts';
import { inJson } from '../../platform/d1/lists.ts';
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

export async function partnerNames(db: Db, ids: readonly string[]): Promise<Map<string, string>> {
	if (ids.length === 0) return new Map();
	const isNamed = sql`${partners.id} in ${inJson([...new Set(ids)])}`;
	const rows = await db.select({ id: partners.id, name: partners.name }).from(partners).where(isNamed);
	return new Map(rows.map(({ id, name }) => [id, name]));
}

/** A partner may delete codes and make others, so the counted ones have no bound; `report --by code` has them all. */
const SHOWN = 500;

/**
 * The first ones by code; `moreReferenceCodes`: are there others? `volumeUsd`: what the deposits of its DONE orders were
 * worth when they were settled.
 */
export async function codeCounters(db: Db, partnerId: string) {
	const rows = await db
		.select()
		.from(codeTotals)
		.where(eq(codeTotals.partnerId, partnerId))
		.orderBy(asc(codeTotals.referenceCode))
		.limit(SHOWN + 1);
	const referenceCodes = rows
		.slice(0, SHOWN)
		.map(({ referenceCode, orders, ordersDone, volumeUsdCents, earnedUsdCents }) => ({
			code: referenceCode,
			orders,
			ordersDone,
			volumeUsd: usdOfCents(volumeUsdCents),
			earnedUsd: usdOfCents(earnedUsdCents),
		}));
	return { referenceCodes, moreReferenceCodes: rows.length > SHOWN };
}
