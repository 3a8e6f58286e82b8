/**
 * Planning a refund (decisions.md "Orders"): what was received and no payout answers for, less the network fee, goes to
 * the refund address. From there on it is a payout like any other: judged and signed by the signer, stored, broadcast.
 */
import { and, sql } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import { assetOf } from '../catalog/assets.ts';
import { decimal, usdCents } from '../money/decimal.ts';
import { fromBaseUnits } from '../money/units.ts';
import { deposits, type OrderRow } from '../orders/table.ts';
import { type Market, networkReport, usdPrice } from '../pricing/market.ts';
import { runBatch } from './batches.ts';
import { payouts } from './table.ts';
import { type Statement, unclaimedDeposits } from './transition.ts';

export interface PlannedRefund {
	readonly payoutId: string;
	/** Plain decimals of the source asset. */
	readonly amount: string;
	readonly networkFee: string;
}

/**
 * `audit`: the line of the audit log, written in the same batch. The refund, or one line that says why there is none.
 * Atomic: the refund and its claim on the deposits are one batch; a payout that is decided at the same moment makes
 * one of the two fail on `payouts_one_at_a_time`.
 */
export async function planRefund(
	db: DrizzleD1Database,
	order: OrderRow,
	market: Market,
	now: number,
	audit: Statement,
): Promise<PlannedRefund | string> {
	const unclaimed = await db.select().from(deposits).where(unclaimedDeposits(order.id));
	const received = unclaimed.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
	if (received === 0n) return 'no final deposit of this order is left to send back';
	const asset = assetOf(order.fromAsset);
	const price = usdPrice(market, asset, now);
	const feeText = networkReport(market, asset.network, now)?.fees[asset.code];
	if (!price || feeText === undefined)
		return `${asset.network} does not answer, or its price is too old; try again later`;
	const fee = BigInt(feeText);
	const coins = (units: bigint) => fromBaseUnits(units, asset.decimals);
	if (received <= fee)
		return `the ${coins(received)} ${asset.code} received do not pay the network fee of ${coins(fee)}`;
	const payoutId = crypto.randomUUID();
	// Only what was added up: another deposit may become final just now, and is not sent back by this refund.
	const txIds = JSON.stringify(unclaimed.map(({ txId }) => txId));
	const isCounted = sql`${deposits.txId} in (select value from json_each(${txIds}))`;
	await runBatch(db, [
		db.insert(payouts).values({
			id: payoutId,
			orderId: order.id,
			kind: 'refund',
			network: asset.network,
			asset: asset.code,
			toAddress: order.refundAddress,
			amount: (received - fee).toString(),
			usdCents: usdCents(decimal(coins(received)).times(price)),
			state: 'planned',
			plannedAt: now,
			nextAttemptAt: now,
		}),
		db
			.update(deposits)
			.set({ payoutId })
			.where(and(unclaimedDeposits(order.id), isCounted)),
		audit,
	]);
	return { payoutId, amount: coins(received - fee), networkFee: coins(fee) };
}
