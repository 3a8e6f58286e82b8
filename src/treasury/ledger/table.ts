/** The books in double entry, and the reserve (migrations/0004_treasury.sql, 0009_own_transactions.sql). */
import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { AssetId } from '../../catalog/assets.ts';
import type { NetworkName } from '../../catalog/networks.ts';

export const ledgerEntries = sqliteTable(
	'ledger_entries',
	{
		orderId: text('order_id').notNull(),
		cause: text('cause').notNull(),
		account: text('account').notNull(),
		asset: text('asset').$type<AssetId>().notNull(),
		amount: text('amount').notNull(),
		at: integer('at').notNull(),
	},
	(table) => [primaryKey({ columns: [table.orderId, table.cause, table.account, table.asset] })],
);

/** What the operator put into the hot wallets. */
export const reserveEntries = sqliteTable(
	'reserve_entries',
	{
		network: text('network').$type<NetworkName>().notNull(),
		txId: text('tx_id').notNull(),
		position: text('position').notNull(),
		asset: text('asset').$type<AssetId>().notNull(),
		amount: text('amount').notNull(),
		at: integer('at').notNull(),
	},
	(table) => [primaryKey({ columns: [table.network, table.txId, table.position, table.asset] })],
);
