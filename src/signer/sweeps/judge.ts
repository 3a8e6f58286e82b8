/**
 * May coins move between our own wallets as a row of D1 says? A sweep can steal nothing, its recipient being the payout
 * wallet by construction; what these rules keep an attacker from is burning the reserve as fees, and taking away what
 * proves a deposit. Pure; every reason has a name.
 *
 * When a deposit is needed as proof no more: an address belongs to one order, and once the signer has itself signed a
 * payout or refund for a deposit there, it never asks for that proof again. What came to the address besides, or comes
 * later, stays proven: the sweep is on record, and is handed to `ChainSigner.finalAmount` with every question about the
 * address. So an address for which nothing was signed is never swept, whatever D1 says of its order.
 */
import { type AssetId, assetOf, isAssetId, nativeAsset } from '../../catalog/assets.ts';
import type { NetworkName } from '../../catalog/networks.ts';
import type { DepositRef, SweepQuote } from '../../chains/port.ts';
import type { Decimal } from '../../money/decimal.ts';
import { isWorthSweeping, usdValue } from '../../treasury/sweeps/rules.ts';
import type { TransactionRow } from '../../treasury/table.ts';

/** Gas prices move between two looks: gas may be this much above what the signer finds lacking. */
const GAS_MARGIN = { numerator: 5n, denominator: 4n } as const;
/** To one pay-in address within a day: what was sent is still there, unless a sweep has used it. */
export const GAS_PAYMENTS_PER_DAY = 3;

export interface Verdict {
	readonly refused: string;
	/** Time alone may heal it; else a person must look. */
	readonly again: boolean;
}

const never = (refused: string): Verdict => ({ refused, again: false });
const later = (refused: string): Verdict => ({ refused, again: true });

/** A row of kind `gas` or `sweep` as the rules need it. */
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
): Verdict | null {
	const { kind, asset, toAddress, payInAddress, sweepAsset } = row;
	if (row.network !== network || assetOf(sweepAsset).network !== network) return never('another network');
	if (payInAddress !== derived) return never('pay-in address is not ours');
	const expected =
		kind === 'sweep' ? { asset: sweepAsset, to: hotAddress } : { asset: nativeAsset(network), to: derived };
	if (asset !== expected.asset) return never('another asset');
	return toAddress === expected.to ? null : never('another recipient');
}

export interface SweepFacts {
	readonly asset: AssetId;
	/** The signer's own node's. */
	readonly quote: SweepQuote;
	/** Deposits to the address that signed payouts and refunds answer for. */
	readonly claims: readonly DepositRef[];
	/** The signer's own prices: US dollars for one coin of the asset, and for one native coin. */
	readonly usd: Decimal;
	readonly nativeUsd: Decimal;
}

export function sweepRefusal({ asset, quote, claims, usd, nativeUsd }: SweepFacts): Verdict | null {
	if (!claims.some((claim) => claim.asset === asset)) return later('no deposit there was answered for yet');
	const { amount, fee } = quote;
	return isWorthSweeping({ asset, amount, fee, usd, nativeUsd }) ? null : later('worth less than three times its cost');
}

/** `paidToday`: gas payments to the address within a day. */
export function gasRefusal(amount: bigint, quote: SweepQuote, paidToday: number): Verdict | null {
	if (quote.gas === 0n) return later('the address lacks no gas');
	if (amount * GAS_MARGIN.denominator > quote.gas * GAS_MARGIN.numerator)
		return later('more gas than the address lacks');
	return paidToday >= GAS_PAYMENTS_PER_DAY ? later('gas was sent there often enough today') : null;
}

/** What was signed must itself be worth it: at most `fee` is burned for what arrives. */
export const costsTooMuch = (
	amount: bigint,
	fee: bigint,
	{ asset, usd, nativeUsd }: Omit<SweepFacts, 'quote' | 'claims'>,
) => usdValue(fee, nativeAsset(assetOf(asset).network), nativeUsd).gt(usdValue(amount, asset, usd));
