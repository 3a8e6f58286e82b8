/** Everything that the service sends. */
import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { AssetId, TokenId } from '../catalog/assets.ts';
import type { NetworkName } from '../catalog/networks.ts';
import type { StopKind, StopReason } from './transactions/stop-reason.ts';

/**
 * `payout` and `refund` belong to an order, the others to none. `gas` is what a pay-in address needs for its own sweep.
 * `stray`: coins of another asset or network that came to a pay-in address go back. `token`: one that is not listed goes back,
 * straight from there; of `asset`, the network's coin, it moves nothing, and costs its fee.
 */
export type TransactionKind = 'payout' | 'refund' | 'earnings' | 'stray' | 'token' | 'withdrawal' | OwnKind;
type OwnKind = 'gas' | 'sweep' | 'consolidation';

export const transactions = /* @__PURE__ */ sqliteTable('transactions', () => ({
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
	sweepAsset: text('sweep_asset').$type<AssetId | TokenId>(),
	state: text('state').$type<'planned' | 'signed' | 'sent' | 'final'>().notNull(),
	raw: text('raw'),
	txId: text('tx_id'),
	fee: text('fee'),
	blockedKind: text('blocked_kind').$type<StopKind>(),
	blockedFacts: text('blocked_facts', { mode: 'json' }).$type<StopReason['facts']>(),
	plannedAt: integer('planned_at').notNull(),
	signedAt: integer('signed_at'),
	sentAt: integer('sent_at'),
	finalAt: integer('final_at'),
	nextAttemptAt: integer('next_attempt_at').notNull(),
	attempts: integer('attempts').notNull().default(0),
	settledTxId: text('settled_tx_id'),
	settlementSeal: text('settlement_seal'),
	waitsKind: text('waits_kind').$type<StopKind>(),
	waitsFacts: text('waits_facts', { mode: 'json' }).$type<StopReason['facts']>(),
	waitsSince: integer('waits_since'),
	/** The seal over what the partner earns with an order's payout. */
	earnedSeal: text('earned_seal'),
}));

export const transactionVersions = /* @__PURE__ */ sqliteTable(
	'transaction_versions',
	() => ({
		transactionId: text('transaction_id').notNull(),
		txId: text('tx_id').notNull(),
		raw: text('raw').notNull(),
		replacedAt: integer('replaced_at').notNull(),
	}),
	(table) => [primaryKey({ columns: [table.transactionId, table.txId] })],
);

export type TransactionRow = typeof transactions.$inferSelect;
