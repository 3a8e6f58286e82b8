/** `order list`, `order show` and `order delete`; `emergency.ts` has the other two. */
import { and, asc, desc, eq, isNull, type SQL, sql } from 'drizzle-orm';
import { writeAuditIf } from '../../audit/log.ts';
import type { OrderStatus } from '../../orders/status.ts';
import { findOrder } from '../../orders/store.ts';
import { deposits, type OrderRow, orderChanges, orders } from '../../orders/table.ts';
import { orderView } from '../../orders/view.ts';
import { findPartner } from '../../partners/store.ts';
import { ledgerEntries } from '../../treasury/ledger/table.ts';
import { transactions, transactionVersions } from '../../treasury/table.ts';
import { webhookDeliveries, webhookEvents } from '../../webhooks/table.ts';
import { type Context, type Failure, fail, type RunOf, type RunsOf } from '../command.ts';
import { attentionReasons, waiting } from '../orders/attention.ts';
import { factsOfOrders } from '../orders/facts.ts';
import {
	changeRecord,
	depositRecord,
	entryRecord,
	eventRecord,
	internalState,
	orderLine,
	transactionRecord,
} from '../orders/record.ts';
import { currentSettings } from '../settings/changes.ts';
import type { order as topic } from '../topics/order.ts';
import { finaliseOrder, refundOrder } from './emergency.ts';

/** Most rows of one kind in `order show`. Only an order that is flooded with dust has more. */
const SHOW_LIMIT = 500;

const noSuchPartner = (id: string): Failure => fail(404, `there is no partner ${id}`);
const noSuchOrder = (id: string): Failure => fail(404, `there is no order ${id}`);

/** As its index has it (migrations/0026_kept_balances.sql). */
const isStatus = (status: OrderStatus): SQL => sql`lower(${orders.status}) = ${status.toLowerCase()}`;

const listOrders: RunOf<typeof topic, 'list'> = async (context, { status, partner, attention, limit }) => {
	const rows = await context.db
		.select()
		.from(orders)
		.where(
			and(
				status && (partner === undefined ? isStatus(status) : eq(orders.status, status)),
				partner === undefined ? undefined : eq(orders.partnerId, partner),
				attention ? waiting(context.now) : undefined,
			),
		)
		.orderBy(desc(orders.createdAt), orders.id)
		.limit(limit);
	if (rows.length === 0 && partner !== undefined && !(await findPartner(context.db, partner)))
		return noSuchPartner(partner);
	if (!attention) return rows.map(orderLine);
	const facts = await factsOfOrders(
		context.db,
		rows.map(({ id }) => id),
	);
	const switches = await currentSettings(context);
	return rows.flatMap((order) => {
		const reasons = attentionReasons(
			order,
			facts.deposits.get(order.id) ?? [],
			facts.payouts.get(order.id) ?? [],
			switches,
			context.now,
		);
		return reasons.length === 0 ? [] : [{ ...orderLine(order), attention: reasons }];
	});
};

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
	]);

const showOrder: RunOf<typeof topic, 'show'> = async (context, { id }) => {
	const { db, now } = context;
	const order = await findOrder(db, id);
	if (!order) return noSuchOrder(id);
	const [changes, depositRows, payoutRows, replaced, sweepRows, entries, events, deliveries] = await loadShown(
		db,
		order,
	);
	const switches = await currentSettings(context);
	const byEvent = Map.groupBy(
		deliveries.map(({ delivery }) => delivery),
		({ eventId }) => eventId,
	);
	return {
		order: orderView(order, now),
		internal: internalState(order),
		attention: attentionReasons(order, depositRows, payoutRows, switches, now),
		history: changes.map(changeRecord),
		deposits: depositRows.map(depositRecord),
		payouts: payoutRows.map((transaction) => {
			const versions = replaced.map(({ version }) => version);
			return transactionRecord(
				transaction,
				versions.filter(({ transactionId }) => transactionId === transaction.id),
				switches,
			);
		}),
		sweeps: sweepRows.map((sweep) => transactionRecord(sweep, [], switches)),
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
const deleteOrder: RunOf<typeof topic, 'delete'> = async ({ db, now }, { id }) => {
	const order = await findOrder(db, id);
	if (!order) return noSuchOrder(id);
	const condition: SQL | undefined = and(eq(orders.id, id), isNull(orders.deletedAt));
	const [, deleted] = await db.batch([
		writeAuditIf(
			db,
			{ at: now, command: 'order delete', subject: id, changes: { deleted: true, status: order.status } },
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
	show: showOrder,
	finalise: finaliseOrder,
	refund: refundOrder,
	delete: deleteOrder,
};
