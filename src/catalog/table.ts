/** Tables of migrations/0001_schema.sql. */
import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';

/** How often; none: never. */
type OwnPayouts = 'none' | 'monthly' | 'weekly' | 'daily';

export const site = /* @__PURE__ */ sqliteTable('site', () => ({
	id: integer('id').primaryKey(),
	maintenance: integer('maintenance', { mode: 'boolean' }).notNull().default(false),
	dailyCapUsd: integer('daily_cap_usd').notNull().default(1_000_000),
	baseFeeBps: integer('base_fee_bps').notNull().default(50),
	depositWindowSeconds: integer('deposit_window_seconds').notNull().default(3600),
	revision: integer('revision').notNull().default(0),
	unpaidShareBps: integer('unpaid_share_bps').notNull().default(2500),
	archiveAfterDays: integer('archive_after_days').default(90),
	webhookBodyDays: integer('webhook_body_days').notNull().default(30),
	showsSecrets: integer('shows_secrets', { mode: 'boolean' }).notNull().default(true),
	sweepShareBps: integer('sweep_share_bps').notNull().default(200),
	decisionHours: integer('decision_hours').default(72),
	reserveHours: integer('reserve_hours').default(24),
	askedRefundUsd: integer('asked_refund_usd').notNull().default(0),
	ownMarginBps: integer('own_margin_bps').notNull().default(2000),
	ownPayouts: text('own_payouts').$type<OwnPayouts>().notNull().default('weekly'),
	ownPayoutMinUsd: integer('own_payout_min_usd').notNull().default(20),
	provesSolvency: integer('proves_solvency', { mode: 'boolean' }).notNull().default(false),
	provesMonero: integer('proves_monero', { mode: 'boolean' }).notNull().default(false),
}));

export const assetSettings = /* @__PURE__ */ sqliteTable('asset_settings', () => ({
	code: text('code').primaryKey(),
	active: integer('active', { mode: 'boolean' }).notNull(),
	reserve: text('reserve'),
	target: text('target'),
	beyondReserve: integer('beyond_reserve', { mode: 'boolean' }).notNull().default(false),
	surchargeBps: integer('surcharge_bps').notNull().default(0),
	discountBps: integer('discount_bps').notNull().default(0),
	bestchangeCode: text('bestchange_code'),
	fixedfloatCode: text('fixedfloat_code'),
}));

export const networkSettings = /* @__PURE__ */ sqliteTable('network_settings', () => ({
	name: text('name').primaryKey(),
	send: integer('send', { mode: 'boolean' }).notNull(),
	receive: integer('receive', { mode: 'boolean' }).notNull(),
	confirmations: integer('confirmations'),
	aboveUsd: integer('above_usd'),
	confirmationsAbove: integer('confirmations_above'),
}));

export const pairSettings = /* @__PURE__ */ sqliteTable(
	'pair_settings',
	() => ({
		fromAsset: text('from_asset').notNull(),
		toAsset: text('to_asset').notNull(),
		active: integer('active', { mode: 'boolean' }).notNull(),
		minUsd: integer('min_usd').notNull(),
		maxUsd: integer('max_usd').notNull(),
	}),
	(table) => [primaryKey({ columns: [table.fromAsset, table.toAsset] })],
);
