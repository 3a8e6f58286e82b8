/** `order show` and `order delete`; `emergency.ts`, `screen.ts` and `orders/list.ts` have the others. */
import { and, asc, eq, isNull, type SQL, sql } from 'drizzle-orm';
import { findArchived } from '../../archive/find.ts';
import type { ArchivedOrder } from '../../archive/record.ts';
import { writeAuditIf } from '../../audit/log.ts';
import { explorerOf } from '../../chains/explorer.ts';
import { findOrder } from '../../orders/store.ts';
import { deposits, type OrderRow, orderChanges, orders } from '../../orders/table.ts';
import { orderView } from '../../orders/view.ts';
import { ledgerEntries } from '../../treasury/ledger/table.ts';
import { screenings } from '../../treasury/screening/table.ts';
import { transactions, transactionVersions } from '../../treasury/table.ts';
import { webhookDeliveries, webhookEvents } from '../../webhooks/table.ts';
import { type Context, fail, type RunOf, type RunsOf } from '../command.ts';
import { archivedOrNone, noSuchOrder } from '../orders/archived.ts';
import { attentionReasons } from '../orders/attention.ts';
import { doubtsOf, NO_DOUBTS } from '../orders/doubted.ts';
import { findOrders, listOrders } from '../orders/list.ts';
import {
	changeRecord,
	depositRecord,
	entryRecord,
	eventRecord,
	internalState,
	orderLine,
	transactionRecord,
} from '../orders/record.ts';
import { screeningRecord } from '../orders/screening.ts';
import { currentSettings } from '../settings/changes.ts';
import type { order as topic } from '../topics/order.ts';
import { finaliseOrder, refundOrder } from './emergency.ts';
import { findStray, keepStray } from './find-stray.ts';
import { returnStray } from './return-stray.ts';
import { screenOrder } from './screen.ts';
import { sweepOrder } from './sweep.ts';

/** Most rows of one kind in `order show`. Only an order that is flooded with dust has more. */
const SHOW_LIMIT = 500;

/** All that is on record of one order, read in one transaction; of each kind of row at most `SHOW_LIMIT`. */
const loadShown = (db: Context['db'], order: OrderRow) =>
	db.batch([
		db
			.select()
			.from(orderChanges)
			.where(eq(orderChanges.orderId, order.id))
			.orderBy(asc(orderChanges.sequence))
			.limit(SHOW_LIMIT),
		db
			.select()
			.from(deposits)
			.where(eq(deposits.orderId, order.id))
			.orderBy(asc(deposits.firstSeenAt))
			.limit(SHOW_LIMIT),
		db
			.select()
			.from(transactions)
			.where(eq(transactions.orderId, order.id))
			.orderBy(asc(transactions.plannedAt))
			.limit(SHOW_LIMIT),
		db
			.select({ version: transactionVersions })
			.from(transactionVersions)
			.innerJoin(transactions, eq(transactions.id, transactionVersions.transactionId))
			.where(eq(transactions.orderId, order.id))
			.orderBy(asc(transactionVersions.replacedAt))
			.limit(SHOW_LIMIT),
		db
			.select()
			.from(transactions)
			// Literal, because SQLite takes a partial index only for the words that it was made with.
			.where(and(ofPayInAddress(order), sql`${transactions.kind} in ('gas', 'sweep')`))
			.orderBy(asc(transactions.plannedAt))
			.limit(SHOW_LIMIT),
		db
			.select()
			.from(ledgerEntries)
			.where(eq(ledgerEntries.orderId, order.id))
			.orderBy(asc(ledgerEntries.at))
			.limit(SHOW_LIMIT),
		db
			.select()
			.from(webhookEvents)
			.where(eq(webhookEvents.orderId, order.id))
			.orderBy(asc(webhookEvents.sequence))
			.limit(SHOW_LIMIT),
		db
			.select({ delivery: webhookDeliveries })
			.from(webhookDeliveries)
			.innerJoin(webhookEvents, eq(webhookEvents.id, webhookDeliveries.eventId))
			.where(eq(webhookEvents.orderId, order.id))
			.orderBy(asc(webhookDeliveries.at))
			.limit(SHOW_LIMIT),
		db.select().from(screenings).where(eq(screenings.orderId, order.id)).limit(SHOW_LIMIT),
	]);

