/** Days of plots, without gaps. Pure. */
import { grouped } from './numbers.ts';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
export const DAY = 24 * 3_600_000;
const DAY_LENGTH = '2026-11-22'.length;

export interface Point {
	readonly name: string;
	readonly value: number;
	readonly text: string;
}

/** `2026-11-22`: Nov 22. */
const dayName = (day: string): string => `${MONTHS[Number(day.slice(5, 7)) - 1]} ${Number(day.slice(8, 10))}`;

/** A point for each of the last `count` UTC days. `values`: exact texts by day; a day without one says `nothing`. */
export function dayPoints(
	values: ReadonlyMap<string, string>,
	count: number,
	now: number,
	unit: string,
	nothing: string,
): Point[] {
	return Array.from({ length: count }, (_, i) => {
		const day = new Date(now - (count - 1 - i) * DAY).toISOString().slice(0, DAY_LENGTH);
		const value = values.get(day);
		return {
			name: dayName(day),
			value: Number(value ?? 0),
			text: value === undefined ? nothing : `${grouped(value)} ${unit}`.trim(),
		};
	});
}
