/**
 * Answers for people: a list is a table, a record is a card, and what is inside a record comes in sections below it.
 * Nothing is ever cut off: a section that is too wide for a table becomes one card per row. Pure.
 */

type Row = Readonly<Record<string, unknown>>;

const GAP = '  ';

/** `columns`: of a list, by field; those that no row fills are left out. `width`: characters that a line may have. */
export function render(data: unknown, columns: readonly string[] | undefined, width: number): string {
	if (Array.isArray(data)) return data.length === 0 ? 'Nothing found.' : list(data.filter(isRow), columns, width);
	return isRow(data) ? card(data, width) : cell(data);
}

function list(rows: readonly Row[], columns: readonly string[] | undefined, width: number): string {
	const all = columns ?? Object.keys(rows[0] ?? {});
	const filled = all.filter((column) => rows.some((row) => !isEmpty(row[column])));
	const text = table(filled, rows);
	return longestLine(text) <= width ? text : rows.map((row) => card(pick(row, filled), width)).join('\n\n');
}

function table(columns: readonly string[], rows: readonly Row[]): string {
	const lines = [columns.map(titleOf), ...rows.map((row) => columns.map((column) => cell(row[column])))];
	const widths = columns.map((_, i) => Math.max(...lines.map((line) => line[i]?.length ?? 0)));
	return lines
		.map((line) =>
			line
				.map((text, i) => text.padEnd(widths[i] ?? 0))
				.join(GAP)
				.trimEnd(),
		)
		.join('\n');
}

function card(record: Row, width: number): string {
	const fields = Object.entries(record).filter(([, value]) => !isSection(value));
	const label = Math.max(0, ...fields.map(([name]) => name.length));
	const lines = fields.map(([name, value]) => `${name.padEnd(label)}${GAP}${cell(value)}`);
	const sections = Object.entries(record)
		.filter(([, value]) => isSection(value))
		.map(([name, value]) => `${titleOf(name)}\n${indented(sectionText(value, width - GAP.length))}`);
	return [lines.join('\n'), ...sections].filter(Boolean).join('\n\n');
}

function sectionText(value: unknown, width: number): string {
	if (!Array.isArray(value)) return isRow(value) ? card(value, width) : cell(value);
	const rows = value.filter(isRow);
	// Rows that have sections of their own fit into no table.
	const nested = rows.some((row) => Object.values(row).some(isSection));
	return nested ? rows.map((row) => card(row, width)).join('\n\n') : list(rows, undefined, width);
}

/** An empty value says `-`; a text says itself on one line, whatever it holds. */
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

const longestLine = (text: string): number => Math.max(...text.split('\n').map((line) => line.length));
