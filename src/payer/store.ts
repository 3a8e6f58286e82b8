/** Reads an order for its payer, from D1 and the archive. */
import { and, eq, isNull } from 'drizzle-orm';
import { type ArchiveEnv, findArchived } from '../archive/find.ts';
import { type KeyVariables, keyRing } from '../crypto/key-ring.ts';
import { deposits, orders } from '../orders/table.ts';
import { type OrderPageSettings, openedOrderPage, type SealedPage } from '../partners/order-page.ts';
import { partners } from '../partners/table.ts';
import type { Db } from '../platform/d1/database.ts';
import type { Env } from '../ports/env.ts';
import { transactions } from '../treasury/table.ts';
import type { PayerRecord, PayerTransaction } from './order.ts';

/** Most rows of one kind; only an order that is flooded with dust has more. */
const MAX_ROWS = 100;

type RecordEnv = ArchiveEnv & KeyVariables & Pick<Env, 'WEBHOOK_LOOPBACK'>;

/** No column that an order has too: a batch's rows are read by their columns' names. */
const PAGE = { orderPage: partners.orderPage, orderPageSeal: partners.orderPageSeal };

/** The live order is under a seal of its own, an archived one under that of its batch. */
export type FoundRecord = PayerRecord & { readonly isArchived: boolean };

/**
 * Null for an order that is unknown or deleted. One round trip for a live order; an archived one takes three, and a read
 * of R2. @throws where the archive does not answer
 */
export async function readRecord(db: Db, env: RecordEnv, id: string): Promise<FoundRecord | null> {
	const [found, depositRows, sent] = await db.batch([
		db
			.select({ order: orders, ...PAGE })
			.from(orders)
			.innerJoin(partners, eq(partners.id, orders.partnerId))
			.where(and(eq(orders.id, id), isNull(orders.deletedAt))),
		db
			.select()
			.from(deposits)
			.where(eq(deposits.orderId, id))
			// Those that are no dust first.
			.orderBy(deposits.dust)
			.limit(MAX_ROWS),
		db.select(SENT).from(transactions).where(eq(transactions.orderId, id)).limit(MAX_ROWS),
	]);
	const [live] = found;
	if (!live) return archivedRecord(db, env, id);
	return {
		order: live.order,
		deposits: depositRows,
		transactions: sent,
		settings: await settingsOf(env, { partnerId: live.order.partnerId, ...live }),
		isArchived: false,
	};
}

const SENT = {
	id: transactions.id,
	kind: transactions.kind,
	state: transactions.state,
	amount: transactions.amount,
	sentAt: transactions.sentAt,
	plannedAt: transactions.plannedAt,
} satisfies Record<keyof PayerTransaction, unknown>;

async function archivedRecord(db: Db, env: RecordEnv, id: string): Promise<FoundRecord | null> {
	const archived = await findArchived(db, env, id);
	if (!archived || archived.order.deletedAt !== null) return null;
	const { order, deposits: depositRows, transactions: sent } = archived;
	const [partner] = await db.select(PAGE).from(partners).where(eq(partners.id, order.partnerId));
	const page = partner ?? { orderPage: {}, orderPageSeal: null };
	const settings = await settingsOf(env, { partnerId: order.partnerId, ...page });
	return { order, deposits: depositRows, transactions: sent, settings, isArchived: true };
}

const settingsOf = (env: RecordEnv, page: SealedPage): Promise<OrderPageSettings> =>
	openedOrderPage(keyRing(env, 'SEAL_KEY'), page, env.WEBHOOK_LOOPBACK === 'allowed');
