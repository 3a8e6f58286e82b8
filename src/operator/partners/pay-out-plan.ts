/**
 * The payment that `earnings pay-out` would make: how much, for which orders. `payout-address.ts` says to which
 * address, and whether it may be used.
 */
import { writeAudit } from '../../audit/log.ts';
import { type Asset, assetOf, isAssetId } from '../../catalog/assets.ts';
import { fromBaseUnits } from '../../money/units.ts';
import type { PartnerRow } from '../../partners/table.ts';
import type { Statement } from '../../platform/d1/batches.ts';
import { type Market, networkReport } from '../../pricing/market.ts';
import { marketOrNull } from '../../pricing/market-now.ts';
import { convertEarnings, sumsByAsset } from '../../treasury/earnings/conversion.ts';
import { planStatements } from '../../treasury/earnings/statements.ts';
import { unpaidOrders } from '../../treasury/earnings/store.ts';
import type { PartnerPayoutRow } from '../../treasury/earnings/table.ts';
import { type Context, type Failure, fail } from '../command.ts';

/** The command's name in the audit log. */
export const PAY_OUT = 'earnings pay-out';

interface Plan {
	readonly payout: PartnerPayoutRow;
	readonly orderIds: readonly string[];
	readonly statements: readonly Statement[];
}

/** A payout that the service makes by itself. */
export interface Automatic {
	/** The first instant of its period, Unix milliseconds. */
	readonly period: number;
	/** It is worth at least this. */
	readonly minUsd: number;
}

/** Converts at the live rate. Once the statements are written, the amount is fixed. `payer`: whose transaction pays. */
export async function makePlan(
	context: Context,
	{ id: partnerId, payoutAsset, payoutAddress }: PartnerRow,
	payer: 'service' | 'operator',
	automatic: Automatic | null = null,
): Promise<Plan | Failure> {
	const { db, now } = context;
	const [earned, market] = await Promise.all([unpaidOrders(db, partnerId), marketOrNull(context.env)]);
	if (earned.length === 0) return fail(409, `nothing is owed to partner ${partnerId}`);
	if (payoutAsset === null || payoutAddress === null || !isAssetId(payoutAsset)) {
		throw new TypeError(`partner ${partnerId} has no payout address`);
	}
	const asset = assetOf(payoutAsset);
	const sums = sumsByAsset(earned);
	const worth = market ? convertEarnings(sums, asset, market.prices, now) : { unpriced: payoutAsset };
	if ('unpriced' in worth)
		return fail(503, `there is no price of ${worth.unpriced} to convert at now; try again later`);
	if (worth.amount === 0n) return fail(409, `what is owed to partner ${partnerId} is less than can be paid`);
	if (automatic && worth.usdCents < automatic.minUsd * 100)
		return fail(409, `what is owed to partner ${partnerId} is below their ${automatic.minUsd} USD`);
	const problem = payer === 'service' && market ? walletProblem(market, asset, worth.amount, now) : null;
	if (problem) return problem;
	const payout: PartnerPayoutRow = {
		id: crypto.randomUUID(),
		partnerId,
		asset: payoutAsset,
		network: asset.network,
		address: payoutAddress,
		amount: worth.amount.toString(),
		usdCents: worth.usdCents,
		orderCount: earned.length,
		plannedAt: now,
		txId: null,
		paidAt: null,
		autoPeriod: automatic?.period ?? null,
	};
	const from = sums.map((sum) => ({ asset: sum.asset, amount: sum.amount.toString() }));
	const changes = {
		planned: payout.id,
		asset: payoutAsset,
		address: payoutAddress,
		amount: payout.amount,
		from,
		...(automatic && { automatic: true }),
	};
	const audit = writeAudit(context, { command: PAY_OUT, subject: partnerId, changes });
	const orderIds = earned.map(({ orderId }) => orderId);
	return { payout, orderIds, statements: [...planStatements(db, payout, earned), audit] };
}

/**
 * The house bears the network fee, so the amount must be worth at least that fee. The hot wallet must hold it: a payment
 * that nobody can make would count as owed until a person gives it up, and where a price is wrong it has no measure.
 */
function walletProblem(market: Market, asset: Asset, amount: bigint, now: number): Failure | null {
	const report = networkReport(market, asset.network, now);
	const [fee, held] = [report?.fees[asset.code], report?.reserves[asset.code]];
	if (fee === undefined || held === undefined)
		return fail(503, `${asset.network} does not answer now; try again later`);
	const coins = (units: bigint) => `${fromBaseUnits(units, asset.decimals)} ${asset.code}`;
	if (amount < BigInt(fee))
		return fail(
			409,
			`the ${coins(amount)} that are owed are less than their network fee of ${coins(BigInt(fee))}; wait until it is more`,
		);
	if (amount > BigInt(held))
		return fail(
			409,
			`by the prices of now ${coins(amount)} are owed, and the hot wallet holds ${coins(BigInt(held))}; see price list, then treasury plan`,
		);
	return null;
}
