/** Proofs of solvency: the reports and signed heads of past hours, and the debts of the last ones. */
import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { AssetId } from '../../catalog/assets.ts';
import type { SignedStatement } from '../../ports/promises.ts';
import type { ReserveRow } from '../../ports/reserves.ts';

export const solvencyReports = /* @__PURE__ */ sqliteTable('solvency_reports', () => ({
	number: integer('number').primaryKey(),
	digest: text('digest').notNull(),
	statement: text('statement'),
	reserves: text('reserves', { mode: 'json' }).$type<readonly ReserveRow[]>(),
	salt: text('salt'),
	head: text('head', { mode: 'json' }).$type<SignedStatement>(),
	headNumber: integer('head_number'),
}));

/** A part of a tree's leaves: `first` and `last` are the lowest and highest id there. */
export const solvencyDebts = /* @__PURE__ */ sqliteTable(
	'solvency_debts',
	() => ({
		number: integer('number').notNull(),
		asset: text('asset').$type<AssetId>().notNull(),
		first: text('first').notNull(),
		last: text('last').notNull(),
		hash: text('hash').notNull(),
		sum: text('sum').notNull(),
		leaves: text('leaves', { mode: 'json' }).$type<readonly (readonly [id: string, amount: string])[]>().notNull(),
	}),
	(table) => [primaryKey({ columns: [table.number, table.asset, table.first] })],
);
