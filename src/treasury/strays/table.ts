/** Coins of another asset or network at orders' pay-in addresses. */
import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { AssetId, TokenId } from '../../catalog/assets.ts';
import type { NetworkName } from '../../catalog/networks.ts';
import type { StrayWait, TokenWait } from '../../orders/strays.ts';

export const strays = /* @__PURE__ */ sqliteTable(
	'strays',
	() => ({
		network: text('network').$type<NetworkName>().notNull(),
		address: text('address').notNull(),
		asset: text('asset').$type<AssetId>().notNull(),
		orderId: text('order_id').notNull(),
		counted: text('counted').notNull(),
		taken: text('taken').notNull().default('0'),
		takenBefore: text('taken_before').notNull().default('0'),
		booked: text('booked').notNull().default('0'),
		isListed: integer('is_listed', { mode: 'boolean' }).notNull(),
		toAddress: text('to_address'),
		toSeal: text('to_seal'),
		waits: text('waits').$type<StrayWait>(),
		foundAt: integer('found_at').notNull(),
		lookedAt: integer('looked_at').notNull(),
		dueAt: integer('due_at'),
	}),
	(table) => [primaryKey({ columns: [table.network, table.address, table.asset] })],
);

/** Tokens that are not listed, at orders' pay-in addresses. */
export const unlistedTokens = /* @__PURE__ */ sqliteTable(
	'unlisted_tokens',
	() => ({
		network: text('network').$type<NetworkName>().notNull(),
		address: text('address').notNull(),
		token: text('token').$type<TokenId>().notNull(),
		orderId: text('order_id').notNull(),
		amount: text('amount').notNull(),
		foundAt: integer('found_at').notNull(),
		keptAt: integer('kept_at'),
		toAddress: text('to_address'),
		toSeal: text('to_seal'),
		askedAt: integer('asked_at'),
		returnId: text('return_id'),
		waits: text('waits').$type<TokenWait>(),
	}),
	(table) => [primaryKey({ columns: [table.network, table.address, table.token] })],
);

export type UnlistedRow = typeof unlistedTokens.$inferSelect;
export type StrayRow = typeof strays.$inferSelect;
