/**
 * The payer names a transaction whose coins do not show. A look-up costs calls to nodes, so an order has a few of them, beside
 * the budget that all of the page's requests have. What is named records nothing but what the chain holds.
 */
import { and, eq, lt, sql } from 'drizzle-orm';
import { orders } from '../orders/table.ts';
import { databaseOf } from '../platform/d1/database.ts';
import { lookUpOn, networksOf, transactionIn } from '../treasury/strays/named.ts';
import type { NamedAnswer } from '../treasury/strays/named-answer.ts';
import { findForPayer, forgetOrder, type Reader } from './read.ts';

/** Look-ups of one order's payer, ever. The operator has more. */
const MOST = 20;

/** Null where the token is not the order's. The look-up is counted before it is made. */
export async function nameForPayer(
	reader: Reader,
	id: string,
	token: string,
	text: string,
): Promise<NamedAnswer | null> {
	const record = await findForPayer(reader, id, token);
	if (!record) return null;
	const { env } = reader;
	const { order } = record;
	const txId = transactionIn(text, order.fromNetwork);
	if (txId === null) return 'no id';
	const counted = await databaseOf(env)
		.update(orders)
		.set({ named: sql`${orders.named} + 1` })
		.where(and(eq(orders.id, id), lt(orders.named, MOST)))
		.returning({ id: orders.id });
	if (counted.length === 0) return 'used up';
	const found = await lookUpOn(env, networksOf(env, order), id, txId);
	forgetOrder(id);
	return found;
}
