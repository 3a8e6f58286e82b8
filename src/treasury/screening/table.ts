/** Verdicts about deposits and addresses. */
import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { NetworkName } from '../../catalog/networks.ts';

export type Verdict = 'accept' | 'hold' | 'refund';

/** A deposit; the address that the order pays to; the address that its refund goes to. */
export type SubjectKind = 'deposit' | 'recipient' | 'refund';

export const screenings = /* @__PURE__ */ sqliteTable(
	'screenings',
	() => ({
		orderId: text('order_id').notNull(),
		subject: text('subject').$type<SubjectKind>().notNull(),
		txId: text('tx_id').notNull(),
		position: text('position').notNull(),
		address: text('address').notNull(),
		fromNetwork: text('from_network').$type<NetworkName>().notNull(),
		verdict: text('verdict').$type<Verdict>().notNull(),
		decidedBy: text('decided_by').$type<'service' | 'operator'>().notNull(),
		note: text('note'),
		attempts: integer('attempts').notNull().default(0),
		at: integer('at').notNull(),
		nextAskAt: integer('next_ask_at'),
	}),
	(table) => [primaryKey({ columns: [table.orderId, table.subject, table.txId, table.position, table.address] })],
);

export type ScreeningRow = typeof screenings.$inferSelect;
