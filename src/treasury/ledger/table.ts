/**
 * The books in double entry, the reserve, and the balances that triggers keep, and what nothing accounts for.
 */
import { integer, primaryKey, sqliteTable, text, unique } from 'drizzle-orm/sqlite-core';
import type { AssetId } from '../../catalog/assets.ts';
import type { NetworkName } from '../../catalog/networks.ts';
import type { TransactionKind } from '../table.ts';

export const ledgerEntries = /* @__PURE__ */ sqliteTable(
	'ledger_entries',
	() => ({
		number: integer('number').primaryKey({ autoIncrement: true }),
		orderId: text('order_id').notNull(),
		cause: text('cause').notNull(),
		account: text('account').notNull(),
		asset: text('asset').$type<AssetId>().notNull(),
		amount: text('amount').notNull(),
		at: integer('at').notNull(),
	}),
	(table) => [unique().on(table.orderId, table.cause, table.account, table.asset)],
);

/** Sums that the operator put into the hot wallets. */
export const reserveEntries = /* @__PURE__ */ sqliteTable(
	'reserve_entries',
	() => ({
		network: text('network').$type<NetworkName>().notNull(),
		txId: text('tx_id').notNull(),
		position: text('position').notNull(),
		asset: text('asset').$type<AssetId>().notNull(),
		amount: text('amount').notNull(),
		at: integer('at').notNull(),
		returnedFrom: text('returned_from'),
	}),
	(table) => [primaryKey({ columns: [table.network, table.txId, table.position, table.asset] })],
);

/** A kept sum of base units: limbs of nine digits, the highest first (`platform/d1/exact-sum.ts`). */
export const limbs = () => ({
	limb3: integer('limb_3').notNull().default(0),
	limb2: integer('limb_2').notNull().default(0),
	limb1: integer('limb_1').notNull().default(0),
	limb0: integer('limb_0').notNull().default(0),
});

/** A bounded number of orders whose entries are proven together. Number 0 is the opening balance. */
export const ledgerPieces = /* @__PURE__ */ sqliteTable('ledger_pieces', () => ({
	number: integer('number').primaryKey(),
	orders: integer('orders').notNull().default(0),
	changed: integer('changed', { mode: 'boolean' }).notNull().default(true),
	provenAt: integer('proven_at').notNull().default(0),
	sealedUntil: integer('sealed_until').notNull().default(0),
	seal: text('seal'),
}));

export const ledgerOrders = /* @__PURE__ */ sqliteTable('ledger_orders', () => ({
	orderId: text('order_id').primaryKey(),
	piece: integer('piece').notNull(),
}));

export const ledgerBalances = /* @__PURE__ */ sqliteTable(
	'ledger_balances',
	() => ({
		account: text('account').notNull(),
		asset: text('asset').$type<AssetId>().notNull(),
		piece: integer('piece').notNull(),
		entries: integer('entries').notNull(),
		...limbs(),
	}),
	(table) => [primaryKey({ columns: [table.account, table.asset, table.piece] })],
);

export const partnerDues = /* @__PURE__ */ sqliteTable(
	'partner_dues',
	() => ({ partnerId: text('partner_id').notNull(), asset: text('asset').$type<AssetId>().notNull(), ...limbs() }),
	(table) => [primaryKey({ columns: [table.partnerId, table.asset] })],
);

/** `day`: days since 1970 in UTC; -1 is of deleted rows. */
export const walletFlows = /* @__PURE__ */ sqliteTable(
	'wallet_flows',
	() => ({
		network: text('network').$type<NetworkName>().notNull(),
		day: integer('day').notNull(),
		kind: text('kind').$type<TransactionKind>().notNull(),
		asset: text('asset').$type<AssetId>().notNull(),
		transactions: integer('transactions').notNull(),
		moved3: integer('moved_3').notNull().default(0),
		moved2: integer('moved_2').notNull().default(0),
		moved1: integer('moved_1').notNull().default(0),
		moved0: integer('moved_0').notNull().default(0),
		fee3: integer('fee_3').notNull().default(0),
		fee2: integer('fee_2').notNull().default(0),
		fee1: integer('fee_1').notNull().default(0),
		fee0: integer('fee_0').notNull().default(0),
	}),
	(table) => [primaryKey({ columns: [table.network, table.day, table.kind, table.asset] })],
);

export const deletedHoldings = /* @__PURE__ */ sqliteTable('deleted_holdings', () => ({
	asset: text('asset').$type<AssetId>().primaryKey(),
	...limbs(),
}));

/** Final deposits. `part`: the first two characters of the order's id; '' is of deleted ones. */
export const depositSums = /* @__PURE__ */ sqliteTable(
	'deposit_sums',
	() => ({
		asset: text('asset').$type<AssetId>().notNull(),
		part: text('part').notNull(),
		deposits: integer('deposits').notNull(),
		...limbs(),
	}),
	(table) => [primaryKey({ columns: [table.asset, table.part] })],
);

/** Orders whose entries the running batch folds; empty between batches. */
export const ledgerFolds = /* @__PURE__ */ sqliteTable('ledger_folds', () => ({
	orderId: text('order_id').primaryKey(),
	entries: integer('entries').notNull(),
	piece: integer('piece').notNull(),
	seal: text('seal'),
	openingSeal: text('opening_seal'),
}));

/** Sums that came to pay-in addresses beyond the deposits on record, on networks that sweep; base units. */
export const overflows = /* @__PURE__ */ sqliteTable(
	'overflows',
	() => ({
		network: text('network').$type<NetworkName>().notNull(),
		address: text('address').notNull(),
		asset: text('asset').$type<AssetId>().notNull(),
		orderId: text('order_id').notNull(),
		counted: text('counted').notNull(),
		swept: text('swept').notNull(),
		at: integer('at').notNull(),
		dueAt: integer('due_at'),
	}),
	(table) => [primaryKey({ columns: [table.network, table.address, table.asset] })],
);

/** Receipts of our addresses that nothing accounts for; base units. */
export const unattributed = /* @__PURE__ */ sqliteTable('unattributed', () => ({
	asset: text('asset').$type<AssetId>().primaryKey(),
	counted: text('counted').notNull(),
	open: text('open').notNull(),
	booked: text('booked').notNull().default('0'),
	at: integer('at').notNull(),
}));

export const arrivalMarks = /* @__PURE__ */ sqliteTable('arrival_marks', () => ({
	network: text('network').$type<NetworkName>().primaryKey(),
	cursor: text('cursor').notNull(),
	settled: integer('settled').notNull(),
	writes: integer('writes').notNull(),
	readFrom: integer('read_from'),
}));
