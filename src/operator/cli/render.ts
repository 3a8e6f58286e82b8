/**
 * Prints answers for people. A list is a table, a record is a card, and lists and records inside it are sections below.
 * Nothing is ever cut off: text that is too wide for the terminal is wrapped inside its column. Pure.
 */
import { padTo, widthOf, wrap } from './wrap.ts';

type Row = Readonly<Record<string, unknown>>;

/** The columns of tables. Declared columns are always shown, also when they are empty. */
interface Layout {
	readonly columns?: readonly string[];
	readonly sections?: Readonly<Record<string, readonly string[]>>;
}

const GAP = '  ';
/** A column is not made narrower than this, in columns of the terminal, even where its longest word is wider. */
const NARROWEST = 8;

/** `width`: columns of the terminal that a line may have. */
export function render(data: unknown, { columns, sections = {} }: Layout, width: number): string {
	if (Array.isArray(data)) return data.length === 0 ? 'Nothing found.' : list(data.filter(isRow), columns, width);
	return isRow(data) ? card(data, width, sections) : cell(data);
}

/** A table without declared columns becomes one card per row if its words do not fit side by side. */
function list(rows: readonly Row[], columns: readonly string[] | undefined, width: number): string {
	if (columns) return table(columns, rows, width) ?? '';
	const all = Object.keys(rows[0] ?? {});
	const filled = all.filter((column) => rows.some((row) => !isEmpty(row[column])));
	return table(all, rows, width, false) ?? rows.map((row) => card(pick(row, filled), width)).join('\n\n');
}

/** Null if words do not fit and `mayBreak` is false. */
function table(columns: readonly string[], rows: readonly Row[], width: number, mayBreak = true): string | null {
	const lines = [columns.map(titleOf), ...rows.map((row) => columns.map((column) => tableCell(row[column])))];
	const lengthsOf = (partsOf: (text: string) => readonly string[]) =>
		columns.map((_, i) => longest(lines.flatMap((line) => partsOf(line[i] ?? ''))));
	const room = width - GAP.length * (columns.length - 1);
	const whole = lengthsOf((text) => [text]);
	const words = lengthsOf((text) => text.split(' '));
	const fitted = narrowed(whole, words, room);
	if (!mayBreak && sum(fitted) > room) return null;
	const breaking = words.map((length) => Math.min(length, NARROWEST));
	const widths = narrowed(fitted, breaking, room);
	return lines.flatMap((line) => sideBySide(line, widths)).join('\n');
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

/** The lines of one row, each of its texts wrapped to the width of its column. */
function sideBySide(texts: readonly string[], widths: readonly number[]): string[] {
	const wrapped = texts.map((text, i) => wrap(text, widths[i] ?? widthOf(text)));
	return Array.from({ length: Math.max(...wrapped.map(({ length }) => length)) }, (_, line) =>
		wrapped
			.map((parts, i) => padTo(parts[line] ?? '', widths[i] ?? 0))
			.join(GAP)
			.trimEnd(),
	);
}

const longest = (texts: readonly string[]): number => texts.reduce((most, text) => Math.max(most, widthOf(text)), 0);

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

function card(record: Row, width: number, sections: Layout['sections'] = {}): string {
	const fields = Object.entries(record).filter(([, value]) => !isSection(value));
	const label = Math.max(0, ...fields.map(([name]) => name.length));
	const lines = fields.map(([name, value]) => `${name.padEnd(label)}${GAP}${cell(value)}`);
	const inside = Object.entries(record)
		.filter(([, value]) => isSection(value))
		.map(([name, value]) => `${titleOf(name)}\n${indented(sectionText(value, width - GAP.length, sections[name]))}`);
	return [lines.join('\n'), ...inside].filter(Boolean).join('\n\n');
}

function sectionText(value: unknown, width: number, columns: readonly string[] | undefined): string {
	if (!Array.isArray(value)) return isRow(value) ? card(value, width) : cell(value);
	const rows = value.filter(isRow);
	if (columns) return list(rows, columns, width);
	// Rows that have sections of their own fit into no table.
	const nested = rows.some((row) => Object.values(row).some(isSection));
	return nested ? rows.map((row) => card(row, width)).join('\n\n') : list(rows, undefined, width);
}

const MOMENT = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)\.\d{3}Z$/;

/** A time is shown shorter, still in UTC; `--json` has the milliseconds. */
const tableCell = (value: unknown): string => cell(value).replace(MOMENT, '$1 $2');

/** An empty value is `-`; text is on one line, whatever it contains. */
export function cell(value: unknown): string {
	if (isEmpty(value)) return '-';
	if (Array.isArray(value)) return value.map(cell).join(', ');
	if (typeof value === 'object') return JSON.stringify(value);
	return String(value).replaceAll(/\p{Cc}+/gu, ' ');
}

const isEmpty = (value: unknown): boolean =>
	value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);

const isRow = (value: unknown): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value);

const isSection = (value: unknown): boolean => isRow(value) || (Array.isArray(value) && value.some(isRow));

const titleOf = (name: string): string => name.replaceAll(/([a-z])([A-Z])/g, '$1 $2').toUpperCase();

const pick = (row: Row, fields: readonly string[]): Row =>
	Object.fromEntries(fields.map((field) => [field, row[field]]));

const indented = (text: string): string => text.replaceAll(/^(?=.)/gm, GAP);
