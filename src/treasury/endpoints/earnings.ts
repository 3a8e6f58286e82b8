/** `POST /api/v1/earnings`: what the partner has earned, is owed and was paid. */
import { and, asc, desc, eq, isNotNull, sql } from 'drizzle-orm';
import * as z from 'zod/mini';
import { type AssetId, assetOf } from '../../catalog/assets.ts';
import { decimalText, decimalTextOrNull } from '../../money/schema.ts';
import { fromBaseUnits } from '../../money/units.ts';
import { usdOfCents } from '../../money/usd.ts';
import { codeTotals, partners } from '../../partners/table.ts';
import { type Db, databaseOf } from '../../platform/d1/database.ts';
import { pick } from '../../platform/pick.ts';
import { type Answer, answer, endpoint, type SignedCall } from '../../ports/endpoint.ts';
import type { EndpointDocs } from '../../ports/endpoint-docs.ts';
import { partnerPaidOut } from '../../webhooks/events/partner-paid-out.ts';
import { type PartnerPayoutRow, partnerPayouts } from '../earnings/table.ts';
import { totalUsd, usdOrNull, worth } from '../earnings/worth.ts';
import { duesOfPartner, owedOf } from '../ledger/store.ts';

const count = (description: string) => z.int().check(z.minimum(0), z.describe(description));

const earningsSchema = /* @__PURE__ */ z.lazy(() =>
	z.object({
		earnedUsd: decimalText('Ever earned, worth when it was earned.'),
		paidUsd: decimalText('Ever paid out.'),
		owedUsd: decimalTextOrNull('Owed, worth now; null, like `usd`, without a fresh price.'),
		ordersDone: count('Orders that are DONE.'),
		volumeUsd: decimalText('What their deposits were worth.'),
		owed: z
			.array(
				z.object({
					code: z.string(),
					network: z.string(),
					amount: decimalText('Owed.'),
					usd: decimalTextOrNull('Worth now.'),
				}),
			)
			.check(z.describe('By asset. Money whose payout is planned is still owed.')),
		paid: z
			.array(z.extend(partnerPaidOut.data._zod.innerType, { time: count('When it was sent. Unix seconds.') }))
			.check(z.maxLength(MAX_PAID), z.describe('Payouts, newest first.')),
		codes: z
			.array(
				z.object({
					code: z.string(),
					orders: count('Orders made under it.'),
					ordersDone: count('Those that are DONE.'),
					volumeUsd: decimalText('What their deposits were worth.'),
					earnedUsd: decimalText('What they earned you.'),
				}),
			)
			.check(z.describe('Reference codes under which an order was made.')),
	}),
);

export const earnings = endpoint({
	method: 'POST',
	path: '/api/v1/earnings',
	auth: 'required',
	admits: ['read', 'server'],
	weight: 5,
	isAddition: true,
	id: 'earnings',
	request: { schema: z.lazy(() => z.object({})) },
	handle: readEarnings,
});

export const earningsDocs: EndpointDocs = () => ({
	tag: 'Earnings',
	summary: 'Read your earnings',
	description: ['What you have earned with afftax: what is owed, what was paid, and what each reference code brought.'],
	example: {},
	response: {
		data: earningsSchema,
		description: 'Your earnings.',
		example: {
			earnedUsd: '106.90',
			paidUsd: '106.25',
			owedUsd: '0.65',
			ordersDone: 8,
			volumeUsd: '21380.00',
			owed: [{ code: 'ETH', network: 'Ethereum', amount: '0.00021', usd: '0.65' }],
			paid: [{ ...partnerPaidOut.example.data, time: 1795176890 }],
			codes: [{ code: 'summer', orders: 12, ordersDone: 3, volumeUsd: '8010.00', earnedUsd: '40.05' }],
		},
	},
	errors: [1, 2, 3, 4, 5, 99],
});

async function readEarnings({ env, partner, market, now }: SignedCall): Promise<Answer> {
	const [earned, prices] = await Promise.all([earnedBy(databaseOf(env), partner.id), market()]);
	const { ordersDone = 0, volumeUsdCents = 0, earnedUsdCents = 0 } = earned.counters ?? {};
	const worths = earned.owed.map(({ asset, amount }) => worth(prices, asset, amount, now));
	return answer({
		earnedUsd: usdOfCents(earnedUsdCents),
		paidUsd: usdOfCents(earned.paidUsdCents),
		owedUsd: totalUsd(worths),
		ordersDone,
		volumeUsd: usdOfCents(volumeUsdCents),
		owed: earned.owed.map(({ asset, amount }, i) => ({
			code: asset,
			network: assetOf(asset).network,
			amount: coins(asset, amount),
			usd: usdOrNull(worths[i] ?? null),
		})),
		paid: earned.paid.map(paidView),
		codes: earned.codes.map((code) => ({
			code: code.referenceCode,
			orders: code.orders,
			ordersDone: code.ordersDone,
			volumeUsd: usdOfCents(code.volumeUsdCents),
			earnedUsd: usdOfCents(code.earnedUsdCents),
		})),
	});
}

const paidView = (payout: PartnerPayoutRow) => ({
	payoutId: payout.id,
	asset: payout.asset,
	network: payout.network,
	amount: coins(payout.asset, BigInt(payout.amount)),
	usd: usdOfCents(payout.usdCents),
	address: payout.address,
	txId: payout.txId,
	orderCount: payout.orderCount,
	time: Math.floor((payout.paidAt ?? payout.plannedAt) / 1000),
});

const coins = (asset: AssetId, units: bigint): string => fromBaseUnits(units, assetOf(asset).decimals);

/** Payouts in the answer, newest first. */
const MAX_PAID = 100;

async function earnedBy(db: Db, partnerId: string) {
	const isPaid = and(eq(partnerPayouts.partnerId, partnerId), isNotNull(partnerPayouts.txId));
	const [[counters], dues, paid, [sums], codes] = await db.batch([
		db
			.select(pick(partners, 'ordersDone', 'volumeUsdCents', 'earnedUsdCents'))
			.from(partners)
			.where(eq(partners.id, partnerId)),
		duesOfPartner(db, partnerId),
		db
			.select()
			.from(partnerPayouts)
			.where(isPaid)
			.orderBy(desc(partnerPayouts.paidAt), partnerPayouts.id)
			.limit(MAX_PAID),
		db
			.select({ usdCents: sql<number>`coalesce(sum(${partnerPayouts.usdCents}), 0)` })
			.from(partnerPayouts)
			.where(isPaid),
		db.select().from(codeTotals).where(eq(codeTotals.partnerId, partnerId)).orderBy(asc(codeTotals.referenceCode)),
	]);
	return { counters: counters ?? null, owed: owedOf(dues), paid, paidUsdCents: sums?.usdCents ?? 0, codes };
}
