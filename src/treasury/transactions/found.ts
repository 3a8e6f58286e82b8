/**
 * Plans what was paid already: a payout or refund that the chain shows and nothing on record accounts for, after a
 * restore or a lost journal (`restored paid`). It is planned in the amount that was paid, and never signed: the signer
 * records the payment in its place. Between what was settled and what was paid the difference is the house's.
 */
import { and, eq } from 'drizzle-orm';
import { assetOf } from '../../catalog/assets.ts';
import type { SealKeys } from '../../crypto/seals.ts';
import { decimal, usdCents } from '../../money/decimal.ts';
import { fromBaseUnits, sumOf } from '../../money/units.ts';
import { sealSettlement } from '../../orders/seal.ts';
import { settle } from '../../orders/settlement.ts';
import { type DepositRow, deposits, type OrderRow } from '../../orders/table.ts';
import { runBatch } from '../../platform/d1/batches.ts';
import type { Db } from '../../platform/d1/database.ts';
import type { JournalPayment, OlderPayment } from '../../ports/copy.ts';
import { type Market, usdPrice } from '../../pricing/market.ts';
import { planPayout } from '../deposits/plan-payout.ts';
import { loadOrders, unclaimedDeposits } from '../deposits/settle-store.ts';
import { moveOrder } from '../move-order.ts';
import { type TransactionRow, transactions } from '../table.ts';
import { refundStatements } from './refund.ts';
import { findTransaction } from './store.ts';

export interface FoundMeans {
	readonly sealKeys: SealKeys;
	readonly market: Market;
	readonly now: number;
}

/** With the id under which it was signed, and the deposits that it paid for, where the signer's journal has it. */
export type FoundPayment = OlderPayment & Partial<Pick<JournalPayment, 'payoutId' | 'deposits' | 'afftax'>>;

type Planned = { readonly row: TransactionRow } | { readonly because: string };

/** Atomic: one batch. @throws where the order has moved meanwhile */
export async function planFound(db: Db, order: OrderRow, payment: FoundPayment, means: FoundMeans): Promise<Planned> {
	const paidFor = (await unclaimedDeposits(db, order.id)).filter(isPaidBy(payment));
	const received = sumOf(paidFor);
	if (received === 0n) return { because: 'this order has no final deposit yet; run it again once it has' };
	const price = usdPrice(means.market, assetOf(order.fromAsset), means.now);
	if (!price) return { because: `there is no fresh price of ${order.fromAsset}; run it again later` };
	const payoutId = payment.payoutId ?? crypto.randomUUID();
	if (payment.kind === 'payout') return planPaid(db, order, { payoutId, payment }, means);
	if (BigInt(payment.amount) > received)
		return { because: 'it is more than the deposits that wait; run it again once all of them are final' };
	const coins = decimal(fromBaseUnits(received, assetOf(order.fromAsset).decimals));
	const refund = { payoutId, order, amount: payment.amount, usdCents: usdCents(coins.times(price)), deposits: paidFor };
	await runBatch(db, await refundStatements(db, refund, means));
	return rowOf(db, payoutId);
}

const isPaidBy =
	({ kind, deposits: named }: FoundPayment) =>
	({ txId, position, dust }: Pick<DepositRow, 'txId' | 'position' | 'dust'>): boolean =>
		named ? named.some((each) => each.txId === txId && each.position === position) : kind === 'refund' || !dust;

async function planPaid(
	db: Db,
	{ id }: OrderRow,
	{ payoutId, payment }: { readonly payoutId: string; readonly payment: FoundPayment },
	{ sealKeys, market, now }: FoundMeans,
): Promise<Planned> {
	const [loaded] = await loadOrders(db, [id]);
	if (!loaded) return { because: `there is no order ${id}` };
	const { order, rows } = loaded;
	if (order.status !== 'PENDING' && order.status !== 'EMERGENCY')
		return { because: `the order is ${order.status}; run it again once it is PENDING, EMERGENCY or has a payout` };
	const paid = BigInt(payment.amount);
	const paidFor = rows
		.filter(({ state, payoutId: by, setAside }) => state === 'final' && by === null && !setAside)
		.filter(isPaidBy(payment));
	const received = sumOf(paidFor);
	const settled = received > 0n ? settle(order, received, market, now) : null;
	if (!settled) return { because: 'there is no fresh price, or no final deposit; run it again later' };
	const settlement = { ...settled, owed: paid, ...(payment.afftax && { afftax: BigInt(payment.afftax) }) };
	const planned = await planPayout(db, { payoutId, order, settlement, paidFor }, sealKeys, now);
	const step = { status: 'EXCHANGE', cause: 'paid before the restore', settlement } as const;
	const moved = moveOrder(db, { order, steps: [step], deposits: [], planned }, now, () => crypto.randomUUID());
	await runBatch(db, moved.statements);
	return rowOf(db, payoutId);
}

async function rowOf(db: Db, payoutId: string): Promise<Planned> {
	const row = await findTransaction(db, payoutId);
	return row ? { row } : { because: 'it was not planned; run it again' };
}

/** The planned row is for this amount from now on; with a new seal of its settlement. Atomic: one statement. */
export async function restate(
	db: Db,
	sealKeys: SealKeys,
	{ id, orderId, kind, asset, amount: before, plannedAt }: TransactionRow,
	amount: string,
): Promise<void> {
	if (orderId === null || (kind !== 'payout' && kind !== 'refund')) return;
	const paidFor = await db
		.select()
		.from(deposits)
		.where(and(eq(deposits.orderId, orderId), eq(deposits.payoutId, id)));
	const terms = { payoutId: id, orderId, kind, asset, amount, plannedAt, deposits: paidFor };
	const settlementSeal = await sealSettlement(sealKeys, terms);
	const isAsRead = and(eq(transactions.id, id), eq(transactions.state, 'planned'), eq(transactions.amount, before));
	await db.update(transactions).set({ amount, settlementSeal }).where(isAsRead);
}
