/** `POST /api/v1/earnings`: what the partner has earned, is owed and was paid. */
import { drizzle } from 'drizzle-orm/d1';
import * as z from 'zod';
import { type AssetId, assetOf } from '../../catalog/assets.ts';
import { type Answer, answer, endpoint, type SignedCall } from '../../endpoint.ts';
import { type Decimal, decimal, usdText, ZERO } from '../../money/decimal.ts';
import { decimalText, decimalTextOrNull } from '../../money/schema.ts';
import { fromBaseUnits } from '../../money/units.ts';
import { type Market, usdPrice } from '../../pricing/market.ts';
import { earnedBy, MAX_PAID } from '../earnings/earned.ts';
import type { PartnerPayoutRow } from '../earnings/table.ts';

const text = (description: string) => z.string().meta({ description });
const count = (description: string) => z.int().min(0).meta({ description });

const earningsSchema = z.object({
	earnedUsd: decimalText('All that you ever earned, worth when it was earned.'),
	paidUsd: decimalText('All that you were ever paid, worth when it was planned.'),
	owedUsd: decimalTextOrNull('What is owed to you, worth now; null where one of its assets has no fresh price.'),
	ordersDone: count('Orders that are DONE.'),
	volumeUsd: decimalText('What their deposits were worth.'),
	owed: z
		.array(
			z.object({
				code: text('Asset id.'),
				network: text('Its network.'),
				amount: decimalText('What is owed in it.'),
				usd: decimalTextOrNull('Worth now; null without a fresh price.'),
			}),
		)
		.meta({ description: 'By asset. Money whose payout is planned is still owed.' }),
	paid: z
		.array(
			z.object({
				payoutId: text('Id of the payout.'),
				asset: text('Asset id that was paid.'),
				network: text('Its network.'),
				amount: decimalText('What was sent.'),
				usd: decimalText('Its USD value.'),
				address: text('Where it went.'),
				txId: text('Transaction id.'),
				orderCount: z.int().min(1).meta({ description: 'Orders whose earnings it pays.' }),
				time: z.int().min(0).meta({ description: 'When it was sent. Unix seconds.' }),
			}),
		)
		.max(MAX_PAID)
		.meta({ description: `Payouts, newest first, at most ${MAX_PAID}.` }),
	codes: z
		.array(
			z.object({
				code: text('Reference code.'),
				orders: count('Orders made under it.'),
				ordersDone: count('Those that are DONE.'),
				volumeUsd: decimalText('What the deposits of these were worth.'),
				earnedUsd: decimalText('What they earned you, worth when it was earned.'),
			}),
		)
		.meta({ description: 'Every reference code under which an order was made.' }),
});

export const earnings = endpoint({
	method: 'POST',
	path: '/api/v1/earnings',
	auth: 'required',
	weight: 5,
	id: 'earnings',
	tag: 'Earnings',
	summary: 'Read your earnings',
	description: ['What you have earned with afftax: what is owed, what was paid, and what each reference code brought.'],
	request: { schema: z.object({}), example: {} },
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
			paid: [
				{
					payoutId: '4b3de8a5-93a7-4b5b-9f2f-fd9f0f7c6f21',
					asset: 'LTC',
					network: 'Litecoin',
					amount: '1.25',
					usd: '106.25',
					address: 'ltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c2rkk4wh',
					txId: '2c7a9e4f1b6d8c3a5e7f9b2d4c6a8e0f1d3b5a7c9e2f4d6b8a0c1e3f5d7b9a2c',
					orderCount: 7,
					time: 1795176890,
				},
			],
			codes: [{ code: 'summer', orders: 12, ordersDone: 3, volumeUsd: '8010.00', earnedUsd: '40.05' }],
		},
	},
	errors: [1, 2, 3, 4, 5, 99],
	handle: readEarnings,
});

async function readEarnings({ env, partner, market, now }: SignedCall): Promise<Answer> {
	const [earned, prices] = await Promise.all([earnedBy(drizzle(env.DB), partner.id), market()]);
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
			usd: worths[i] ? usdText(worths[i]) : null,
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
const usdOfCents = (cents: number): string => usdText(decimal(fromBaseUnits(BigInt(cents), 2)));

function worth(market: Market | null, asset: AssetId, units: bigint, now: number): Decimal | null {
	const price = market && usdPrice(market, assetOf(asset), now);
	return price?.times(decimal(coins(asset, units))) ?? null;
}

/** Null while one of them is not known: a sum without it would look like the whole. */
function totalUsd(worths: readonly (Decimal | null)[]): string | null {
	const known = worths.filter((usd) => usd !== null);
	return known.length < worths.length ? null : usdText(known.reduce((sum, usd) => sum.plus(usd), ZERO));
}
