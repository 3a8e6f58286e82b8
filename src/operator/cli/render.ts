/**
 * Prints answers for people. A list is a table, a record is a card, and lists and records inside it are sections below.
 * Text that is too wide for the terminal is wrapped. Pure.
 */
import { isEmpty, isRow, type Row, titleOf } from '../reading/fields.ts';
import type { Column, Declaration } from '../topic.ts';
import { cardCell, cell, painted, type Style } from './cell.ts';
import { GAP, table } from './table.ts';
import { padTo, widthOf, wrapWords } from './wrap.ts';

type Layout = Pick<Declaration, 'columns' | 'wide' | 'sections' | 'empty'>;

/** Signed transactions: hundreds of characters that nobody reads. `--wide` and `--json` have them. */
const UNREADABLE: ReadonlySet<string> = new Set(['raw']);

export function render(data: unknown, layout: Layout, style: Style): string {
	const { columns, wide = [], sections = {}, empty = 'Nothing found.' } = layout;
	if (!Array.isArray(data)) return isRow(data) ? card(data, style, sections) : cell(data);
	const shown = columns && style.wide ? [...columns, ...wide] : columns;
	return data.length === 0 ? empty : list(data.filter(isRow), shown, style);
}

/** A table without declared columns becomes one card per row if its words do not fit side by side. */
function list(rows: readonly Row[], columns: readonly Column[] | undefined, style: Style): string {
	if (columns) return table(columns, rows, style) ?? '';
	const all = Object.keys(rows[0] ?? {});
	const filled = all.filter((column) => rows.some((row) => !isEmpty(row[column])));
	return table(all, rows, style, false) ?? rows.map((row) => card(pick(row, filled), style)).join('\n\n');
}

function card(record: Row, style: Style, sections: Layout['sections'] = {}): string {
	const entries = Object.entries(record).filter(([name]) => style.wide || !UNREADABLE.has(name));
	const inside = entries.filter(([, value]) => isSection(value));
	const isSectioned = inside.length > 0;
	const fields = entries.filter(([, value]) => !isSection(value) && !(isSectioned && isEmptyList(value)));
	const label = Math.max(0, ...fields.map(([name]) => widthOf(name)));
	const parts = [
		fields.map(([name, value]) => field(name, value, label, style)).join('\n'),
		...inside.map(([name, value]) => {
			const narrower = { ...style, width: style.width - GAP.length };
			return `${titleOf(name)}\n${indented(sectionText(value, narrower, sections[name]))}`;
		}),
	];
	// A list without rows is said last: above the first section it would hide what there is.
	const none = isSectioned ? entries.filter(([, value]) => isEmptyList(value)).map(([name]) => name) : [];
	return [...parts, none.length > 0 ? `None: ${none.join(', ')}` : ''].filter(Boolean).join('\n\n');
}

function field(name: string, value: unknown, label: number, style: Style): string {
	const indent = ' '.repeat(label + GAP.length);
	const lines = wrapWords(cardCell(name, value, style), style.width - indent.length);
	return `${padTo(name, label)}${GAP}${lines.map((line) => painted(line, name, value, style)).join(`\n${indent}`)}`;
}

function sectionText(value: unknown, style: Style, columns: readonly string[] | undefined): string {
	if (!Array.isArray(value)) return isRow(value) ? card(value, style) : cell(value);
	const rows = value.filter(isRow);
	if (columns) return list(rows, columns, style);
	// Rows that have sections of their own fit into no table.
	const nested = rows.some((row) => Object.values(row).some(isSection));
	return nested ? rows.map((row) => card(row, style)).join('\n\n') : list(rows, undefined, style);
}

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

const isSection = (value: unknown): boolean => isRow(value) || (Array.isArray(value) && value.some(isRow));

const pick = (row: Row, fields: readonly string[]): Row => Object.fromEntries(fields.map((name) => [name, row[name]]));

const indented = (text: string): string => text.replaceAll(/^(?=.)/gm, GAP);
