/**
 * Bounds of an order beside its pair's: an order that could never be paid is not taken, and a deposit that could never
 * be paid out waits for a person instead of for a payout that does not come. Pure.
 */
import type { Asset } from '../catalog/assets.ts';
import { pairSettings } from '../catalog/settings.ts';
import { type Decimal, decimal } from '../money/decimal.ts';
import type { Market } from './market.ts';

/**
 * The signer's prices may lie above ours by 2 %, as in its own tolerance. What is settled keeps that far below its cap,
 * and what is quoted as far again: the price may rise until the deposit is final.
 */
const SETTLED = '1.02';
const QUOTED = '0.96';

/** The most that an order of the pair may be worth, US dollars, inclusive. */
export function maxUsdOf(market: Market, from: Asset, to: Asset): Decimal {
	const maxUsd = decimal(String(pairSettings(market.settings, from.code, to.code).maxUsd));
	const capUsd = signerCapUsd(market);
	if (capUsd === null) return maxUsd;
	const signable = capUsd.times(QUOTED);
	return signable.lt(maxUsd) ? signable : maxUsd;
}

/**
 * Is a deposit worth more than the signer may ever sign in a day? `usd`, `feeUsd`: its value and its payout's network
 * fee, US dollars. A signer that signs nothing at all, by its configuration, says nothing about any one deposit: that is
 * for the operator to set right, and the payout waits for it.
 */
export function isBeyondSigner(market: Market, usd: Decimal, feeUsd: Decimal): boolean {
	const capUsd = signerCapUsd(market);
	return capUsd?.gt('0') === true && usd.times(SETTLED).plus(feeUsd).gt(capUsd);
}

function signerCapUsd(market: Market): Decimal | null {
	return market.payoutCapUsd === null ? null : decimal(String(market.payoutCapUsd));
}
