/** Trades, the exposure, and whom they are told: tables of migrations/0001_schema.sql. */
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { AssetId } from '../../catalog/assets.ts';
import { limbs } from '../ledger/table.ts';

export const exposures = /* @__PURE__ */ sqliteTable('exposures', () => ({
	asset: text('asset').$type<AssetId>().primaryKey(),
	...limbs(),
}));

/** A settlement, or that one was taken back. Only a trigger writes them. */
export const trades = /* @__PURE__ */ sqliteTable('trades', () => ({
	sequence: integer('sequence').primaryKey(),
	orderId: text('order_id').notNull(),
	cause: text('cause').notNull(),
	at: integer('at').notNull(),
	fromAsset: text('from_asset').$type<AssetId>().notNull(),
	fromEntry: text('from_entry').notNull(),
	fromExposure: text('from_exposure').notNull(),
	toAsset: text('to_asset').$type<AssetId>().notNull(),
	toEntry: text('to_entry').notNull(),
	toExposure: text('to_exposure').notNull(),
	payout: text('payout').notNull(),
	usdCents: integer('usd_cents').notNull(),
}));

/** One row, or none. */
export const hedgers = /* @__PURE__ */ sqliteTable('hedgers', () => ({
	id: integer('id').primaryKey(),
	partnerId: text('partner_id').notNull(),
	queuedUntil: integer('queued_until').notNull(),
}));

export type TradeRow = typeof trades.$inferSelect;
