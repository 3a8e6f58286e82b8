/**
 * A segment of the chain: some rows of one table with consecutive numbers, a line of text for each, and a digest over them and
 * the segment before. Who changes a row, or a line, changes every digest from there on. Pure.
 */
import { auditLog } from '../../audit/table.ts';
import { sha256Hex } from '../../crypto/tokens.ts';
import { orderChanges } from '../../orders/table.ts';
import { ledgerEntries } from '../../treasury/ledger/table.ts';

export const CHAINED = { audit_log: auditLog, ledger_entries: ledgerEntries, order_changes: orderChanges } as const;
export type RowsOf = keyof typeof CHAINED;
export const TABLES = Object.keys(CHAINED) as RowsOf[];

/** A row of any of the tables, as Drizzle reads it. */
export interface ChainedRow {
	readonly number: number;
	/** Unix milliseconds. */
	readonly at: number;
}

/** The part of a row that is chained. */
export interface Line extends ChainedRow {
	/** For a person: of a move and an entry it begins with the order's id. */
	readonly name: string;
	/** SHA-256 over all columns. */
	readonly digest: string;
}

export interface Segment {
	readonly position: number;
	readonly rowsOf: RowsOf;
	/** The numbers of its first and last row. */
	readonly first: number;
	readonly last: number;
	/** Unix milliseconds when it was chained. */
	readonly at: number;
	readonly lines: string;
	/** Over the digest of the segment before, and all of this. */
	readonly digest: string;
}

const NAMED: { readonly [Of in RowsOf]: readonly string[] } = {
	audit_log: ['command'],
	ledger_entries: ['orderId', 'cause', 'account', 'asset'],
	order_changes: ['orderId', 'sequence'],
};

/** Its columns in the order of their names, without those that are null: so a column that a later release adds changes no digest. */
export async function lineOf(rowsOf: RowsOf, row: ChainedRow): Promise<Line> {
	const values: Readonly<Record<string, unknown>> = { ...row };
	const columns = Object.keys(values).filter((column) => values[column] !== null);
	const named = columns.toSorted().map((column) => [column, values[column]]);
	const digest = await sha256Hex(JSON.stringify([rowsOf, ...named]));
	return { number: row.number, at: row.at, name: NAMED[rowsOf].map((column) => values[column]).join(' '), digest };
}

export const textOfLines = (lines: readonly Line[]): string =>
	lines.map(({ digest, at, name }) => `${digest} ${at} ${name}`).join('\n');

/** By the rows' numbers. */
export function linesIn({ first, lines }: Pick<Segment, 'first' | 'lines'>): Map<number, Line> {
	const read = lines.split('\n').map((line, i): [number, Line] => {
		const [digest = '', at = '', ...name] = line.split(' ');
		return [first + i, { number: first + i, at: Number(at), name: name.join(' '), digest }];
	});
	return new Map(read);
}

/** `before`: the digest of the segment before, empty for the first. */
export function digestOf(before: string, { position, rowsOf, first, last, at, lines }: Omit<Segment, 'digest'>) {
	return sha256Hex(JSON.stringify([before, position, rowsOf, first, last, at, lines]));
}
