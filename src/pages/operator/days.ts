/** Days of plots, without gaps. Pure. */
import { DAY_MILLISECONDS, utcDay } from '../../platform/time.ts';
import { dayName, grouped } from '../parts/plain.ts';
import type { Point } from '../parts/plot.tsx';

/** A point for each of the last `count` UTC days. `values`: exact texts by day; a day without one says `nothing`. */
export function dayPoints(
	values: ReadonlyMap<string, string>,
	{ count, now }: { readonly count: number; readonly now: number },
	{ unit, nothing }: { readonly unit: string; readonly nothing: string },
): Point[] {
	return Array.from({ length: count }, (_, i) => {
		const day = utcDay(now - (count - 1 - i) * DAY_MILLISECONDS);
		const value = values.get(day);
		return {
			name: dayName(day),
			value: Number(value ?? 0),
			text: value === undefined ? nothing : `${grouped(value)} ${unit}`.trim(),
		};
	});
}
