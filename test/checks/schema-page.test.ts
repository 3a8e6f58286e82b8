/** The chapter about the schema is what the migrations make. `npm run schema:page` makes it again. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { migratedTables, schemaPage } from '../support/schema-page.ts';

it('every table is strict', () => {
	const tables = migratedTables();
	expect(tables.length).toBeGreaterThan(50);
	expect(tables.filter(({ strict }) => strict !== 1)).toEqual([]);
});

it('the book shows the schema as the migrations make it', async () => {
	await expect(schemaPage()).toMatchFileSnapshot(join(import.meta.dirname, '../../src/docs/book/schema.md'));
});
