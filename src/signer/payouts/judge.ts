/**
 * Is this payout or refund owed, by its rows and their seals alone? No row is trusted by itself: what matters must be
 * sealed, or agree with what is sealed. Pure but for the HMAC of the seals.
 */
import { assetOf } from '../../catalog/assets.ts';
import type { Raised } from '../../catalog/confirmations.ts';
import { networkNamed } from '../../catalog/networks.ts';
import type { DepositRef } from '../../chains/port.ts';
import type { KeyRing } from '../../crypto/key-ring.ts';
import { BPS, MAX_AFFTAX_BPS, MAX_BASE_FEE_BPS, MAX_LEAN_BPS } from '../../money/bps.ts';
import { type Decimal, decimal } from '../../money/decimal.ts';
import { fromBaseUnits, sumOf } from '../../money/units.ts';
import { isBelowFloor } from '../../orders/floor.ts';
import { orderSealHolds, settlementSealHolds } from '../../orders/seal.ts';
import type { DepositRow, OrderRow } from '../../orders/table.ts';
import { effectiveRate } from '../../pricing/quote.ts';
import { refOf } from '../../treasury/deposits/watch-list.ts';
import type { SignerRefusal } from '../../treasury/signer-refusal.ts';
import type { TransactionRow } from '../../treasury/table.ts';

/** A row that pays an order: its payout, or one of its refunds. */
export type OrderPaymentRow = TransactionRow & { readonly kind: 'payout' | 'refund' };

export const isOrderPayment = (row: TransactionRow): row is OrderPaymentRow =>
	row.kind === 'payout' || row.kind === 'refund';

export interface Claim {
	readonly payout: OrderPaymentRow;
	readonly order: OrderRow;
	/** The deposits that the payout pays for, by D1. */
	readonly deposits: readonly DepositRow[];
	/**
	 * The entry by which the books credit the partner with the order's afftax: base units of its destination asset,
	 * negative.
	 */
	readonly afftaxEntry: string;
	/**
	 * The confirmations that D1 asks for beyond the catalog, on the deposits' network. It can raise the need, never lower
	 * it.
	 */
	readonly raised: Raised;
}

/** Base units, more than zero. */
const AMOUNT = /^[1-9]\d{0,77}$/;

/** The base fee of an order that both reserves lean against. */
const MOST_FOR_THE_HOUSE = MAX_BASE_FEE_BPS + MAX_LEAN_BPS;

/**
 * Someone who has the seal's key can seal any margins. A negative one would give coins away, also one that a discount
 * explains; one above what can be set would take them from the payer.
 */
function areMargins({ baseFeeBps, afftaxBps }: Pick<OrderRow, 'baseFeeBps' | 'afftaxBps'>): boolean {
	const isWithin = (bps: number, most: number) => Number.isSafeInteger(bps) && bps >= 0 && bps <= most;
	return isWithin(baseFeeBps, MOST_FOR_THE_HOUSE) && isWithin(afftaxBps, MAX_AFFTAX_BPS);
}

/** Why the rows contradict the sealed terms or each other; null if they do not. */
export async function rowsRefusal(
	claim: Claim,
	sealKeys: KeyRing,
	payInAddress: string,
): Promise<SignerRefusal | null> {
	const { order } = claim;
	if (!(await orderSealHolds(sealKeys, order, order.seal))) return { kind: 'order-seal-broken' };
	return contradiction(claim, payInAddress) ?? settlementRefusal(claim, sealKeys);
}

/**
 * Why amount and deposits are not those of the settlement: more or less than was settled, or a deposit that was added,
 * removed, or moved between payouts. Null if they are.
 */
async function settlementRefusal({ payout, order, deposits }: Claim, sealKeys: KeyRing): Promise<SignerRefusal | null> {
	const { id: payoutId, kind, asset, amount, plannedAt, settlementSeal } = payout;
	const settlement = { payoutId, orderId: order.id };
	const terms = { ...settlement, kind, asset, amount, plannedAt, deposits };
	const holds = await settlementSealHolds(sealKeys, terms, settlementSeal ?? '');
	return holds ? null : { kind: 'settlement-changed', ...settlement };
}

/** Why the rows contradict the order, whose seal holds; null if not. `payInAddress`: by the signer's own keys. */
export function contradiction({ payout, order, deposits }: Claim, payInAddress: string): SignerRefusal | null {
	// A refund takes no margins, so it is the way out.
	if (payout.kind === 'payout' && !areMargins(order)) return { kind: 'margins-invalid' };
	if (order.payInAddress !== payInAddress) return { kind: 'address-not-of-order' };
	const sealed =
		payout.kind === 'payout'
			? { asset: order.toAsset, address: order.toAddress }
			: { asset: order.fromAsset, address: order.refundAddress };
	if (payout.asset !== sealed.asset || payout.network !== assetOf(sealed.asset).network) return { kind: 'other-asset' };
	if (payout.toAddress !== sealed.address) return { kind: 'other-recipient' };
	if (!AMOUNT.test(payout.amount)) return { kind: 'amount-invalid' };
	if (deposits.length === 0) return { kind: 'no-deposit' };
	const foreign = deposits.some(
		({ address, asset, network, amount }) =>
			address !== order.payInAddress ||
			asset !== order.fromAsset ||
			network !== networkNamed(order.fromNetwork).name ||
			// A negative one would be subtracted from what other deposits prove.
			!AMOUNT.test(amount),
	);
	if (foreign || order.fromNetwork !== assetOf(order.fromAsset).network) return { kind: 'deposit-of-other-order' };
	// A refund is the way out here as well: below the floor it is what the payer was promised.
	const isBelow = payout.kind === 'payout' && isBelowFloor(order, sumOf(deposits), BigInt(payout.amount));
	return isBelow ? { kind: 'below-floor', payoutId: payout.id, orderId: order.id } : null;
}

export const depositRefs = (deposits: readonly DepositRow[]): DepositRef[] => deposits.map(refOf);

/**
 * Does the payout pay more than `received` is worth at the signer's own prices, less the sealed margins and plus the
 * tolerance? The network fee is left out: it only makes the payout smaller. A refund is in the asset that was received
 * and needs no price. Exact, nothing is rounded.
 */
export function isAboveValue(
	{ payout, order }: Claim,
	received: bigint,
	{ fromUsd, toUsd }: { readonly fromUsd: Decimal; readonly toUsd: Decimal },
	toleranceBps: number,
): boolean {
	if (payout.kind === 'refund') return BigInt(payout.amount) > received;
	const [from, to] = [assetOf(order.fromAsset), assetOf(order.toAsset)];
	const rate = effectiveRate(fromUsd, toUsd, order.baseFeeBps + order.afftaxBps);
	const worth = decimal(fromBaseUnits(received, from.decimals)).times(rate);
	const owed = decimal(fromBaseUnits(BigInt(payout.amount), to.decimals));
	return owed.times(String(BPS)).gt(worth.times(String(BPS + toleranceBps)));
}
