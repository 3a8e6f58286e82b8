/** A list as CSV: RFC 4180, with all fields that `--json` has, and nothing that a spreadsheet would run. Pure. */
import { isRow, type Row } from './fields.ts';

const LINE_END = '\r\n';
const NUMBER = /^[+-]?\d+(\.\d+)?$/;
/** A spreadsheet takes a cell that begins like this for a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/** The first line names the fields of all rows, in their order. A list without rows has no line. */
export function csv(data: readonly unknown[]): string {
	const rows = data.filter(isRow);
	const fields = [...new Set(rows.flatMap((row) => Object.keys(row)))];
	if (fields.length === 0) return '';
	const lines = [fields.map(quoted), ...rows.map((row) => fields.map((field) => quoted(textOf(row, field))))];
	return lines.map((line) => line.join(',')).join(LINE_END) + LINE_END;
}

function textOf(row: Row, field: string): string {
	const value = row[field];
	if (value === null || value === undefined) return '';
	if (Array.isArray(value) && !value.some(isRow)) return safe(value.join('; '));
	return typeof value === 'object' ? JSON.stringify(value) : safe(String(value));
}

/** An apostrophe in front, which spreadsheets hide, makes it text. Numbers stay numbers. */
const safe = (text: string): string => (FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text);

const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
