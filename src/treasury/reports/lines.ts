/**
 * The lines of a report: facts added up by day, asset, partner, reference code or pair. Cents of USD and base units,
 * exact; lines of several pages add up to the whole. Pure.
 */
import { type AssetId, assetOf, nativeAsset } from '../../catalog/assets.ts';
import type { ReportFacts } from './facts.ts';

export const GROUPINGS = ['day', 'asset', 'partner', 'code', 'pair'] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** A line's subject; the grouping says which fields it has. `asset`: the one that was paid in. */
export interface Label {
	readonly day?: string;
	readonly asset?: AssetId;
	readonly pair?: string;
	readonly partner?: string;
	/** '' of orders under none. */
	readonly code?: string;
}

export interface Line {
	readonly label: Label;
	/** DONE. */
	readonly orders: number;
	/** Cents of USD, worth at settlement. */
	readonly volume: number;
	readonly margin: number;
	readonly house: number;
	readonly networkFee: number;
	/** A part of `house`. */
	readonly lean: number;
}

/** Sums of one asset, base units as text. */
type ByAsset<Name extends string> = { readonly asset: AssetId } & Readonly<Record<Name, string>>;
/** Kept back from orders for network fees, and paid to the network. */
export type Fee = ByAsset<'kept' | 'paid'>;
/** Above the base fee, and below it. */
export type Lean = ByAsset<'surcharge' | 'discount'>;

function labelOf(by: Grouping, { day, partnerId, referenceCode, fromAsset, toAsset }: ReportFacts): Label {
	switch (by) {
		case 'day':
			return { day };
		case 'asset':
			return { asset: fromAsset };
		case 'partner':
			return { partner: partnerId };
		case 'code':
			return { partner: partnerId, code: referenceCode };
		case 'pair':
			return { pair: `${fromAsset}>${toAsset}` };
		default:
			return by satisfies never;
	}
}

/** A line for each label that has an order. */
export const linesOf = (by: Grouping, facts: readonly ReportFacts[]): Line[] =>
	addedLines(
		facts
			.filter(({ ordersDone }) => ordersDone > 0)
			.map((each) => ({
				label: labelOf(by, each),
				orders: each.ordersDone,
				volume: each.volumeUsdCents,
				margin: each.partnerUsdCents,
				house: each.houseUsdCents,
				networkFee: each.networkFeeUsdCents,
				lean: each.leanUsdCents,
			})),
	);

/** Lines with the same label are added up; sorted by label. */
export function addedLines(lines: readonly Line[]): Line[] {
	const sums = new Map<string, Line>();
	for (const line of lines) {
		const key = JSON.stringify(Object.values(line.label));
		const before = sums.get(key);
		sums.set(key, before ? { ...totalOf([before, line]), label: line.label } : line);
	}
	return [...sums].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, line]) => line);
}

export const totalOf = (lines: readonly Line[]): Omit<Line, 'label'> => ({
	orders: lines.reduce((sum, { orders }) => sum + orders, 0),
	volume: lines.reduce((sum, { volume }) => sum + volume, 0),
	margin: lines.reduce((sum, { margin }) => sum + margin, 0),
	house: lines.reduce((sum, { house }) => sum + house, 0),
	networkFee: lines.reduce((sum, { networkFee }) => sum + networkFee, 0),
	lean: lines.reduce((sum, { lean }) => sum + lean, 0),
});

/** Fees paid are in the coin of the network, those kept back in the asset of the payout or the refund. */
export const feesOf = (facts: readonly ReportFacts[]): Fee[] =>
	addedFees(
		facts.flatMap(({ fromAsset, toAsset, keptTo, keptFrom, feePaidTo, feePaidFrom }): Fee[] => [
			{ asset: toAsset, kept: keptTo.toString(), paid: '0' },
			{ asset: fromAsset, kept: keptFrom.toString(), paid: '0' },
			{ asset: nativeAsset(assetOf(toAsset).network), kept: '0', paid: feePaidTo.toString() },
			{ asset: nativeAsset(assetOf(fromAsset).network), kept: '0', paid: feePaidFrom.toString() },
		]),
	);

/** Surcharges and discounts, in the asset that was paid out. */
export const leansOf = (facts: readonly ReportFacts[]): Lean[] =>
	addedLeans(
		facts.map(({ toAsset, surcharge, discount }) => ({
			asset: toAsset,
			surcharge: surcharge.toString(),
			discount: discount.toString(),
		})),
	);

export const addedFees = (fees: readonly Fee[]): Fee[] => addedByAsset(['kept', 'paid'], fees);
export const addedLeans = (leans: readonly Lean[]): Lean[] => addedByAsset(['surcharge', 'discount'], leans);

/** Amounts of the same asset are added up; sorted by asset, without those that are nothing. */
function addedByAsset<Name extends string>(names: readonly Name[], rows: readonly ByAsset<Name>[]): ByAsset<Name>[] {
	const sums = [...Map.groupBy(rows, ({ asset }) => asset)].map(([asset, ofAsset]) => {
		const sumOf = (name: Name) => ofAsset.reduce((sum, row) => sum + BigInt(row[name]), 0n).toString();
		return { asset, ...Object.fromEntries(names.map((name) => [name, sumOf(name)])) } as ByAsset<Name>;
	});
	return sums
		.filter((row) => names.some((name) => row[name] !== '0'))
		.toSorted((one, other) => (one.asset < other.asset ? -1 : 1));
}
