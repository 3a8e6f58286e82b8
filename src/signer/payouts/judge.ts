/**
 * Is this payout owed? What can be decided from the rows and the seal alone (architecture.md "Keys apart"). Pure but
 * for the seal's HMAC; it believes no row by itself: every reason to refuse has a name, for the log and the operator.
 */
import { assetOf } from '../../catalog/assets.ts';
import { networkNamed } from '../../catalog/networks.ts';
import type { DepositRef } from '../../chains/port.ts';
import type { KeyRing } from '../../crypto/key-ring.ts';
import { type Decimal, decimal } from '../../money/decimal.ts';
import { fromBaseUnits } from '../../money/units.ts';
import { orderSealHolds, settlementSealHolds } from '../../orders/seal.ts';
import type { DepositRow, OrderRow } from '../../orders/table.ts';
import { effectiveRate } from '../../pricing/quote.ts';
import type { TransactionRow } from '../../treasury/table.ts';

export interface Claim {
	readonly payout: TransactionRow;
	readonly order: OrderRow;
	/** The deposits that the payout is said to pay for. */
	readonly deposits: readonly DepositRow[];
	/** The entry by which the books credit the partner with the order's afftax: base units of its destination asset, negative. */
	readonly afftaxEntry: string;
}

const BPS = 10_000;
/** Base units, more than none. */
const AMOUNT = /^[1-9]\d{0,77}$/;

/** Who knows the seal's secret may seal any margins; below nothing, or above all there is, they would be a gift. */
function areMargins({ baseFeeBps, afftaxBps }: Pick<OrderRow, 'baseFeeBps' | 'afftaxBps'>): boolean {
	const areWhole = [baseFeeBps, afftaxBps].every((bps) => Number.isSafeInteger(bps) && bps >= 0);
	return areWhole && baseFeeBps + afftaxBps < BPS;
}

/** Why the rows contradict the sealed terms or each other; null where they do not. */
export async function rowsRefusal(claim: Claim, sealKeys: KeyRing, payInAddress: string): Promise<string | null> {
	const { order } = claim;
	if (!(await orderSealHolds(sealKeys, order, order.seal))) return 'seal broken';
	return contradiction(claim, payInAddress) ?? settlementRefusal(claim, sealKeys);
}

/**
 * Why amount and deposits are not those of the settlement: more or less than was settled, a deposit added, taken away, or
 * moved between payouts. Null where they are.
 */
async function settlementRefusal({ payout, order, deposits }: Claim, sealKeys: KeyRing): Promise<string | null> {
	const { id: payoutId, kind, asset, amount, plannedAt, settlementSeal } = payout;
	if (kind !== 'payout' && kind !== 'refund') return 'another kind';
	if (settlementSeal === null)
		return `planned by an older version, without a seal of its settlement; ${giveUpWith(payoutId, order.id)}`;
	const terms = { payoutId, orderId: order.id, kind, asset, amount, plannedAt, deposits };
	if (await settlementSealHolds(sealKeys, terms, settlementSeal)) return null;
	return `amount or deposits are not those that were settled: somebody changed rows; ${giveUpWith(payoutId, order.id)}`;
}

const giveUpWith = (payoutId: string, orderId: string): string =>
	`take it back with \`payout give-up ${payoutId}\`, then send the deposit back with \`order refund ${orderId}\``;

/** The same of rows whose seal holds. */
export function contradiction({ payout, order, deposits }: Claim, payInAddress: string): string | null {
	if (!areMargins(order)) return 'margins that are none';
	if (order.payInAddress !== payInAddress) return 'pay-in address is not ours';
	const sealed =
		payout.kind === 'payout'
			? { asset: order.toAsset, address: order.toAddress }
			: { asset: order.fromAsset, address: order.refundAddress };
	if (payout.asset !== sealed.asset || payout.network !== assetOf(sealed.asset).network) return 'another asset';
	if (payout.toAddress !== sealed.address) return 'another recipient';
	// A negative amount would stand against what others have brought.
	if ([payout, ...deposits].some(({ amount }) => !AMOUNT.test(amount))) return 'an amount that is none';
	if (deposits.length === 0) return 'no deposit';
	const foreign = deposits.some(
		({ address, asset, network }) =>
			address !== order.payInAddress || asset !== order.fromAsset || network !== networkNamed(order.fromNetwork).name,
	);
	return foreign || order.fromNetwork !== assetOf(order.fromAsset).network ? 'a deposit of another order' : null;
}

export const depositRefs = (deposits: readonly DepositRow[]): DepositRef[] =>
	deposits.map(({ txId, position, address, asset, amount }) => ({
		txId,
		position,
		address,
		asset,
		amount: BigInt(amount),
	}));

/**
 * Is `owed` above what `received` is worth at the signer's own prices, the sealed margins taken off and the tolerance
 * put on? The network fee is not: it only makes what is owed less. A refund is of the same asset and needs no price.
 */
export function isAboveValue(
	{ payout, order }: Claim,
	received: bigint,
	fromUsd: Decimal,
	toUsd: Decimal,
	toleranceBps: number,
): boolean {
	if (payout.kind === 'refund') return BigInt(payout.amount) > received;
	const [from, to] = [assetOf(order.fromAsset), assetOf(order.toAsset)];
	const rate = effectiveRate(fromUsd, toUsd, order.baseFeeBps + order.afftaxBps);
	const worth = decimal(fromBaseUnits(received, from.decimals)).times(rate);
	const owed = decimal(fromBaseUnits(BigInt(payout.amount), to.decimals));
	return owed.times(String(BPS)).gt(worth.times(String(BPS + toleranceBps)));
}
