/** Tables of migrations/0001_schema.sql. A test compares them with the migrated database. */
import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { OrderPageSettings } from './order-page.ts';
import type { AutoPayout, KeyKind } from './partner.ts';

export const partners = /* @__PURE__ */ sqliteTable('partners', () => ({
	id: text('id').primaryKey(),
	name: text('name').notNull(),
	enabled: integer('enabled', { mode: 'boolean' }).notNull().default(true),
	apiKey: text('api_key').notNull().unique(),
	apiSecretSealed: text('api_secret_sealed').notNull(),
	webhookSecretSealed: text('webhook_secret_sealed').notNull(),
	weightPerMinute: integer('weight_per_minute').notNull().default(2500),
	afftaxBps: integer('afftax_bps').notNull().default(0),
	maxRefCodes: integer('max_ref_codes').notNull().default(50),
	requireTimestamp: integer('require_timestamp', { mode: 'boolean' }).notNull().default(false),
	payoutAsset: text('payout_asset'),
	payoutAddress: text('payout_address'),
	payoutAddressChangedAt: integer('payout_address_changed_at'),
	ordersDone: integer('orders_done').notNull().default(0),
	volumeUsdCents: integer('volume_usd_cents').notNull().default(0),
	earnedUsdCents: integer('earned_usd_cents').notNull().default(0),
	createdAt: integer('created_at').notNull(),
	updatedAt: integer('updated_at').notNull(),
	payoutSeal: text('payout_seal'),
	autoPayout: text('auto_payout').$type<AutoPayout>().notNull().default('none'),
	autoPayoutMinUsd: integer('auto_payout_min_usd').notNull().default(0),
	autoPayoutAt: integer('auto_payout_at'),
	autoPayoutWaits: text('auto_payout_waits'),
	autoPayoutWaitsSince: integer('auto_payout_waits_since'),
	orderPage: text('order_page', { mode: 'json' }).$type<Partial<OrderPageSettings>>().notNull().default({}),
	orderPageSeal: text('order_page_seal'),
}));

export const partnerLogos = /* @__PURE__ */ sqliteTable(
	'partner_logos',
	() => ({
		partnerId: text('partner_id')
			.notNull()
			.references(() => partners.id),
		name: text('name').notNull(),
		png: text('png').notNull(),
		createdAt: integer('created_at').notNull(),
	}),
	(table) => [primaryKey({ columns: [table.name, table.partnerId] })],
);

export const referenceCodes = /* @__PURE__ */ sqliteTable('reference_codes', () => ({
	id: text('id').primaryKey(),
	partnerId: text('partner_id')
		.notNull()
		.references(() => partners.id),
	code: text('code').notNull(),
	label: text('label'),
	afftaxBps: integer('afftax_bps').notNull().default(0),
	enabled: integer('enabled', { mode: 'boolean' }).notNull().default(true),
	createdAt: integer('created_at').notNull(),
}));

export const partnerKeys = /* @__PURE__ */ sqliteTable('partner_keys', () => ({
	id: text('id').primaryKey(),
	partnerId: text('partner_id')
		.notNull()
		.references(() => partners.id),
	kind: text('kind').$type<KeyKind>().notNull(),
	label: text('label').notNull(),
	apiKey: text('api_key').notNull().unique(),
	secretSealed: text('secret_sealed').notNull(),
	addresses: text('addresses', { mode: 'json' }).$type<readonly string[]>().notNull(),
	expiresAt: integer('expires_at'),
	createdAt: integer('created_at').notNull(),
	lastUsedAt: integer('last_used_at'),
}));

export const visitors = /* @__PURE__ */ sqliteTable('visitors', () => ({
	partnerId: text('partner_id')
		.primaryKey()
		.references(() => partners.id),
	network: text('network').notNull(),
	beganAt: integer('began_at').notNull(),
	endedAt: integer('ended_at'),
}));

/** Where webhooks go. */
export const webhookEndpoints = /* @__PURE__ */ sqliteTable('webhook_endpoints', () => ({
	id: text('id').primaryKey(),
	partnerId: text('partner_id').notNull(),
	/** Null for an endpoint of the partner's; otherwise it is the `callbackUrl` of this order. */
	orderId: text('order_id'),
	url: text('url').notNull(),
	events: text('events', { mode: 'json' }).$type<readonly string[]>().notNull(),
	enabled: integer('enabled', { mode: 'boolean' }).notNull().default(true),
	seal: text('seal'),
	urlSetAt: integer('url_set_at').notNull(),
	createdAt: integer('created_at').notNull(),
}));

/** The volume and earnings of each reference code; triggers keep it. */
export const codeTotals = /* @__PURE__ */ sqliteTable(
	'code_totals',
	() => ({
		partnerId: text('partner_id').notNull(),
		referenceCode: text('reference_code').notNull(),
		orders: integer('orders').notNull().default(0),
		ordersDone: integer('orders_done').notNull().default(0),
		volumeUsdCents: integer('volume_usd_cents').notNull().default(0),
		earnedUsdCents: integer('earned_usd_cents').notNull().default(0),
	}),
	(table) => [primaryKey({ columns: [table.partnerId, table.referenceCode] })],
);

export type PartnerRow = typeof partners.$inferSelect;
export type PartnerKeyRow = typeof partnerKeys.$inferSelect;
export type WebhookEndpointRow = typeof webhookEndpoints.$inferSelect;
export type ReferenceCodeRow = typeof referenceCodes.$inferSelect;
