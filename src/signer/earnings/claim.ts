/**
 * Reads what D1 says of the payouts of partners' earnings that are to be signed. Each claim is judged before anything
 * is signed.
 */
import { and, asc, eq, gt } from 'drizzle-orm';
import type { PayoutColumns } from '../../orders/seal.ts';
import { partners } from '../../partners/table.ts';
import type { Db } from '../../platform/d1/database.ts';
import { isIn } from '../../platform/d1/lists.ts';
import { pick } from '../../platform/pick.ts';
import { ORDERS_PER_PAYOUT } from '../../treasury/earnings/store.ts';
import { partnerPayoutOrders, partnerPayouts } from '../../treasury/earnings/table.ts';
import { type TransactionRow, transactions } from '../../treasury/table.ts';

/** Order ids that one query reads. */
const ORDERS_PER_PAGE = 2_000;

/** The partner's payout address by D1, with its seal; not checked yet. */
export interface PaidTo extends PayoutColumns {
	readonly partnerId: string;
}

export interface EarningsClaim {
	readonly payout: TransactionRow;
	readonly paidTo: PaidTo;
	/** Orders whose earnings D1 says that the payout pays. If there are too many, at least one more than allowed. */
	readonly orderIds: readonly string[];
}

/** Leaves out transactions of another kind, and payouts of a partner that does not exist. */
export async function loadEarnings(db: Db, payoutIds: readonly string[]): Promise<EarningsClaim[]> {
	const among = isIn(transactions.id, payoutIds);
	const rows = await db
		.select({
			payout: transactions,
			paidTo: {
				partnerId: partnerPayouts.partnerId,
				...pick(partners, 'payoutAsset', 'payoutAddress', 'payoutAddressChangedAt', 'payoutSeal'),
			},
		})
		.from(transactions)
		.innerJoin(partnerPayouts, eq(partnerPayouts.id, transactions.id))
		.innerJoin(partners, eq(partners.id, partnerPayouts.partnerId))
		.where(and(among, eq(transactions.kind, 'earnings')));
	const claims: EarningsClaim[] = [];
	for (const { payout, paidTo } of rows) claims.push({ payout, paidTo, orderIds: await ordersOf(db, payout.id) });
	return claims;
}

async function ordersOf(db: Db, payoutId: string): Promise<string[]> {
	const orderIds: string[] = [];
	const { orderId } = partnerPayoutOrders;
	while (orderIds.length <= ORDERS_PER_PAYOUT) {
		const isNext = and(eq(partnerPayoutOrders.payoutId, payoutId), gt(orderId, orderIds.at(-1) ?? ''));
		const next = db.select({ orderId }).from(partnerPayoutOrders).where(isNext);
		const page = await next.orderBy(asc(orderId)).limit(ORDERS_PER_PAGE);
		orderIds.push(...page.map((row) => row.orderId));
		if (page.length < ORDERS_PER_PAGE) break;
	}
	return orderIds;
}
