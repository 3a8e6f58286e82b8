/**
 * Quotes: exact arithmetic over one market snapshot (book: contract, "Amounts"). Pure. What the payer gains by rounding
 * is below one unit of the asset's precision: what is received rounds down, what must be paid rounds up.
 */
import type { Asset, AssetPair } from '../catalog/assets.ts';
import { pairSettings } from '../catalog/settings.ts';
import type { Amount } from '../money/amount.ts';
import { BPS } from '../money/bps.ts';
import {
	type Decimal,
	decimal,
	divideDown,
	divideSignificant,
	divideUp,
	plain,
	roundDown,
	roundUp,
	usdText,
	ZERO,
} from '../money/decimal.ts';
import { fromBaseUnits } from '../money/units.ts';
import { maxUsdOf } from './bounds.ts';
import { houseCostUsd, type LimitFacts, leastUsd, limitFacts } from './limits.ts';
import { isPriced, lastPrice, type Market, networkReport } from './market.ts';

const RATE_DIGITS = 18;

export type Direction = 'from' | 'to';

/** The live facts of a pair; every figure of a quote follows from them. */
export interface Terms {
	readonly from: Asset;
	readonly to: Asset;
	readonly fromUsd: Decimal;
	readonly toUsd: Decimal;
	/** Units of `to` per unit of `from`, after base fee and afftax. */
	readonly rate: Decimal;
	/** Payout network fee in `to` units, rounded up to its precision. */
	readonly networkFee: Decimal;
	/** The cost of a payment of `from`, in its base units: a deposit must be worth more, or nothing of it could go back. */
	readonly fromFee: bigint;
	/** Deposit window in `from` units, inclusive. */
	readonly min: Decimal;
	readonly max: Decimal;
	/** US dollars that a deposit must be worth. */
	readonly minUsd: Decimal;
	/** As every quote shows them: plain decimals. */
	readonly shown: {
		readonly rate: string;
		readonly from: { readonly min: string; readonly max: string };
		/** In `to` units: exactly what `from.min` and `from.max` pay, and accepted in direction `to` as well. */
		readonly to: { readonly min: string; readonly max: string };
	};
}

export interface FeeBps {
	/** The house's whole margin: the operator's base fee, and how far the reserves lean it (`feesOf`). */
	readonly baseFeeBps: number;
	readonly afftaxBps: number;
}

export interface Quote extends Terms {
	/** The amount that the caller named, as they wrote it; the derived one, plain. */
	readonly fromText: string;
	readonly toText: string;
	readonly fromAmount: Decimal;
	/** Zero when rate and network fee leave nothing. */
	readonly toAmount: Decimal;
}

/** Rate = market rate × (1 − (base fee + afftax) / 10 000), to 18 significant digits, down: in the house's favour. */
export function effectiveRate(fromUsd: Decimal, toUsd: Decimal, feeBps: number): Decimal {
	return divideSignificant(fromUsd.times(String(BPS - feeBps)), toUsd.times(String(BPS)), RATE_DIGITS);
}

/** `to` = `from` × rate − network fee, rounded down to the precision; zero if not positive. */
export function payoutAmount(fromAmount: Decimal, rate: Decimal, networkFee: Decimal, precision: number): Decimal {
	const amount = roundDown(fromAmount.times(rate).minus(networkFee), precision);
	return amount.gt(ZERO) ? amount : ZERO;
}

/**
 * The terms that follow from a snapshot alone, worked out once per snapshot, pair and fee: most calls ask for what
 * another has asked for. Whether the snapshot may still be dealt on is asked at every call.
 */
const worked = new WeakMap<Market, Map<string, Terms>>();
/** Entries of one snapshot: any afftax of any pair may be asked for, and few are. */
const MAX_WORKED = 1_000;

/** Null when a price is too old or the destination network is silent: the caller answers 11. */
export function termsOf(market: Market, { from, to }: AssetPair, feeBps: FeeBps, now: number): Terms | null {
	const live = liveFacts(market, from, to, now);
	if (!live) return null;
	const { feeUnits, fromFee } = live;
	const known = worked.get(market) ?? new Map<string, Terms>();
	worked.set(market, known);
	const { deposit, recipient, free } = live.facts;
	const bps = feeBps.baseFeeBps + feeBps.afftaxBps;
	const key = `${from.code}>${to.code} ${bps} ${feeUnits} ${fromFee} ${deposit} ${recipient} ${free}`;
	const terms = known.get(key) ?? workOut(market, { from, to }, feeBps, live);
	if (known.size < MAX_WORKED) known.set(key, terms);
	return terms;
}

/** The same for a caller who asks for all pairs at once: the memory is for those who ask for one. */
export function termsOnce(market: Market, { from, to }: AssetPair, feeBps: FeeBps, now: number): Terms | null {
	const live = liveFacts(market, from, to, now);
	return live && workOut(market, { from, to }, feeBps, live);
}

interface LiveFacts {
	/** Base units as text: what a payment of each costs. */
	readonly feeUnits: string;
	readonly fromFee: string;
	readonly facts: LimitFacts;
}

