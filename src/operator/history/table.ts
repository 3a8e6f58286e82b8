/** How the networks were: tables of migrations/0001_schema.sql. */
import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { NetworkName } from '../../catalog/networks.ts';

export const networkHistory = /* @__PURE__ */ sqliteTable(
	'network_history',
	() => ({
		network: text('network').$type<NetworkName>().notNull(),
		/** Unix milliseconds of the full hour. */
		at: integer('at').notNull(),
		lagSeconds: integer('lag_seconds'),
		reserveUsdCents: integer('reserve_usd_cents'),
	}),
	(table) => [primaryKey({ columns: [table.network, table.at] })],
);
