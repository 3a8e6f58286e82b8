/**
 * The worth of a final deposit, and what is owed for it: the live rate, taken once (book: contract, "What the service
 * does", "Orders"). Pure; RateBook's market is an argument, and so is the signer's own.
 */
import { assetOf } from '../catalog/assets.ts';
import { pairSettings } from '../catalog/settings.ts';
import { type Decimal, decimal, divideDown, plain, usdCents, ZERO } from '../money/decimal.ts';
import { fromBaseUnits, toBaseUnits } from '../money/units.ts';
import { isBeyondSigner } from '../pricing/bounds.ts';
import type { Market } from '../pricing/market.ts';
import { payoutAmount, termsOf } from '../pricing/quote.ts';
import { isBelowFloor } from './floor.ts';
import type { OrderRow } from './table.ts';

/** Tolerance of the bounds at settlement, at both ends: 2 %. */
const BOUNDS_LOW = '0.98';
const BOUNDS_HIGH = '1.02';
/** A deposit from the order's own amount to 1 % above it is in bounds whatever the price has done since. */
const OWN_AMOUNT_HIGH = '1.01';

export interface Settlement {
	/** Plain decimals, as the order shows them. */
	readonly toAmount: string;
	readonly rate: string;
	readonly networkFee: string;
	readonly received: bigint;
	readonly owed: bigint;
	readonly fee: bigint;
	/** The deposit at the market rate, before base fee and afftax, in the destination's base units. */
	readonly gross: bigint;
	/** The partner's earnings once the order is DONE, in the destination's base units. */
	readonly afftax: bigint;
	/** The deposit's value. */
	readonly usdCents: number;
	readonly bounds: 'within' | 'below' | 'above';
	/** When the older of the two prices was asked for. */
	readonly pricedAt: number;
	/** Worth more than the signer may ever sign in a day: it can be refunded, and never be paid out. */
	readonly beyondSigner: boolean;
	/** Less than the order's floor: it is never paid out, and the deposit goes back by itself. */
	readonly belowFloor: boolean;
}

type Agreed = Pick<OrderRow, 'fromAsset' | 'toAsset' | 'fromAmount' | 'minToAmount' | 'baseFeeBps' | 'afftaxBps'>;

/** `received`: base units. Null while a price is too old or the destination network silent: the order waits. */
export function settle(order: Agreed, received: bigint, market: Market, now: number): Settlement | null {
	const [from, to] = [assetOf(order.fromAsset), assetOf(order.toAsset)];
	const terms = termsOf(market, { from, to }, order, now);
	if (!terms) return null;
	const { maxUsd } = pairSettings(market.settings, from.code, to.code);
	const amount = decimal(fromBaseUnits(received, from.decimals));
	const toAmount = payoutAmount(amount, terms.rate, terms.networkFee, to.precision);
	// Bookkeeping in base units, down: the smallest part is never credited to two accounts.
	const gross = divideDown(amount.times(terms.fromUsd), terms.toUsd, to.decimals);
	const share = divideDown(gross.times(String(order.afftaxBps)), decimal('10000'), to.decimals);
	const margin = gross.minus(toAmount).minus(terms.networkFee);
	// Rounding may leave the margin a unit short of the partner's share, and a deposit that does not pay for the network
	// fee leaves none; the house never pays in.
	const available = margin.gt(ZERO) ? margin : ZERO;
	const afftax = share.gt(available) ? available : share;
	const usd = amount.times(terms.fromUsd);
	const units = (value: Decimal) => toBaseUnits(plain(value), to.decimals);
	return {
		toAmount: plain(toAmount),
		rate: plain(terms.rate),
		networkFee: plain(terms.networkFee),
		received,
		owed: units(toAmount),
		fee: units(terms.networkFee),
		gross: units(gross),
		afftax: units(afftax),
		usdCents: usdCents(usd),
		bounds: boundsOf(order, { amount, usd }, { minUsd: terms.minUsd, maxUsd }),
		pricedAt: Math.min(...[from, to].map(({ coin }) => market.prices[coin]?.at ?? 0)),
		beyondSigner: isBeyondSigner(market, usd, terms.networkFee.times(terms.toUsd)),
		belowFloor: isBelowFloor(order, received, units(toAmount)),
	};
}

function boundsOf(
	order: Agreed,
	{ amount, usd }: { readonly amount: Decimal; readonly usd: Decimal },
	{ minUsd, maxUsd }: { readonly minUsd: Decimal; readonly maxUsd: number },
): Settlement['bounds'] {
	const own = decimal(order.fromAmount);
	if (amount.gte(own) && amount.lte(own.times(OWN_AMOUNT_HIGH))) return 'within';
	if (usd.lt(minUsd.times(BOUNDS_LOW))) return 'below';
	if (usd.gt(decimal(String(maxUsd)).times(BOUNDS_HIGH))) return 'above';
	return 'within';
}
