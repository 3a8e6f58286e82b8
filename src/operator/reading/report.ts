/** The pages of a report, added up. Pure. */
import * as z from 'zod/mini';
import { type AssetId, assetOf } from '../../catalog/assets.ts';
import { fromBaseUnits } from '../../money/units.ts';
import { usdOfCents } from '../../money/usd.ts';
import {
	addedFees,
	addedLeans,
	addedLines,
	type Fee,
	type Lean,
	type Line,
	totalOf,
} from '../../treasury/reports/lines.ts';

const reportPage = z.object({
	since: z.nullable(z.string()),
	until: z.nullable(z.string()),
	lines: z.array(z.custom<Line & { readonly name?: string | null }>()),
	fees: z.array(z.custom<Fee>()),
	leans: z.array(z.custom<Lean>()),
	exposure: z.nullable(z.array(z.object({ asset: z.string(), amount: z.string(), usd: z.nullable(z.string()) }))),
	cursor: z.nullable(z.string()),
});

export function addedReport(pages: readonly unknown[]) {
	const parsed = pages.map((page) => reportPage.parse(page));
	const names = new Map(parsed.flatMap(({ lines }) => lines.map(({ label, name }) => [label.partner, name] as const)));
	const lines = addedLines(parsed.flatMap((page) => page.lines));
	const [first] = parsed;
	return {
		since: first?.since ?? null,
		until: first?.until ?? null,
		...sums(totalOf(lines)),
		lines: lines.map((line) => ({
			...line.label,
			...(line.label.partner && { partnerName: names.get(line.label.partner) ?? null }),
			...sums(line),
		})),
		networkFees: addedFees(parsed.flatMap((page) => page.fees)).map(({ asset, kept, paid }) => ({
			asset,
			keptBack: coins(asset, kept),
			paid: coins(asset, paid),
		})),
		leans: addedLeans(parsed.flatMap((page) => page.leans)).map(({ asset, surcharge, discount }) => ({
			asset,
			surcharge: coins(asset, surcharge),
			discount: coins(asset, discount),
		})),
		exposure: parsed.flatMap(({ exposure }) => exposure ?? []),
	};
}

const sums = ({ orders, volume, margin, house, networkFee, lean }: Omit<Line, 'label'>) => ({
	orders,
	volumeUsd: usdOfCents(volume),
	marginUsd: usdOfCents(margin),
	houseUsd: usdOfCents(house),
	leanUsd: usdOfCents(lean),
	networkFeeUsd: usdOfCents(networkFee),
});

const coins = (asset: AssetId, baseUnits: string): string => fromBaseUnits(BigInt(baseUnits), assetOf(asset).decimals);
