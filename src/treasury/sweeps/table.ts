/** Orders whose pay-in addresses may have to be swept (migrations/0011_sweeps.sql). */
import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { NetworkName } from '../../catalog/networks.ts';

export const sweepCandidates = sqliteTable(
	'sweep_candidates',
	{
		network: text('network').$type<NetworkName>().notNull(),
		orderId: text('order_id').notNull(),
		attempts: integer('attempts').notNull().default(0),
		nextAttemptAt: integer('next_attempt_at').notNull(),
		/** migrations/0050_sweep_retries.sql. */
		retriedAt: integer('retried_at'),
		/** migrations/0068_sweep_share.sql. */
		waitsSince: integer('waits_since'),
	},
	(table) => [primaryKey({ columns: [table.network, table.orderId] })],
);
