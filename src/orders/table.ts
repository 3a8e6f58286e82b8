/** Tables of migrations/0001_schema.sql, where each invariant and index is explained. */
import { type SQL, sql } from 'drizzle-orm';
import { integer, primaryKey, sqliteTable, text, unique } from 'drizzle-orm/sqlite-core';
import type { AssetId } from '../catalog/assets.ts';
import type { NetworkName } from '../catalog/networks.ts';
import type { PayerReport } from './reports.ts';
import type { EmergencyReason, OrderStatus } from './status.ts';
import type { StrayCopy, UnlistedCopy } from './strays.ts';

export type RefundAsker = 'payer' | 'partner';

export const orders = /* @__PURE__ */ sqliteTable('orders', () => ({
	id: text('id').primaryKey(),
	partnerId: text('partner_id').notNull(),
	fromAsset: text('from_asset').$type<AssetId>().notNull(),
	fromNetwork: text('from_network').$type<NetworkName>().notNull(),
	toAsset: text('to_asset').$type<AssetId>().notNull(),
	toNetwork: text('to_network').$type<NetworkName>().notNull(),
	direction: text('direction').$type<'from' | 'to'>().notNull(),
	toAddress: text('to_address').notNull(),
	refundAddress: text('refund_address').notNull(),
	payInAddress: text('pay_in_address').notNull(),
	payInIndex: integer('pay_in_index').notNull(),
	baseFeeBps: integer('base_fee_bps').notNull(),
	/** The part of `baseFeeBps` that the reserves added; below zero what they took off. */
	leanBps: integer('lean_bps').notNull(),
	afftaxBps: integer('afftax_bps').notNull(),
	/** The floor under the rate, for `fromAmount`: plain decimal of the destination asset. Null: none. */
	minToAmount: text('min_to_amount'),
	seal: text('seal').notNull(),
	tokenHash: text('token_hash').notNull(),
	idempotencyKey: text('idempotency_key'),
	requestHash: text('request_hash').notNull(),
	fromAmount: text('from_amount').notNull(),
	toAmount: text('to_amount').notNull(),
	rate: text('rate').notNull(),
	networkFee: text('network_fee').notNull(),
	usdCents: integer('usd_cents').notNull(),
	capDay: text('cap_day').notNull(),
	holdsCap: integer('holds_cap', { mode: 'boolean' }).notNull().default(true),
	status: text('status').$type<OrderStatus>().notNull().default('NEW'),
	sequence: integer('sequence').notNull().default(0),
	emergencyReasons: text('emergency_reasons', { mode: 'json' })
		.$type<readonly EmergencyReason[]>()
		.notNull()
		.default([]),
	limitSide: text('limit_side').$type<'below' | 'above'>(),
	emergencyChoice: text('emergency_choice'),
	factsAt: integer('facts_at').notNull().default(0),
	depositTxId: text('deposit_tx_id'),
	depositAmount: text('deposit_amount'),
	payoutTxId: text('payout_tx_id'),
	payoutAmount: text('payout_amount'),
	refundTxId: text('refund_tx_id'),
	createdAt: integer('created_at').notNull(),
	expiresAt: integer('expires_at').notNull(),
	watchUntil: integer('watch_until').notNull(),
	updatedAt: integer('updated_at').notNull(),
	finishedAt: integer('finished_at'),
	deletedAt: integer('deleted_at'),
	referenceCode: text('reference_code'),
	dustCount: integer('dust_count').notNull().default(0),
	dustSum: text('dust_sum').notNull().default('0 0 0 0 fits'),
	/** The partner's own reference. */
	externalId: text('external_id'),
	externalIdUnique: integer('external_id_unique', { mode: 'boolean' }).notNull().default(false),
	/** The part of `usdCents` that the final deposits pay. */
	paidCents: integer('paid_cents').notNull().default(0),
	/** Arrivals of another asset or network. */
	strays: text('strays', { mode: 'json' }).$type<readonly (StrayCopy | UnlistedCopy)[]>(),
	/** Transactions that the payer has named. */
	named: integer('named').notNull().default(0),
	/** Base units: a deposit of fewer is dust. */
	dustBelow: text('dust_below').notNull(),
	/** Unix milliseconds of the choice. */
	chosenAt: integer('chosen_at'),
	/** Unix milliseconds; null where no refund is asked for. */
	refundAskedAt: integer('refund_asked_at'),
	refundAskedBy: text('refund_asked_by').$type<RefundAsker>(),
	/** Transactions that the payer reported as lost. */
	reports: text('reports', { mode: 'json' }).$type<readonly PayerReport[]>(),
	/** Unix milliseconds of the newest one that waits for the operator. */
	reportedAt: integer('reported_at'),
	/** Id of the app key that made it. */
	appKey: text('app_key'),
}));

export const orderChanges = /* @__PURE__ */ sqliteTable(
	'order_changes',
	() => ({
		number: integer('number').primaryKey({ autoIncrement: true }),
		orderId: text('order_id').notNull(),
		sequence: integer('sequence').notNull(),
		status: text('status').$type<OrderStatus>().notNull(),
		previousStatus: text('previous_status').$type<OrderStatus>(),
		cause: text('cause').notNull(),
		at: integer('at').notNull(),
	}),
	(table) => [unique().on(table.orderId, table.sequence)],
);

export const dailyVolume = /* @__PURE__ */ sqliteTable('daily_volume', () => ({
	day: text('day').primaryKey(),
	usdCents: integer('usd_cents').notNull(),
}));

/** The share of the daily cap that a partner's unpaid orders hold, by UTC day; triggers keep it. */
export const unpaidVolume = /* @__PURE__ */ sqliteTable(
	'unpaid_volume',
	() => ({
		partnerId: text('partner_id').notNull(),
		day: text('day').notNull(),
		usdCents: integer('usd_cents').notNull(),
		orders: integer('orders').notNull(),
	}),
	(table) => [primaryKey({ columns: [table.partnerId, table.day] })],
);

export const deposits = /* @__PURE__ */ sqliteTable(
	'deposits',
	() => ({
		network: text('network').$type<NetworkName>().notNull(),
		txId: text('tx_id').notNull(),
		position: text('position').notNull(),
		orderId: text('order_id').notNull(),
		address: text('address').notNull(),
		asset: text('asset').$type<AssetId>().notNull(),
		amount: text('amount').notNull(),
		state: text('state').$type<'seen' | 'final' | 'gone'>().notNull(),
		dust: integer('dust', { mode: 'boolean' }).notNull().default(false),
		payoutId: text('payout_id'),
		firstSeenAt: integer('first_seen_at').notNull(),
		lastSeenAt: integer('last_seen_at').notNull(),
		setAside: integer('set_aside', { mode: 'boolean' }).notNull().default(false),
	}),
	(table) => [primaryKey({ columns: [table.network, table.txId, table.position, table.address] })],
);

export type OrderRow = typeof orders.$inferSelect;
export type NewOrderRow = typeof orders.$inferInsert;
export type DepositRow = typeof deposits.$inferSelect;

/** An order that waits for its partner's decision: nothing of it is on its way back. */
export const isUndecided = (): SQL =>
	sql`${orders.status} = 'EMERGENCY' and ${orders.emergencyChoice} is null and ${orders.deletedAt} is null
		and not exists (select 1 from transactions
			where transactions.order_id = ${orders.id} and transactions.state in ('planned', 'signed'))`;
