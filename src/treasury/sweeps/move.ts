/** Plans what brings coins from a pay-in address to the hot wallet: the sweep, or gas for it first. */
import { type AssetId, nativeAsset } from '../../catalog/assets.ts';
import type { SweepQuote } from '../../chains/sweeping-port.ts';
import { type Decimal, usdCents } from '../../money/decimal.ts';
import type { OrderRow } from '../../orders/table.ts';
import type { Statement } from '../../platform/d1/batches.ts';
import { log } from '../../platform/log.ts';
import type { Planning } from '../connection.ts';
import type { TransactionRow } from '../table.ts';
import { hasGas, isWorthSweeping, usdValue } from './rules.ts';
import { planOnce } from './store.ts';

export interface Move {
	readonly order: Pick<OrderRow, 'id' | 'payInAddress' | 'payInIndex'>;
	readonly asset: AssetId;
	readonly quote: SweepQuote;
	/** Gas for and sweeps of the address. */
	readonly moves: readonly TransactionRow[];
	/** Base units that may leave the address, the fee included where it pays in the asset, and what would arrive. */
	readonly planned: bigint;
	readonly amount: bigint;
	/** US dollars for one coin of the asset, and for one native coin. */
	readonly usd: Decimal;
	readonly nativeUsd: Decimal;
}

/** Null where it is not worth its cost now. `transactions_one_sweep` allows one per address. */
export function planMove(
	{ db, network, hotAddress, now }: Pick<Planning, 'db' | 'network' | 'hotAddress' | 'now'>,
	{ order, asset, quote, moves, planned, amount, usd, nativeUsd }: Move,
): Statement | null {
	if (!isWorthSweeping({ asset, amount, fee: quote.fee, usd, nativeUsd })) return null;
	const { payInAddress, payInIndex } = order;
	const what =
		quote.gas > 0n && !hasGas(moves, quote)
			? { ...moved('gas', nativeAsset(network), quote.gas, nativeUsd), toAddress: payInAddress }
			: { ...moved('sweep', asset, planned, usd), toAddress: hotAddress };
	const id = crypto.randomUUID();
	log('sweep_planned', { payoutId: id, orderId: order.id, kind: what.kind, asset: what.asset, amount: what.amount });
	return planOnce(db, { ...what, id, network, payInAddress, payInIndex, sweepAsset: asset }, now);
}

const moved = (kind: 'gas' | 'sweep', asset: AssetId, amount: bigint, usd: Decimal) => ({
	kind,
	asset,
	amount: amount.toString(),
	usdCents: usdCents(usdValue(amount, asset, usd)),
});

export const NOTHING_TO_SWEEP: SweepQuote = { amount: 0n, fee: 0n, gas: 0n };

/** The move of `lying` base units from an address that holds as much or more. */
export function partOf(lying: bigint, asset: AssetId, quote: SweepQuote, native: AssetId) {
	const whole = asset === native ? quote.amount + quote.fee : quote.amount;
	const planned = whole < lying ? whole : lying;
	return { planned, amount: asset === native ? planned - quote.fee : planned };
}
