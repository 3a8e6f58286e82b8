/** The rows of D1, and of the archive, against the lines that were chained of them. */
import { and, asc, gt, lte, sql } from 'drizzle-orm';
import { orderKey } from '../../archive/keys.ts';
import { readLines } from '../../archive/objects.ts';
import { ordersIn } from '../../archive/record.ts';
import { archivedBatches, archivedKeys } from '../../archive/table.ts';
import type { Db } from '../../platform/d1/database.ts';
import { HOUR_MILLISECONDS } from '../../platform/time.ts';
import type { OperatorEnv } from '../env.ts';
import { CHAINED, type ChainedRow, type Line, lineOf, linesIn, type RowsOf, TABLES } from './segment.ts';
import type { Expected } from './truth.ts';

export interface Comparing {
	readonly db: Db;
	readonly env: Pick<OperatorEnv, 'ARCHIVE' | 'askedKeys'>;
}

export interface BentRow extends Pick<Line, 'number' | 'name' | 'at'> {
	readonly what: 'changed' | 'removed' | 'inserted';
	readonly rowsOf: RowsOf;
	readonly position: number;
}

/** A row that is chained so long after its own time was written to look older than it is. */
const LATE_MILLISECONDS = HOUR_MILLISECONDS;
/** Rows in gaps that are named at most. */
const MOST_STRANGE = 100;

/** In the order of the chain. @throws what D1 or R2 throws */
export async function bentRows(comparing: Comparing, segments: readonly Expected[]): Promise<BentRow[]> {
	const found = await Promise.all(
		TABLES.map(async (rowsOf) => {
			const own = segments.filter((segment) => segment.rowsOf === rowsOf);
			const rows = await rowsIn(comparing.db, rowsOf, own);
			return (await Promise.all(own.map((segment) => bentIn(segment, rows)))).flat();
		}),
	);
	const bent = found.flat().toSorted((a, b) => a.position - b.position || a.number - b.number);
	return withoutArchived(comparing, bent, segments);
}

/** By number, with their lines: those that were chained and those in the gaps before. */
async function rowsIn(db: Db, rowsOf: RowsOf, segments: readonly Expected[]): Promise<Map<number, Line>> {
	const [from, to] = [segments[0], segments.at(-1)];
	if (!from || !to) return new Map();
	const table = CHAINED[rowsOf];
	const wanted = segments.reduce((sum, { first, last }) => sum + last - first + 1, MOST_STRANGE);
	const rows: ChainedRow[] = await db
		.select()
		.from(table as (typeof CHAINED)[RowsOf])
		.where(and(from.above === 0 ? undefined : gt(table.number, from.above), lte(table.number, to.last)))
		.orderBy(asc(table.number))
		.limit(wanted);
	const lines = await Promise.all(rows.map((row) => lineOf(rowsOf, row)));
	return new Map(lines.map((line) => [line.number, line]));
}

async function bentIn(segment: Expected, rows: ReadonlyMap<number, Line>): Promise<BentRow[]> {
	const { rowsOf, position, first, before, above } = segment;
	const bent = (what: BentRow['what'], { number, name, at }: Pick<Line, 'number' | 'name' | 'at'>): BentRow[] => [
		{ what, rowsOf, position, number, name, at },
	];
	const strange = [...rows.values()].filter(({ number }) => number < first && (number > above || above === 0));
	const gap = first > above + 1 && strange.length === 0 ? { number: above + 1, name: '', at: segment.at } : null;
	return [
		...strange.flatMap((row) => bent('inserted', row)),
		...(gap ? bent('removed', gap) : []),
		...[...linesIn(segment).values()].flatMap((line) => {
			const row = rows.get(line.number);
			if (!row) return bent('removed', line);
			if (row.digest !== line.digest) return bent('changed', line);
			return before !== null && line.at < before - LATE_MILLISECONDS ? bent('inserted', line) : [];
		}),
	];
}

/** A row that D1 has no more may be archived with its order; there it is as it was. */
async function withoutArchived(
	comparing: Comparing,
	bent: readonly BentRow[],
	segments: readonly Expected[],
): Promise<BentRow[]> {
	const removed = bent.filter(({ what, rowsOf, name }) => what === 'removed' && rowsOf !== 'audit_log' && name !== '');
	const orderIds = [...new Set(removed.map(({ name }) => name.split(' ')[0] ?? ''))];
	const archived = orderIds.length === 0 ? new Map<string, string>() : await archivedDigests(comparing, orderIds);
	const chained = new Map<string, string>(
		segments.flatMap((segment) =>
			[...linesIn(segment).values()].map((line) => [`${segment.rowsOf} ${line.number}`, line.digest] as const),
		),
	);
	return bent.flatMap((row) => {
		const place = `${row.rowsOf} ${row.number}`;
		const digest = row.what === 'removed' ? archived.get(place) : undefined;
		if (digest === undefined) return [row];
		return digest === chained.get(place) ? [] : [{ ...row, what: 'changed' as const }];
	});
}

/** The digests of all chained rows of these orders, by table and number. @throws where the archive cannot be read */
async function archivedDigests({ db, env }: Comparing, orderIds: readonly string[]): Promise<Map<string, string>> {
	const keys = await Promise.all(orderIds.map(orderKey));
	const batches = await db
		.selectDistinct({
			number: archivedBatches.number,
			object: archivedBatches.object,
			seal: archivedBatches.seal,
			at: archivedBatches.at,
		})
		.from(archivedKeys)
		.innerJoin(archivedBatches, sql`${archivedBatches.number} = ${archivedKeys.batch}`)
		.where(sql`${archivedKeys.hash} in (select unhex(value) from json_each(${JSON.stringify(keys)}))`);
	const wanted = new Set(orderIds);
	const found = new Map<string, string>();
	const add = async (rowsOf: RowsOf, rows: readonly ChainedRow[]) => {
		for (const row of rows) found.set(`${rowsOf} ${row.number}`, (await lineOf(rowsOf, row)).digest);
	};
	for (const batch of batches) {
		for (const { order, changes, entries } of ordersIn(await readLines(env.ARCHIVE, env.askedKeys(), batch))) {
			if (!wanted.has(order.id)) continue;
			await add('order_changes', changes);
			await add('ledger_entries', entries);
		}
	}
	return found;
}
