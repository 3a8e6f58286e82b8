/** The names of partners by their ids. */
import { sql } from 'drizzle-orm';
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import { partners } from '../../partners/table.ts';
import { inJson } from '../../platform/d1/lists.ts';

export async function partnerNames(db: DrizzleD1Database, ids: readonly string[]): Promise<Map<string, string>> {
	if (ids.length === 0) return new Map();
	const isNamed = sql`${partners.id} in ${inJson([...new Set(ids)])}`;
	const rows = await db.select({ id: partners.id, name: partners.name }).from(partners).where(isNamed);
	return new Map(rows.map(({ id, name }) => [id, name]));
}
