/** `order show` and `order delete`; `emergency.ts`, `screen.ts` and `orders/list.ts` have the others. */
import { and, eq, isNull, type SQL, sql } from 'drizzle-orm';
import { findArchived } from '../../archive/find.ts';
import { writeAuditIf } from '../../audit/log.ts';
import { explorerOf } from '../../chains/explorer.ts';
import { findOrder } from '../../orders/store.ts';
import { orders } from '../../orders/table.ts';
import { orderView } from '../../orders/view.ts';
import { isoTime } from '../../platform/time.ts';
import { loadOne } from '../../treasury/archive/load.ts';
import { REPORT_SAYS } from '../attention/reports.ts';
import { fail, type RunOf, type RunsOf } from '../command.ts';
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
	screeningRecord,
	transactionRecord,
} from '../orders/record.ts';
import { currentSettings } from '../settings/changes.ts';
import type { order as topic } from '../topics/order.ts';
import { finaliseOrder, refundOrder, screenOrder } from './emergency.ts';
import { findStray, keepStray } from './find-stray.ts';
import { returnStray } from './return-stray.ts';
import { sweepOrder } from './sweep.ts';

/** Most rows of one kind in `order show`. Only an order that is flooded with dust has more. */
const SHOW_LIMIT = 500;

const showOrder: RunOf<typeof topic, 'show'> = async (context, { id }) => {
	const { env, db, now } = context;
	const live = await loadOne(db, id, SHOW_LIMIT);
	const shown = live ?? (await findArchived(db, env, id));
	if (!shown) return noSuchOrder(id);
	const { order, changes, sweeps, entries, events, screened } = shown;
	const switches = await currentSettings(context);
	const doubts = live ? await doubtsOf(context, [order]) : NO_DOUBTS;
	const byEvent = Map.groupBy(shown.deliveries, ({ eventId }) => eventId);
	const versions = Map.groupBy(shown.versions, ({ transactionId }) => transactionId);
	const isDoubted = doubts.orders.has(order.id);
	return {
		order: orderView(order, now),
		internal: internalState(order),
		reports: (order.reports ?? []).map(({ txId, at, says }) => ({ txId, at: isoTime(at), says: REPORT_SAYS[says] })),
		attention: attentionReasons(order, shown, switches, { now, isDoubted }),
		history: changes.map(changeRecord),
		deposits: shown.deposits.map((deposit) => ({ ...depositRecord(deposit), explorer: explorerOf(env, deposit) })),
		screening: screened.map(screeningRecord),
		payouts: shown.transactions.map((row) => {
			const own = versions.get(row.id) ?? [];
			return { ...transactionRecord(row, own, switches), explorer: explorerOf(env, row) };
		}),
		sweeps: sweeps.map((sweep) => ({ ...transactionRecord(sweep, [], switches), explorer: explorerOf(env, sweep) })),
		ledger: entries.map(entryRecord),
		webhooks: events.map((event) => eventRecord(event, byEvent.get(event.id) ?? [])),
	};
};

/**
 * Hides the order from its partner, in any status. What is owed is still paid, and a deposit that comes later shows up
 * in `--attention`. A NEW order gives its share of the daily cap back. Atomic: update and audit line are one batch.
 */
const deleteOrder: RunOf<typeof topic, 'delete'> = async (context, { id }) => {
	const { env, db, now } = context;
	const order = await findOrder(db, id);
	if (!order) return archivedOrNone(db, env, id);
	const condition: SQL | undefined = and(eq(orders.id, id), isNull(orders.deletedAt));
	const changes = { deleted: true, status: order.status };
	const isThere = sql`exists (select 1 from ${orders} where ${condition})`;
	const holdsCap = sql`case ${orders.status} when 'NEW' then 0 else ${orders.holdsCap} end`;
	const [, deleted] = await db.batch([
		writeAuditIf(context, { command: 'order delete', subject: id, changes }, isThere),
		db.update(orders).set({ deletedAt: now, updatedAt: now, holdsCap }).where(condition).returning(),
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