function liveFacts(market: Market, from: Asset, to: Asset, now: number): LiveFacts | null {
	const feeUnits = networkReport(market, to.network, now)?.fees[to.code];
	// However old: a deposit that comes while its network does not answer waits for nothing here.
	const fromFee = market.networks[from.network]?.fees[from.code];
	if (feeUnits === undefined || fromFee === undefined) return null;
	if (!isPriced(market, from, now) || !isPriced(market, to, now)) return null;
	const facts = limitFacts(market, from, to, now);
	return facts && { feeUnits, fromFee, facts };
}

function workOut(
	market: Market,
	{ from, to }: AssetPair,
	{ baseFeeBps, afftaxBps }: FeeBps,
	{ feeUnits, fromFee, facts }: LiveFacts,
): Terms {
	const [fromUsd, toUsd] = [lastPrice(market, from), lastPrice(market, to)];
	const rate = effectiveRate(fromUsd, toUsd, baseFeeBps + afftaxBps);
	const networkFee = roundUp(decimal(fromBaseUnits(BigInt(feeUnits), to.decimals)), to.precision);
	const { minUsd: pairUsd } = pairSettings(market.settings, from.code, to.code);
	const leastWorth = leastUsd(houseCostUsd(market, from, to, facts), market.settings.sweepShareBps);
	const minUsd = larger(decimal(String(pairUsd)), leastWorth);
	const floorUsd = divideUp(minUsd, fromUsd, from.precision);
	const floorFee = divideUp(networkFee.plus(smallest(to)), rate, from.precision);
	const fromFeeCoins = roundUp(decimal(fromBaseUnits(BigInt(fromFee), from.decimals)), from.precision);
	const min = larger(larger(floorUsd, floorFee), fromFeeCoins.plus(smallest(from)));
	const ceilingUsd = divideDown(maxUsdOf(market, from, to), fromUsd, from.precision);
	// The network fee of the payout is in it: the wallet pays that as well. Null: no such bound.
	const free = facts.free === null ? null : decimal(fromBaseUnits(BigInt(facts.free), to.decimals));
	const payable = free && divideDown(free, rate, from.precision);
	const max = payable?.lt(ceilingUsd) ? payable : ceilingUsd;
	const paid = (fromAmount: Decimal) => plain(payoutAmount(fromAmount, rate, networkFee, to.precision));
	const shown = {
		rate: plain(rate),
		from: { min: plain(min), max: plain(max) },
		to: { min: paid(min), max: paid(max) },
	};
	return { from, to, fromUsd, toUsd, rate, networkFee, fromFee: BigInt(fromFee), min, max, minUsd, shown };
}

/** `amount` is in the asset that `direction` names. */
export function quoteOf(terms: Terms, direction: Direction, amount: Amount): Quote {
	const { from, to, rate, networkFee } = terms;
	if (direction === 'from') {
		const toAmount = payoutAmount(amount.value, rate, networkFee, to.precision);
		return { ...terms, fromText: amount.text, fromAmount: amount.value, toText: plain(toAmount), toAmount };
	}
	const derived = divideUp(amount.value.plus(networkFee), rate, from.precision);
	// A deposit a little below `from.min` may round down to the same payout: who asks for what `from.min` pays, pays that.
	const fromAmount = amount.value.eq(terms.shown.to.min) ? larger(derived, terms.min) : derived;
	return { ...terms, fromText: plain(fromAmount), fromAmount, toText: amount.text, toAmount: amount.value };
}

const larger = (one: Decimal, other: Decimal): Decimal => (one.gt(other) ? one : other);

/** One unit of the asset's precision. */
const smallest = ({ precision }: Asset): Decimal =>
	divideDown(decimal('1'), decimal(String(10 ** precision)), precision);

const COST_PLACES = 2;

/**
 * The whole cost of a swap against the price in the middle of the market: base fee, afftax, network fee, and what rounding
 * takes. The rate is rounded down; amount and share up, so that none says less than it costs.
 */
function costView({ to, fromUsd, toUsd, fromAmount, toAmount }: Quote) {
	const worth = fromAmount.times(fromUsd);
	const lost = worth.minus(toAmount.times(toUsd));
	return {
		midRate: plain(divideSignificant(fromUsd, toUsd, RATE_DIGITS)),
		amount: plain(divideUp(lost, toUsd, to.precision)),
		bps: plain(divideUp(lost.times(String(BPS)), worth, COST_PLACES)),
	};
}

/** The response data of `price` (book: contract, "Quote"). */
export function quoteView(quote: Quote, afftaxBps: number, wanted: readonly 'cost'[] = []): unknown {
	const { from, to, shown } = quote;
	const side = (asset: Asset, amount: string, usd: Decimal) => ({
		code: asset.code,
		coin: asset.coin,
		network: asset.network,
		amount,
		rate: shown.rate,
		precision: asset.precision,
		usd: usdText(usd),
	});
	return {
		from: { ...side(from, quote.fromText, quote.fromAmount.times(quote.fromUsd)), ...shown.from, btc: '0' },
		to: { ...side(to, quote.toText, quote.toAmount.times(quote.toUsd)), ...shown.to },
		errors: [],
		markupBps: afftaxBps,
		...(wanted.includes('cost') && { cost: costView(quote) }),
	};
}
