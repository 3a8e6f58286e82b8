/** What the bench prints: tables for a terminal, and the figures in them. Pure. */

/** The middle value, or the mean of the two in the middle; NaN for an empty list. */
export function median(numbers: readonly number[]): number {
	const ascending = numbers.toSorted((a, b) => a - b);
	const low = ascending[Math.ceil(ascending.length / 2) - 1] ?? Number.NaN;
	const high = ascending[Math.floor(ascending.length / 2)] ?? Number.NaN;
	return (low + high) / 2;
}

/** A quarter is below it; NaN for an empty list. */
export const lowerQuartile = (numbers: readonly number[]): number =>
	numbers.toSorted((a, b) => a - b)[Math.floor((numbers.length - 1) / 4)] ?? Number.NaN;

/** So large a share of them is not above it, 0 to 1; NaN for an empty list. */
export const percentile = (numbers: readonly number[], share: number): number =>
	numbers.toSorted((a, b) => a - b)[Math.ceil(numbers.length * share) - 1] ?? Number.NaN;

/** Columns are as wide as their longest cell; the first is left-aligned, the others right. */
export function table(rows: readonly (readonly string[])[]): string {
	const widths = rows.reduce<number[]>((all, row) => row.map((cell, i) => Math.max(all[i] ?? 0, cell.length)), []);
	const line = (row: readonly string[]) =>
		row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join('   ');
	return rows.map((row) => `  ${line(row).trimEnd()}`).join('\n');
}

const BAR_COLUMNS = 40;

/** One bar a line, the longest for the largest value: for a terminal, and as it is for a Markdown file. */
export function bars(values: readonly (readonly [name: string, value: number])[]): string {
	const most = Math.max(...values.map(([, value]) => value));
	const width = Math.max(...values.map(([name]) => name.length));
	return values
		.map(([name, value]) => {
			const bar = '█'.repeat(Math.max(1, Math.round((value / most) * BAR_COLUMNS)));
			return `  ${name.padEnd(width)}  ${bar} ${value.toFixed(2)}`;
		})
		.join('\n');
}

export const verdict = (held: boolean): string => (held ? 'ok' : 'MISSED');
