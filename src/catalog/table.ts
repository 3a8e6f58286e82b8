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
	/** Grows with each change that the operator makes. */
	revision: integer('revision').notNull().default(0),
	/** The share of the daily cap that one partner's unpaid orders may use together, basis points. */
	unpaidShareBps: integer('unpaid_share_bps').notNull().default(2500),
	/** Days after its deposit window until a finished order is archived, where a bucket is bound; null: never. */
	archiveAfterDays: integer('archive_after_days').default(90),
	/** Days after which the body of a delivered webhook is dropped. */
	webhookBodyDays: integer('webhook_body_days').notNull().default(30),
	/** May partners view their secrets in the cabinet? */
	showsSecrets: integer('shows_secrets', { mode: 'boolean' }).notNull().default(true),
	/**
	 * The share of the least order that moving its deposit and what its recipient may burn cost at most, basis points.
	 */
	sweepShareBps: integer('sweep_share_bps').notNull().default(200),
	/** Hours that a deposit waits for a decision before it goes back by itself; null: for ever. */
	decisionHours: integer('decision_hours').default(72),
	/** A hot wallet that lasts fewer hours at the pace of the last day is told; null: never. */
	reserveHours: integer('reserve_hours').default(24),
	/**
	 * A refund that is asked for goes back by itself up to this worth, whole US dollars; 0: the operator plans each.
	 */
	askedRefundUsd: integer('asked_refund_usd').notNull().default(0),
	/** The highest default margin that partners may set in the cabinet, basis points. */
	ownMarginBps: integer('own_margin_bps').notNull().default(2000),
	/** How often at most partners may have their earnings paid by themselves, set in the cabinet. */
	ownPayouts: text('own_payouts').$type<OwnPayouts>().notNull().default('weekly'),
	/** The lowest minimum of such a payout, whole US dollars. */
	ownPayoutMinUsd: integer('own_payout_min_usd').notNull().default(20),
	/** Each hour what is owed, and what the wallets hold, is proven and published. */
	provesSolvency: integer('proves_solvency', { mode: 'boolean' }).notNull().default(false),
	/** Monero too, whose proof shows every coin that was paid to us and is not spent. */
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
		/** Whole USD, inclusive. */
		minUsd: integer('min_usd').notNull(),
		maxUsd: integer('max_usd').notNull(),
	}),
	(table) => [primaryKey({ columns: [table.fromAsset, table.toAsset] })],
);
