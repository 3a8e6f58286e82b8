/** The payouts of partners' earnings, and the orders that each payout pays for. */
import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { AssetId } from '../../catalog/assets.ts';
import type { NetworkName } from '../../catalog/networks.ts';

export const partnerPayouts = /* @__PURE__ */ sqliteTable('partner_payouts', () => ({
	id: text('id').primaryKey(),
	partnerId: text('partner_id').notNull(),
	asset: text('asset').$type<AssetId>().notNull(),
	network: text('network').$type<NetworkName>().notNull(),
	address: text('address').notNull(),
	amount: text('amount').notNull(),
	usdCents: integer('usd_cents').notNull(),
	orderCount: integer('order_count').notNull(),
	plannedAt: integer('planned_at').notNull(),
	txId: text('tx_id'),
	paidAt: integer('paid_at'),
	autoPeriod: integer('auto_period'),
}));

export const partnerPayoutOrders = /* @__PURE__ */ sqliteTable('partner_payout_orders', () => ({
	orderId: text('order_id').primaryKey(),
	payoutId: text('payout_id').notNull(),
}));

/** Orders whose earnings no payout pays for. Triggers keep them. */
export const unpaidEarnings = /* @__PURE__ */ sqliteTable('unpaid_earnings', () => ({
	orderId: text('order_id').primaryKey(),
	partnerId: text('partner_id').notNull(),
	at: integer('at').notNull(),
}));

export type PartnerPayoutRow = typeof partnerPayouts.$inferSelect;
