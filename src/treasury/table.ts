/** Payouts and the ledger: the tables of migrations/0004_treasury.sql, 0008_partner_payouts.sql, 0009_own_transactions.sql, 0011_sweeps.sql and 0013_reasons_and_kinds.sql. */
import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { AssetId } from '../catalog/assets.ts';
import type { NetworkName } from '../catalog/networks.ts';

/** `payout` and `refund` belong to an order, the others to none (migrations/0013_reasons_and_kinds.sql). */
export type TransactionKind = 'payout' | 'refund' | 'earnings' | 'gas' | 'sweep' | 'withdrawal' | 'consolidation';

export const transactions = sqliteTable('transactions', {
	id: text('id').primaryKey(),
	orderId: text('order_id'),
	kind: text('kind').$type<TransactionKind>().notNull(),
	network: text('network').$type<NetworkName>().notNull(),
	asset: text('asset').$type<AssetId>().notNull(),
	toAddress: text('to_address').notNull(),
	amount: text('amount').notNull(),
	usdCents: integer('usd_cents').notNull(),
	payInAddress: text('pay_in_address'),
	payInIndex: integer('pay_in_index'),
	sweepAsset: text('sweep_asset').$type<AssetId>(),
	state: text('state').$type<'planned' | 'signed' | 'sent' | 'final'>().notNull(),
	raw: text('raw'),
	txId: text('tx_id'),
	fee: text('fee'),
	held: text('held'),
	plannedAt: integer('planned_at').notNull(),
	signedAt: integer('signed_at'),
	sentAt: integer('sent_at'),
	finalAt: integer('final_at'),
	nextAttemptAt: integer('next_attempt_at').notNull(),
	attempts: integer('attempts').notNull().default(0),
	settledTxId: text('settled_tx_id'),
	settlementSeal: text('settlement_seal'),
	waitsBecause: text('waits_because'),
	waitsSince: integer('waits_since'),
});

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

export const partnerPayouts = sqliteTable('partner_payouts', {
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
});

export const partnerPayoutOrders = sqliteTable('partner_payout_orders', {
	orderId: text('order_id').primaryKey(),
	payoutId: text('payout_id').notNull(),
});

export const transactionVersions = sqliteTable(
	'transaction_versions',
	{
		transactionId: text('transaction_id').notNull(),
		txId: text('tx_id').notNull(),
		raw: text('raw').notNull(),
		replacedAt: integer('replaced_at').notNull(),
	},
	(table) => [primaryKey({ columns: [table.transactionId, table.txId] })],
);

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

export const sweepCandidates = sqliteTable(
	'sweep_candidates',
	{
		network: text('network').$type<NetworkName>().notNull(),
		orderId: text('order_id').notNull(),
		looks: integer('looks').notNull().default(0),
		nextLookAt: integer('next_look_at').notNull(),
	},
	(table) => [primaryKey({ columns: [table.network, table.orderId] })],
);

export type PartnerPayoutRow = typeof partnerPayouts.$inferSelect;
export type TransactionRow = typeof transactions.$inferSelect;
