/** Answers that come in pages: the rows of an export one after the other, the pages of a report added up. Pure. */
import * as z from 'zod';
import { type AssetId, assetOf } from '../../catalog/assets.ts';
import { decimal, usdText } from '../../money/decimal.ts';
import { fromBaseUnits } from '../../money/units.ts';
import { addedFees, addedLines, type Fee, type Line, totalOf } from '../../treasury/reports/lines.ts';
import { csv } from './csv.ts';
import type { Input } from './parse.ts';
import type { Format } from './values.ts';

export const listPage = z.object({ rows: z.array(z.unknown()), cursor: z.string().nullable() });

const reportPage = z.object({
	since: z.string().nullable(),
	until: z.string().nullable(),
	lines: z.array(z.custom<Line & { readonly name?: string | null }>()),
	fees: z.array(z.custom<Fee>()),
	exposure: z.array(z.object({ asset: z.string(), amount: z.string(), usd: z.string().nullable() })).nullable(),
	cursor: z.string().nullable(),
});

const cursorSchema = z.object({ cursor: z.string().nullable() });

/** Every page, the first one first. `ask`: one call of the service. */
export async function* pagesOf(input: Input, ask: (input: Input) => Promise<unknown>): AsyncGenerator<unknown> {
	for (let cursor: string | null | undefined; cursor !== null; ) {
		const page = await ask(cursor === undefined ? input : { ...input, cursor });
		yield page;
		({ cursor } = cursorSchema.parse(page));
	}
}

/** The pages of a list as they are printed: what comes before, between and after the rows of each. */
export async function* printedPages(pages: AsyncIterable<unknown>, format: Format): AsyncGenerator<string> {
	let printed = 0;
	if (format === 'json') yield '[';
	for await (const page of pages) {
		const { rows } = listPage.parse(page);
		if (format === 'json')
			yield rows.map((row, i) => `${printed + i === 0 ? '\n' : ',\n'}${JSON.stringify(row)}`).join('');
		else yield printed === 0 ? csv(rows) : withoutHeader(csv(rows));
		printed += rows.length;
	}
	if (format === 'json') yield '\n]\n';
}

/** The names of fields have no line break. */
const withoutHeader = (text: string): string => text.slice(text.indexOf('\n') + 1);

/** The whole report. */
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
		exposure: parsed.flatMap(({ exposure }) => exposure ?? []),
	};
}

const sums = ({ orders, volume, margin, house, networkFee }: Omit<Line, 'label'>) => ({
	orders,
	volumeUsd: usdOfCents(volume),
	marginUsd: usdOfCents(margin),
	houseUsd: usdOfCents(house),
	networkFeeUsd: usdOfCents(networkFee),
});

const usdOfCents = (cents: number): string => usdText(decimal(fromBaseUnits(BigInt(cents), 2)));

const coins = (asset: AssetId, baseUnits: string): string => fromBaseUnits(BigInt(baseUnits), assetOf(asset).decimals);
