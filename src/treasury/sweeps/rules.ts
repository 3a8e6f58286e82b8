/**
 * When a pay-in address is swept to the hot wallet: when nothing that is owed or may still be claimed depends on it,
 * and when it is worth it. Agent and signer both judge by this, each with its own facts. Pure.
 */
import { type AssetId, assetOf, nativeAsset } from '../../catalog/assets.ts';
import { type Decimal, decimal } from '../../money/decimal.ts';
import { fromBaseUnits } from '../../money/units.ts';
import type { DepositRow, OrderRow } from '../../orders/table.ts';
import type { TransactionRow } from '../table.ts';

/** What is worth less than three times its cost stays where it is. */
const WORTH_TIMES_COST = '3';

export interface SweepValue {
	readonly asset: AssetId;
	/** Base units that would arrive. */
	readonly amount: bigint;
	/** What bringing it costs, base units of its network's native coin. */
	readonly fee: bigint;
	/** US dollars for one coin of the asset, and for one native coin. */
	readonly usd: Decimal;
	readonly nativeUsd: Decimal;
}

export function isWorthSweeping({ asset, amount, fee, usd, nativeUsd }: SweepValue): boolean {
	const { network } = assetOf(asset);
	const cost = usdValue(fee, nativeAsset(network), nativeUsd);
	return amount > 0n && usdValue(amount, asset, usd).gte(cost.times(WORTH_TIMES_COST));
}

/** `amount`: base units; `usd`: US dollars for one coin. */
export const usdValue = (amount: bigint, asset: AssetId, usd: Decimal): Decimal =>
	decimal(fromBaseUnits(amount, assetOf(asset).decimals)).times(usd);

export interface AddressFacts {
	readonly order: Pick<OrderRow, 'status'>;
	/** All of the order's. */
	readonly deposits: readonly Pick<DepositRow, 'state' | 'dust' | 'payoutId' | 'lastSeenAt'>[];
	/** The order's payout and refunds. */
	readonly payouts: readonly Pick<TransactionRow, 'id' | 'state'>[];
	/** Gas for and sweeps of its pay-in address. */
	readonly sweeps: readonly Pick<TransactionRow, 'kind' | 'state' | 'plannedAt'>[];
}

/**
 * `sweep`: all that lies there is answered for by payouts and refunds that are final, or is dust that goes along.
 * `wait`: a deposit that is not final may be dropped and come again; one that no payout has paid for proves what is owed for
 * it; and of two transactions of one address the second waits for the first. `done`: nothing is left there.
 */
export function sweepStep({ order, deposits, payouts, sweeps }: AddressFacts): 'sweep' | 'wait' | 'done' {
	if (sweeps.some(({ state }) => state !== 'final')) return 'wait';
	const sweptAt = Math.max(0, ...sweeps.filter(({ kind }) => kind === 'sweep').map(({ plannedAt }) => plannedAt));
	// The sweep may have missed what was seen while it was on its way.
	const lying = deposits.filter(
		({ state, lastSeenAt }) => state === 'seen' || (state === 'final' && lastSeenAt >= sweptAt),
	);
	if (lying.length === 0) return 'done';
	const isPaidFor = (payoutId: string | null) => payouts.some(({ id, state }) => id === payoutId && state === 'final');
	const isOver = order.status === 'DONE' || order.status === 'EXPIRED';
	const isFree = lying.every(
		({ state, dust, payoutId }) => state === 'final' && (isPaidFor(payoutId) || (dust && payoutId === null)),
	);
	return isOver && isFree ? 'sweep' : 'wait';
}
