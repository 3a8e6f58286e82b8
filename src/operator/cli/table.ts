/**
 * A table: one line for each row, wrapped inside its columns to fit the terminal. Nothing is cut off, and a column is left
 * out only if no row has its fields at all. Libraries of tables wrap to widths that they are given: to find those is half of
 * this file, and would stay. Pure.
 */
import { isEmpty, type Row, titleOf } from '../reading/fields.ts';
import type { Column } from '../topic.ts';
import { painted, type Style, tableCell, UNBROKEN } from './cell.ts';
import { padTo, widthOf, wrap } from './wrap.ts';

export const GAP = '  ';
/** A column is not made narrower than this, in columns of the terminal, even where its longest word is wider. */
const NARROWEST = 8;
/** A longer word is broken before the words of other columns come on lines of their own. */
const LONG_WORD = 24;

/** One text of a line, with what decides its colour. */
interface Part {
	readonly text: string;
	readonly field: string;
	readonly value: unknown;
}

/** Null if words do not fit and `mayBreak` is false. */
export function table(columns: readonly Column[], rows: readonly Row[], style: Style, mayBreak = true): string | null {
	const shown = columns.filter((column) => rows.some((row) => fieldsOf(column).some((field) => field in row)));
	const head = shown.map((column): Part => {
		const title = titleOf(typeof column === 'string' ? column : column.title);
		return { text: title, field: '', value: null };
	});
	const lines = [head, ...rows.map((row) => shown.map((column) => partOf(column, row, style)))];
	const widths = fittedWidths(
		lines.map((line) => line.map(({ text }) => text)),
		style.width,
		mayBreak,
	);
	return widths && lines.flatMap((line) => sideBySide(line, widths, style)).join('\n');
}

const fieldsOf = (column: Column): readonly string[] => (typeof column === 'string' ? [column] : column.fields);

/** The first of several fields decides: where it is empty, the others mean nothing. */
function partOf(column: Column, row: Row, style: Style): Part {
	const [field = '', ...rest] = fieldsOf(column);
	const value = row[field];
	const first = tableCell(field, value, style);
	const texts = isEmpty(value) ? [first] : [first, ...rest.map((other) => tableCell(other, row[other], style))];
	return { text: texts.join(UNBROKEN), field, value };
}

function fittedWidths(lines: readonly (readonly string[])[], width: number, mayBreak: boolean): number[] | null {
	const columns = lines[0]?.length ?? 0;
	const lengthsOf = (partsOf: (text: string) => readonly string[]) =>
		Array.from({ length: columns }, (_, i) => longest(lines.flatMap((line) => partsOf(line[i] ?? ''))));
	const room = width - GAP.length * (columns - 1);
	const whole = lengthsOf((text) => [text]);
	const words = lengthsOf((text) => text.split(' '));
	if (!mayBreak && sum(words) > room) return null;
	const kept = mayBreak ? words.map((length) => Math.min(length, LONG_WORD)) : words;
	const fitted = narrowed(whole, kept, room);
	const breaking = words.map((length) => Math.min(length, NARROWEST));
	return narrowed(fitted, breaking, room);
}

/** Widths that add up to `room`, taken from the widest again and again, none below its least. */
function narrowed(widths: readonly number[], least: readonly number[], room: number): number[] {
	const result = [...widths];
	for (let excess = sum(result) - room; excess > 0; excess--) {
		const spare = result.map((width, i) => (width > (least[i] ?? 0) ? width : 0));
		const widest = Math.max(0, ...spare);
		if (widest === 0) break;
		result[spare.indexOf(widest)] = widest - 1;
	}
	return result;
}

/** The lines of one row, each of its texts wrapped to the width of its column. Colours come last: they have no width. */
function sideBySide(parts: readonly Part[], widths: readonly number[], style: Style): string[] {
	const wrapped = parts.map(({ text }, i) => wrap(text, widths[i] ?? widthOf(text)));
	return Array.from({ length: Math.max(0, ...wrapped.map(({ length }) => length)) }, (_, line) =>
		parts
			.map(({ field, value }, i) => {
				const text = (wrapped[i]?.[line] ?? '').replaceAll(UNBROKEN, ' ');
				const padding = i < parts.length - 1 ? padTo('', (widths[i] ?? 0) - widthOf(text)) : '';
				return painted(text, field, value, style) + padding;
			})
			.join(GAP)
			.trimEnd(),
	);
}

const longest = (texts: readonly string[]): number => texts.reduce((most, text) => Math.max(most, widthOf(text)), 0);

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
