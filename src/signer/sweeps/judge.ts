/**
 * May coins move between our own wallets as a row of D1 says? A sweep cannot steal, because it always goes to the hot
 * wallet. These rules keep an attacker from burning the reserve as fees, and from removing what proves a deposit. Pure.
 *
 * When a deposit is no longer needed as proof: an address belongs to one order. Once the signer has signed a payout or
 * refund for a deposit there, it never needs the proof of that deposit again. Other deposits to the address can still
 * be proven: the sweep is on record and is given to `ChainSigner.finalAmount` with every query about the address. So an
 * address for which nothing was signed is never swept of what its sealed order asked for, whatever D1 says. Of another asset
 * it is (`strays/judge.ts`): no deposit there is proven by that. And it is where the operator tells the signer to, which D1
 * cannot: for coins that came to the address of an archived order.
 */
import { type AssetId, assetOf, isAssetId, nativeAsset } from '../../catalog/assets.ts';
import type { NetworkName } from '../../catalog/networks.ts';
import type { DepositRef } from '../../chains/port.ts';
import type { SweepQuote } from '../../chains/sweeping-port.ts';
import type { Decimal } from '../../money/decimal.ts';
import type { SignerRefusal } from '../../treasury/signer-refusal.ts';
import { isWorthSweeping, usdValue } from '../../treasury/sweeps/rules.ts';
import type { TransactionRow } from '../../treasury/table.ts';

/** Gas prices move between two requests, so gas may be this many times what the signer finds missing. */
const GAS_MARGIN = { numerator: 5n, denominator: 4n } as const;
/**
 * Most gas payments to one pay-in address within 24 hours. What was sent is still there, unless a sweep has used it.
 */
export const GAS_PAYMENTS_PER_DAY = 3;

/** A sweep moves at least one part in so many. */
const LEAST_SHARE = 3n;

/** A row of kind `gas` or `sweep`, with all that the rules need. */
export interface MovementRow extends TransactionRow {
	readonly kind: 'gas' | 'sweep';
	readonly payInAddress: string;
	readonly payInIndex: number;
	readonly sweepAsset: AssetId;
}

export function isMovementRow(row: TransactionRow): row is MovementRow {
	const { kind, payInAddress, payInIndex, sweepAsset } = row;
	const isComplete = payInAddress !== null && Number.isSafeInteger(payInIndex) && (payInIndex ?? -1) >= 0;
	return (kind === 'gas' || kind === 'sweep') && isComplete && sweepAsset !== null && isAssetId(sweepAsset);
}

/** `derived`: the pay-in address at the row's index, by the signer's own keys. */
export function movementRefusal(
	row: MovementRow,
	network: NetworkName,
	derived: string,
	hotAddress: string,
): SignerRefusal | null {
	const { kind, asset, toAddress, payInAddress, sweepAsset } = row;
	if (row.network !== network || assetOf(sweepAsset).network !== network) return { kind: 'other-network' };
	if (payInAddress !== derived) return { kind: 'pay-in-address-not-ours' };
	const expected =
		kind === 'sweep' ? { asset: sweepAsset, to: hotAddress } : { asset: nativeAsset(network), to: derived };
	if (asset !== expected.asset) return { kind: 'other-asset' };
	return toAddress === expected.to ? null : { kind: 'other-recipient' };
}

export interface SweepFacts {
	readonly asset: AssetId;
	/** By the signer's own node. */
	readonly quote: SweepQuote;
	/** Deposits to the address that signed payouts and refunds pay for. */
	readonly claims: readonly DepositRef[];
	/**
	 * Is the asset there another one than the order asked for? Then nothing there is proof of a deposit. Or did the operator ask
	 * for the sweep, of coins that came long after the order was over?
	 */
	readonly isFree: boolean;
	/** The signer's own prices: US dollars for one coin of the asset, and for one native coin. */
	readonly usd: Decimal;
	readonly nativeUsd: Decimal;
}

export function sweepRefusal({ asset, quote, claims, isFree, usd, nativeUsd }: SweepFacts): SignerRefusal | null {
	if (!isFree && !claims.some((claim) => claim.asset === asset)) return { kind: 'deposit-not-paid-yet' };
	const { amount, fee } = quote;
	return isWorthSweeping({ asset, amount, fee, usd, nativeUsd }) ? null : { kind: 'sweep-not-worth-it' };
}

/** `paidToday`: gas payments to the address within 24 hours. */
export function gasRefusal(amount: bigint, quote: SweepQuote, paidToday: number): SignerRefusal | null {
	if (quote.gas === 0n) return { kind: 'gas-not-needed' };
	if (amount * GAS_MARGIN.denominator > quote.gas * GAS_MARGIN.numerator) return { kind: 'gas-too-much' };
	return paidToday >= GAS_PAYMENTS_PER_DAY ? { kind: 'gas-too-often' } : null;
}

/**
 * Checks what was signed. A row may say how much a sweep takes at most. An attacker who can write rows could have an
 * address swept in small pieces, each with a fee, so a sweep takes a third of what lies there at least.
 */
export const leavesTooMuch = (amount: bigint, quote: SweepQuote): boolean => amount * LEAST_SHARE < quote.amount;

/** Checks what was signed: is its highest possible fee worth more than what arrives? */
export const costsTooMuch = (
	amount: bigint,
	fee: bigint,
	{ asset, usd, nativeUsd }: Omit<SweepFacts, 'quote' | 'claims' | 'isFree'>,
) => usdValue(fee, nativeAsset(assetOf(asset).network), nativeUsd).gt(usdValue(amount, asset, usd));
