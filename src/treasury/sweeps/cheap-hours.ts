/**
 * When sweeps go. What lies at a pay-in address is ours already, so a sweep may wait for cheap hours: until moving a
 * deposit costs no more than it did in the cheapest quarter of the last day. It does not wait where a payment needs the
 * coins, nor longer than a day, nor for less than a cent. So a network whose fees never move has no other hours.
 */
import { type AssetId, assetOf, isNative } from '../../catalog/assets.ts';
import type { Decimal } from '../../money/decimal.ts';
import { Stored } from '../../platform/stored.ts';
import { DAY_MILLISECONDS } from '../../platform/time.ts';
import type { Planning } from '../connection.ts';
import { type Sweep, unusedGas, usdValue } from './rules.ts';

/** One sample is kept of each ten minutes, so a day has 144. */
const SAMPLE_MILLISECONDS = 600_000;
const CHEAPEST_SHARE = 4;
const NOT_WORTH_A_WAIT_USD = '0.01';
/** A hot wallet is low on what it owes where it holds less than so many times as much. */
const LOW_TIMES_OWED = 2n;
/** Payments whose fees a hot wallet must be able to pay, while it owes anything. */
const PAYMENTS_AHEAD = 20n;
const SAMPLES = 'costsOfDay';

interface Sample {
	readonly at: number;
	/** The cost of moving one deposit of the native coin, its base units as text. */
	readonly cost: string;
}

export interface Timing {
	readonly isCheap: boolean;
	/** Assets whose coins payments need, whatever moving them costs. */
	readonly needed: readonly AssetId[];
}

export interface SweepPlanning extends Planning {
	readonly timing: Timing;
}

interface Waiting {
	readonly order: { readonly fromAsset: AssetId };
	/** Null where it has not waited. */
	readonly candidate: { readonly waitsSince: number | null };
	/** Gas for and sweeps of the address. */
	readonly sweeps: readonly Sweep[];
}

/** Also where gas was brought, which pays for a sweep at the price of then. */
export function mayGoNow({ order, candidate, sweeps }: Waiting, { isCheap, needed }: Timing, now: number): boolean {
	const { waitsSince } = candidate;
	const hasWaited = waitsSince !== null && now - waitsSince >= DAY_MILLISECONDS;
	return isCheap || hasWaited || needed.includes(order.fromAsset) || unusedGas(sweeps) !== null;
}

/** In the agent's storage, so that a restart does not make every hour look cheap. */
export class CheapHours extends Stored {
	/** `cost`: as in a sample, now. `usd`: of one native coin; null where it has no price. */
	areNow(native: AssetId, cost: bigint, usd: Decimal | null, now: number): boolean {
		const known = this.storage.kv.get<Sample[]>(SAMPLES) ?? [];
		const lately = known.filter(({ at }) => at > now - DAY_MILLISECONDS);
		const isNewSample = now - (lately.at(-1)?.at ?? 0) >= SAMPLE_MILLISECONDS;
		const samples = isNewSample ? [...lately, { at: now, cost: cost.toString() }] : lately;
		if (isNewSample) this.storage.kv.put(SAMPLES, samples);
		if (usd && usdValue(cost, native, usd).lt(NOT_WORTH_A_WAIT_USD)) return true;
		return cost <= cheapest(samples.map((sample) => BigInt(sample.cost)));
	}
}

/** The highest of the cheapest quarter, which is one sample at least. `costs`: not empty. */
function cheapest(costs: readonly bigint[]): bigint {
	const sorted = costs.toSorted((one, other) => (one < other ? -1 : Number(one > other)));
	return sorted[Math.ceil(sorted.length / CHEAPEST_SHARE) - 1] ?? 0n;
}

type Units = Readonly<Partial<Record<AssetId, bigint>>>;

/**
 * The `assets`, all of one network, that the hot wallet is low on. `held`, `owed`: base units. `fee`: of one payment of
 * the native coin, which pays the fees of every payment.
 */
export function neededNow(assets: readonly AssetId[], held: Units, owed: Units, fee: bigint): AssetId[] {
	const isOwing = Object.values(owed).some((amount) => amount > 0n);
	const feesAhead = isOwing ? PAYMENTS_AHEAD * fee : 0n;
	return assets.filter((code) => {
		const due = (owed[code] ?? 0n) + (isNative(assetOf(code)) ? feesAhead : 0n);
		return due > 0n && (held[code] ?? 0n) < due * LOW_TIMES_OWED;
	});
}
