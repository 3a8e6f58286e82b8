/** One value as people read it: its text, and its colour where it means good or bad. Pure. */
import { styleText } from 'node:util';
import { isEmpty, isRow, momentOf, type Row, SWITCHES, shortIds, toneOf } from '../reading/fields.ts';
import { absoluteText, relativeText } from '../reading/time.ts';

/** How an answer is printed. */
export interface Style {
	/** Columns of the terminal that a line may have. */
	readonly width: number;
	/** Unix milliseconds. */
	readonly now: number;
	/** Everything: all columns, whole ids, absolute times. */
	readonly wide: boolean;
	readonly color: boolean;
}

/** A blank at which a table's line is not broken: `3 min ago` stays whole. It is printed as a blank. */
export const UNBROKEN = '\u00a0';

/** In a table a time is relative and an id is its beginning, unless everything is asked for. */
export function tableCell(field: string, value: unknown, { now, wide }: Style): string {
	const at = momentOf(field, value);
	if (at !== null) return wide ? absoluteText(at) : relativeText(at, now).replaceAll(' ', UNBROKEN);
	const text = cell(value, field);
	return wide ? text : shortIds(text);
}

/** In a card a time is both. */
export function cardCell(field: string, value: unknown, { now }: Style): string {
	const at = momentOf(field, value);
	return at === null ? cell(value, field) : `${absoluteText(at)} (${relativeText(at, now)})`;
}

/** An empty value is `-`; text is on one line, whatever it contains. */
export function cell(value: unknown, field = ''): string {
	if (isEmpty(value)) return '-';
	if (typeof value === 'boolean') return SWITCHES.has(field) ? (value ? 'on' : 'off') : value ? 'yes' : 'no';
	if (Array.isArray(value)) return value.map((one) => cell(one, field)).join(', ');
	if (isRow(value)) return factsText(value);
	return String(value).replaceAll(/\p{Cc}+/gu, ' ');
}

/** A record in a table: `minUsd 40 → 41, name Acme`. */
function factsText(record: Row): string {
	const fields = Object.keys(record);
	if (fields.length === 2 && 'from' in record && 'to' in record)
		return `${cell(record['from'])} → ${cell(record['to'])}`;
	return fields.map((field) => `${field} ${cell(record[field], field)}`).join(', ');
}

/** `text`: what stands for the value, padded or wrapped. */
export function painted(text: string, field: string, value: unknown, { color }: Style): string {
	const tone = color ? toneOf(field, value) : null;
	return tone === null || text.trim() === '' ? text : styleText(tone, text, { validateStream: false });
}
