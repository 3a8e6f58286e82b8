/**
 * When a pay-in address is swept to the hot wallet: when nothing that is owed or may still be claimed depends on it,
 * and when it is worth it. Agent and signer both judge by this, each with its own facts. Pure.
 */
import { type AssetId, assetOf, isNative, nativeAsset } from '../../catalog/assets.ts';
import type { SweepQuote } from '../../chains/sweeping-port.ts';
import { type Decimal, decimal } from '../../money/decimal.ts';
import { fromBaseUnits } from '../../money/units.ts';
import type { DepositRow, OrderRow } from '../../orders/table.ts';
import { DAY_MILLISECONDS, HOUR_MILLISECONDS } from '../../platform/time.ts';
import { isUnreturned } from '../ledger/entries.ts';
import { type FeePayer, takenFrom } from '../ledger/reserve-rules.ts';
import type { TransactionRow } from '../table.ts';
import { hasFailed } from '../transactions/blocked.ts';

/** A deposit worth less than three times the cost of its sweep stays where it is. */
const WORTH_TIMES_COST = '3';

/** The wait after the first failure on chain. Each further failure makes it so many times as long. */
const FIRST_PAUSE_MILLISECONDS = HOUR_MILLISECONDS;
const PAUSE_FACTOR = 4;
/** So many failures on chain of one pay-in address, each at the cost of its fee, are borne within so long. The signer counts. */
export const MAX_FAILURES = 5;
export const FAILURES_MILLISECONDS = 30 * DAY_MILLISECONDS;
/** So many more may follow within the same time, one each time that the operator asks (`order sweep`). */
export const MAX_RETRIES = 5;

/** Gas that was sent must be this many times what the sweep still lacks (`hasGas`). */
const GAS_OVER_LACKING = 3n;

export interface SweepValue {
	readonly asset: AssetId;
	/** Base units that would arrive. */
	readonly amount: bigint;
	/** The sweep's cost, base units of the network's native coin. */
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
	/** When the operator last asked for another sweep; null where they did not. */
	readonly candidate?: { readonly retriedAt: number | null };
	/** The order's payout and refunds. */
	readonly payouts: readonly Pick<TransactionRow, 'id' | 'state'>[];
	/** Gas for and sweeps of its pay-in address. */
	readonly sweeps: readonly Sweep[];
}

export type Sweep = Pick<TransactionRow, 'kind' | 'state' | 'plannedAt' | 'finalAt' | 'txId' | 'settledTxId'>;
/** `failing`: as `sweep`, but too many have failed. */
export type SweepStep = 'sweep' | 'wait' | 'done' | 'failing';

/**
 * `sweep`: payouts and refunds that are final have paid for everything there but dust, which is swept too. `wait`: a
 * deposit that is not final may be dropped and come again; a deposit that no payout has paid for proves what is owed; an
 * address has one unfinished transaction at a time; and one that failed is made again after a pause. `done`: nothing
 * remains there.
 */
export function sweepStep({ order, deposits, payouts, sweeps, candidate }: AddressFacts, now: number): SweepStep {
	if (sweeps.some(({ state }) => state !== 'final')) return 'wait';
	const moved = sweeps.filter((sweep) => sweep.kind === 'sweep' && !hasFailed(sweep));
	const sweptAt = Math.max(0, ...moved.map(({ plannedAt }) => plannedAt));
	// The sweep may have missed a deposit that was seen while it was under way.
	const lying = deposits.filter(
		({ state, lastSeenAt }) => state === 'seen' || (state === 'final' && lastSeenAt >= sweptAt),
	);
	if (lying.length === 0) return 'done';
	const isPaidFor = (payoutId: string | null) =>
		isUnreturned(payoutId) || payouts.some(({ id, state }) => id === payoutId && state === 'final');
	const isOver = order.status === 'DONE' || order.status === 'EXPIRED';
	const isFree = lying.every(
		({ state, dust, payoutId }) => state === 'final' && (isPaidFor(payoutId) || (dust && payoutId === null)),
	);
	return isOver && isFree ? stepAfterFailures(sweeps, candidate?.retriedAt ?? 0, now) : 'wait';
}

function stepAfterFailures(sweeps: readonly Sweep[], retriedAt: number, now: number): SweepStep {
	const failedAt = sweeps
		.filter(hasFailed)
		.map(({ finalAt }) => finalAt ?? 0)
		.filter((at) => at > now - FAILURES_MILLISECONDS);
	if (failedAt.length === 0 || retriedAt > Math.max(...failedAt)) return 'sweep';
	if (failedAt.length >= MAX_FAILURES) return 'failing';
	const pause = FIRST_PAUSE_MILLISECONDS * PAUSE_FACTOR ** (failedAt.length - 1);
	return now - Math.max(...failedAt) < pause ? 'wait' : 'sweep';
}

/** Gas that was sent to the address and that no sweep has used; null where there is none. */
export function unusedGas<Move extends Sweep>(sweeps: readonly Move[]): Move | null {
	const newest = sweeps.toSorted((a, b) => b.plannedAt - a.plannedAt)[0];
	return newest?.kind === 'gas' && !hasFailed(newest) ? newest : null;
}

/**
 * Was gas sent that no sweep has used, and is the gas that the sweep still lacks at most a third of it? Then the sweep
 * can pay for its gas even if the price rises.
 */
export function hasGas<Move extends Sweep & Pick<TransactionRow, 'amount'>>(
	sweeps: readonly Move[],
	quote: SweepQuote,
): boolean {
	const gas = unusedGas(sweeps);
	return gas !== null && BigInt(gas.amount) >= quote.gas * GAS_OVER_LACKING;
}

export interface Recorded {
	readonly asset: AssetId;
	readonly quote: SweepQuote;
	/** All of the order's. */
	readonly deposits: readonly Pick<DepositRow, 'state' | 'asset' | 'amount'>[];
	/** Gas for and sweeps of its pay-in address. */
	readonly sweeps: readonly Pick<
		TransactionRow,
		'kind' | 'state' | 'asset' | 'amount' | 'fee' | 'txId' | 'settledTxId'
	>[];
	readonly feePayer: FeePayer;
}

/**
 * For `Chain.sweeping.onlyRecorded`: a sweep of the native coin takes what is on record and leaves the rest, so that a
 * poll still finds it at the address. `planned`: what may leave the address, the fee included; of a token, all of it.
 * `amount`: what would arrive.
 */
export function recordedPart({ asset, quote, deposits, sweeps, feePayer }: Recorded): {
	readonly amount: bigint;
	readonly planned: bigint;
} {
	if (!isNative(assetOf(asset))) return { amount: quote.amount, planned: quote.amount };
	const arrived = deposits
		.filter((deposit) => deposit.state === 'final' && deposit.asset === asset)
		.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
	const final = sweeps.filter(({ kind, state }) => kind === 'sweep' && state === 'final');
	const recorded = arrived - takenFrom(final, asset, feePayer);
	const unrecorded = quote.amount + quote.fee - recorded;
	const planned = quote.amount + quote.fee - (unrecorded > 0n ? unrecorded : 0n);
	return { amount: planned - quote.fee, planned };
}