/** The same of an archived order. */
const shownOf = (archived: ArchivedOrder): Awaited<ReturnType<typeof loadShown>> => [
	[...archived.changes],
	[...archived.deposits],
	[...archived.transactions],
	archived.versions.map((version) => ({ version })),
	[...archived.sweeps],
	[...archived.entries],
	[...archived.events],
	archived.deliveries.map((delivery) => ({ delivery })),
	[...archived.screened],
];

const showOrder: RunOf<typeof topic, 'show'> = async (context, { id }) => {
	const { env, db, now } = context;
	const live = await findOrder(db, id);
	const archived = live ? null : await findArchived(db, env, id);
	const order = live ?? archived?.order;
	if (!order) return noSuchOrder(id);
	const [changes, depositRows, payoutRows, replaced, sweepRows, entries, events, deliveries, screened] = archived
		? shownOf(archived)
		: await loadShown(db, order);
	const switches = await currentSettings(context);
	const doubts = archived ? NO_DOUBTS : await doubtsOf(context, [order]);
	const byEvent = Map.groupBy(
		deliveries.map(({ delivery }) => delivery),
		({ eventId }) => eventId,
	);
	return {
		order: orderView(order, now),
		internal: internalState(order),
		attention: attentionReasons(order, { deposits: depositRows, transactions: payoutRows, screened }, switches, {
			now,
			isDoubted: doubts.orders.has(order.id),
		}),
		history: changes.map(changeRecord),
		deposits: depositRows.map((deposit) => ({ ...depositRecord(deposit), explorer: explorerOf(env, deposit) })),
		screening: screened.map(screeningRecord),
		payouts: payoutRows.map((transaction) => {
			const versions = replaced.map(({ version }) => version);
			const own = versions.filter(({ transactionId }) => transactionId === transaction.id);
			return { ...transactionRecord(transaction, own, switches), explorer: explorerOf(env, transaction) };
		}),
		sweeps: sweepRows.map((sweep) => ({ ...transactionRecord(sweep, [], switches), explorer: explorerOf(env, sweep) })),
		ledger: entries.map(entryRecord),
		webhooks: events.map((event) => eventRecord(event, byEvent.get(event.id) ?? [])),
	};
};

const ofPayInAddress = ({ fromNetwork, payInAddress }: OrderRow): SQL | undefined =>
	and(eq(transactions.network, fromNetwork), eq(transactions.payInAddress, payInAddress));

/**
 * Hides the order from its partner, in any status. What is owed is still paid, and a deposit that comes later shows up
 * in `--attention`. A NEW order gives its share of the daily cap back. Atomic: update and audit line are one batch.
 */
const deleteOrder: RunOf<typeof topic, 'delete'> = async (context, { id }) => {
	const { env, db, now } = context;
	const order = await findOrder(db, id);
	if (!order) return archivedOrNone(db, env, id);
	const condition: SQL | undefined = and(eq(orders.id, id), isNull(orders.deletedAt));
	const [, deleted] = await db.batch([
		writeAuditIf(
			context,
			{ command: 'order delete', subject: id, changes: { deleted: true, status: order.status } },
			sql`exists (select 1 from ${orders} where ${condition})`,
		),
		db
			.update(orders)
			.set({
				deletedAt: now,
				updatedAt: now,
				holdsCap: sql`case ${orders.status} when 'NEW' then 0 else ${orders.holdsCap} end`,
			})
			.where(condition)
			.returning(),
	]);
	return deleted[0] ? orderLine(deleted[0]) : fail(409, `order ${id} is deleted already`);
};

export const orderRuns: RunsOf<typeof topic> = {
	list: listOrders,
	find: findOrders,
	show: showOrder,
	finalise: finaliseOrder,
	refund: refundOrder,
	screen: screenOrder,
	sweep: sweepOrder,
	'find-stray': findStray,
	'keep-stray': keepStray,
	'return-stray': returnStray,
	delete: deleteOrder,
};
