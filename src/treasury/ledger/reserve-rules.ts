/**
 * The sums that our transactions leave in the hot wallet and take from pay-in addresses. On chains that do not list the
 * payments to the hot wallet, the reserve is what the wallet holds beyond that while none of our transactions is under
 * way. Pure.
 */
import { type AssetId, assetOf, isNative } from '../../catalog/assets.ts';
import type { Chain } from '../../chains/port.ts';
import { amountsByAsset } from '../../money/units.ts';
import type { TransactionKind, TransactionRow } from '../table.ts';
import { hasFailed } from '../transactions/blocked.ts';

/** Who pays the fee of a sweep: the pay-in address that it empties, or the hot wallet. */
export type FeePayer = NonNullable<Chain['sweeping']>['feePayer'];

/** Base units of our final transactions, and of the reserve on record. */
export interface WalletFlow {
	readonly moved: readonly { readonly asset: AssetId; readonly kind: TransactionKind; readonly amount: bigint }[];
	readonly fees: readonly { readonly kind: TransactionKind; readonly amount: bigint }[];
	readonly reserves: readonly { readonly asset: AssetId; readonly amount: bigint }[];
}

/** The sum that the flow leaves in the wallet, per asset. `native`: the coin in which fees are paid. */
export function walletBooks(flow: WalletFlow, native: AssetId, feePayer: FeePayer): Map<AssetId, bigint> {
	// A consolidation leaves the coins in the wallet: only its fee is spent.
	const moved = flow.moved.filter(({ kind }) => kind !== 'consolidation');
	const paysFee = (kind: TransactionKind) => feePayer !== 'address' || (kind !== 'sweep' && kind !== 'token');
	return amountsByAsset([
		...flow.reserves,
		...moved.map(({ asset, kind, amount }) => ({ asset, amount: kind === 'sweep' ? amount : -amount })),
		...flow.fees.flatMap(({ kind, amount }) => (paysFee(kind) ? { asset: native, amount: -amount } : [])),
	]);
}

/**
 * Base units of `asset` that final sweeps took from an address; the fee too, where the address paid it in that asset.
 */
export const takenFrom = (
	sweeps: readonly Pick<TransactionRow, 'asset' | 'amount' | 'fee' | 'txId' | 'settledTxId'>[],
	asset: AssetId,
	feePayer: FeePayer | undefined,
): bigint =>
	sweeps
		.filter((sweep) => sweep.asset === asset)
		.reduce((sum, sweep) => {
			const paysFee = feePayer === 'address' && isNative(assetOf(asset));
			const moved = hasFailed(sweep) ? 0n : BigInt(sweep.amount);
			return sum + moved + (paysFee ? BigInt(sweep.fee ?? 0) : 0n);
		}, 0n);

export interface Surplus {
	readonly amount: bigint;
	/** Height of the best block when a poll first saw this much. */
	readonly since: number;
}

/**
 * A surplus counts once every poll for `blocks` blocks has seen it: a reorganisation may take a payment back, and a
 * node that lags behind shows coins that are spent already. If the surplus changes, the part that was always there
 * counts.
 */
export function steadySurplus(
	before: Surplus | undefined,
	amount: bigint,
	height: number,
	blocks: number,
): { readonly kept: Surplus | undefined; readonly booked: bigint } {
	if (amount <= 0n) return { kept: undefined, booked: 0n };
	if (!before || before.since > height) return { kept: { amount, since: height }, booked: 0n };
	const steady = amount < before.amount ? amount : before.amount;
	if (height - before.since < blocks) return { kept: { amount: steady, since: before.since }, booked: 0n };
	const rest = amount - steady;
	return { kept: rest > 0n ? { amount: rest, since: height } : undefined, booked: steady };
}
