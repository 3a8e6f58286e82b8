/**
 * Coins at a pay-in address that its order did not ask for. Each asset there but the order's own is a stray: an address
 * belongs to one order. Only the native coin that we sent as gas is ours. Pure.
 */
import { type AssetId, assetOf, isNative } from '../../catalog/assets.ts';
import type { OrderRow } from '../../orders/table.ts';
import { type FeePayer, takenFrom } from '../ledger/reserve-rules.ts';
import type { TransactionRow } from '../table.ts';
import { hasFailed } from '../transactions/blocked.ts';

/** Gas for, and sweeps of, one pay-in address on one network. */
export type Moves = readonly Pick<
	TransactionRow,
	'kind' | 'state' | 'asset' | 'amount' | 'fee' | 'txId' | 'settledTxId' | 'finalAt'
>[];

/** Would a payment of this asset be a deposit of the order? */
export const isAskedFor = (order: Pick<OrderRow, 'fromAsset' | 'fromNetwork'>, asset: AssetId): boolean =>
	asset === order.fromAsset && assetOf(asset).network === order.fromNetwork;

/**
 * Native base units of our gas that no sweep has used. Negative where a sweep used coins of the payer. `feePayer`: undefined
 * where nothing is swept.
 */
export function gasLeft(moves: Moves, feePayer: FeePayer | undefined): bigint {
	if (feePayer !== 'address') return 0n;
	const final = moves.filter(({ state }) => state === 'final');
	const sent = final
		.filter((move) => move.kind === 'gas' && !hasFailed(move))
		.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
	const used = final
		.filter(({ kind, asset }) => kind === 'token' || (kind === 'sweep' && !isNative(assetOf(asset))))
		.reduce((sum, { fee }) => sum + BigInt(fee ?? 0), 0n);
	return sent - used;
}

/** Base units of the asset that final sweeps took from the address, the fee too where it was paid in the asset. */
export const sweptOf = (moves: Moves, asset: AssetId, feePayer: FeePayer | undefined): bigint =>
	takenFrom(
		moves.filter(({ kind, state }) => kind === 'sweep' && state === 'final'),
		asset,
		feePayer,
	);

interface Brought {
	/** Base units that left the address, with the fee where it was paid in the asset. */
	readonly gross: bigint;
	/** The sum of these that arrived. */
	readonly amount: bigint;
}

/** Final sweeps that no return answers for, the oldest first. `taken`: the gross sum of those that returns answer for. */
function unanswered(moves: Moves, asset: AssetId, feePayer: FeePayer | undefined, taken: bigint): Brought[] {
	let rest = taken;
	const sweeps = moves.filter((move) => move.kind === 'sweep' && move.state === 'final' && move.asset === asset);
	return sweeps
		.toSorted((a, b) => (a.finalAt ?? 0) - (b.finalAt ?? 0))
		.flatMap((sweep) => {
			const gross = takenFrom([sweep], asset, feePayer);
			if (rest < gross) return [{ gross, amount: hasFailed(sweep) ? 0n : BigInt(sweep.amount) }];
			rest -= gross;
			return [];
		});
}

/** The sum that final sweeps brought to the hot wallet and that no return answers for, base units. */
export const newlyArrived = (moves: Moves, asset: AssetId, feePayer: FeePayer | undefined, taken: bigint): Brought =>
	unanswered(moves, asset, feePayer, taken).reduce(
		(sum, { gross, amount }) => ({ gross: sum.gross + gross, amount: sum.amount + amount }),
		{ gross: 0n, amount: 0n },
	);

/** The sweeps that a return of `amount` answers for: whole sweeps, the oldest first, until they have brought so much. */
export function answeredBy(amount: bigint, [moves, asset, feePayer, taken]: Parameters<typeof newlyArrived>): bigint {
	let [gross, arrived] = [0n, 0n];
	for (const brought of unanswered(moves, asset, feePayer, taken)) {
		if (arrived >= amount) break;
		gross += brought.gross;
		arrived += brought.amount;
	}
	return gross;
}

/** All that ever came, where the address holds `held` now. */
export function countedOf(held: bigint, asset: AssetId, moves: Moves, feePayer: FeePayer | undefined): bigint {
	const ours = isNative(assetOf(asset)) ? gasLeft(moves, feePayer) : 0n;
	const came = held - ours + sweptOf(moves, asset, feePayer);
	return came > 0n ? came : 0n;
}
