/** A list as CSV: RFC 4180, with all fields that `--json` has, and nothing that a spreadsheet would run. Pure. */
import { quotedLine, safeCell } from '../../http/csv.ts';
import { isRow, type Row } from './cell.ts';

/** The first line names the fields of all rows, in their order. A list without rows has no line. */
export function csv(data: readonly unknown[]): string {
	const rows = data.filter(isRow);
	const fields = [...new Set(rows.flatMap((row) => Object.keys(row)))];
	if (fields.length === 0) return '';
	const lines = [fields, ...rows.map((row) => fields.map((field) => textOf(row, field)))];
	return lines.map(quotedLine).join('');
}

function textOf(row: Row, field: string): string {
	const value = row[field];
	if (value === null || value === undefined) return '';
	if (Array.isArray(value) && !value.some(isRow)) return safeCell(value.join('; '));
	return typeof value === 'object' ? JSON.stringify(value) : safeCell(String(value));
}
