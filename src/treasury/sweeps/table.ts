/** Orders whose pay-in addresses may have to be swept. */
import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { NetworkName } from '../../catalog/networks.ts';

export const sweepCandidates = /* @__PURE__ */ sqliteTable(
	'sweep_candidates',
	() => ({
		network: text('network').$type<NetworkName>().notNull(),
		orderId: text('order_id').notNull(),
		attempts: integer('attempts').notNull().default(0),
		nextAttemptAt: integer('next_attempt_at').notNull(),
		/** When a move that failed was tried again, Unix milliseconds. */
		retriedAt: integer('retried_at'),
		/** Since when a sweep waits for cheap hours, Unix milliseconds; null while it does not. */
		waitsSince: integer('waits_since'),
	}),
	(table) => [primaryKey({ columns: [table.network, table.orderId] })],
);
