/** Long lists of values in a query. D1 takes a hundred bound parameters, so a list is one parameter, as JSON. */
import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';

/** Most values in one query. */
const PER_QUERY = 5_000;

/** Parts of a list, each for one query. */
export function chunks(values: readonly string[]): string[][] {
	const parts = Math.ceil(values.length / PER_QUERY);
	return Array.from({ length: parts }, (_, i) => values.slice(i * PER_QUERY, (i + 1) * PER_QUERY));
}

/** For `… in ${inJson(values)}`: the list as one parameter. */
export const inJson = (values: readonly string[]): SQL => sql`(select value from json_each(${JSON.stringify(values)}))`;

/** Is the column's value in the list? */
export const isIn = (column: SQLWrapper, values: readonly string[]): SQL => sql`${column} in ${inJson(values)}`;
