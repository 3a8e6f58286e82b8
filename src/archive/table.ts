/** The rows that stay in D1 of archived orders: tables of migrations/0001_schema.sql, where each is explained. */
import { customType, index, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { AssetId } from '../catalog/assets.ts';
import type { NetworkName } from '../catalog/networks.ts';

export const archivedBatches = /* @__PURE__ */ sqliteTable('archived_batches', () => ({
	number: integer('number').primaryKey(),
	object: text('object').notNull(),
	seal: text('seal').notNull(),
	orders: integer('orders').notNull(),
	bytes: integer('bytes').notNull(),
	firstAt: integer('first_at').notNull(),
	lastAt: integer('last_at').notNull(),
	at: integer('at').notNull(),
}));

/** D1 gives a blob as a list of numbers. */
const bytes = customType<{ data: Uint8Array; driverData: number[] }>({
	dataType: () => 'blob',
	fromDriver: (value) => Uint8Array.from(value),
});

export const archivedKeys = /* @__PURE__ */ sqliteTable(
	'archived_keys',
	() => ({ hash: bytes('hash').notNull(), batch: integer('batch').notNull() }),
	(table) => [primaryKey({ columns: [table.hash, table.batch] })],
);

/** Base units: text in D1, exact here. */
const units = customType<{ data: bigint; driverData: string }>({
	dataType: () => 'text',
	toDriver: String,
	fromDriver: BigInt,
});

export const archivedTotals = /* @__PURE__ */ sqliteTable(
	'archived_totals',
	() => ({
		day: text('day').notNull(),
		partnerId: text('partner_id').notNull(),
		referenceCode: text('reference_code').notNull(),
		fromAsset: text('from_asset').$type<AssetId>().notNull(),
		toAsset: text('to_asset').$type<AssetId>().notNull(),
		orders: integer('orders').notNull(),
		ordersDone: integer('orders_done').notNull(),
		volumeUsdCents: integer('volume_usd_cents').notNull(),
		partnerUsdCents: integer('partner_usd_cents').notNull(),
		houseUsdCents: integer('house_usd_cents').notNull(),
		networkFeeUsdCents: integer('network_fee_usd_cents').notNull(),
		leanUsdCents: integer('lean_usd_cents').notNull(),
		received: units('received').notNull(),
		paid: units('paid').notNull(),
		partnerShare: units('partner_share').notNull(),
		houseShare: units('house_share').notNull(),
		surcharge: units('surcharge').notNull(),
		discount: units('discount').notNull(),
		keptTo: units('kept_to').notNull(),
		refunded: units('refunded').notNull(),
		keptFrom: units('kept_from').notNull(),
		feePaidTo: units('fee_paid_to').notNull(),
		feePaidFrom: units('fee_paid_from').notNull(),
	}),
	(table) => [
		primaryKey({ columns: [table.day, table.partnerId, table.referenceCode, table.fromAsset, table.toAsset] }),
		index('archived_totals_by_partner').on(table.partnerId, table.referenceCode),
	],
);

export const archiveCursors = /* @__PURE__ */ sqliteTable('archive_cursors', () => ({
	network: text('network').$type<NetworkName>().primaryKey(),
	expiresAt: integer('expires_at').notNull(),
	orderId: text('order_id').notNull(),
	endedAt: integer('ended_at'),
}));

export type ArchivedBatch = typeof archivedBatches.$inferSelect;
