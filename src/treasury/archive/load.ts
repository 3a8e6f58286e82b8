/** All rows of the orders that are to be archived, and a fingerprint of them. */
import { type SQL, type SQLWrapper, sql } from 'drizzle-orm';
import type { ArchivedOrder } from '../../archive/record.ts';
import { deposits, orderChanges, orders } from '../../orders/table.ts';
import type { Db } from '../../platform/d1/database.ts';
import { inJson, isIn } from '../../platform/d1/lists.ts';
import { webhookDeliveries, webhookEvents } from '../../webhooks/table.ts';
import { partnerPayoutOrders } from '../earnings/table.ts';
import { ledgerEntries } from '../ledger/table.ts';
import { screenings } from '../screening/table.ts';
import { transactions, transactionVersions } from '../table.ts';
import { isArchivable } from './select.ts';

/** Gas and sweeps of the orders' pay-in addresses, in the words of their partial index. */
export const isSweepOf = (ids: readonly string[]): SQL =>
	sql`${transactions.kind} in ('gas', 'sweep', 'token') and (${transactions.network}, ${transactions.payInAddress}) in
		(select from_network, pay_in_address from orders where id in ${inJson(ids)})`;

export const isVersionOf = (ids: readonly string[]): SQL => sql`${transactionVersions.transactionId} in (
	select id from transactions where order_id in ${inJson(ids)}
	union all select id from transactions where kind in ('gas', 'sweep', 'token') and (network, pay_in_address) in
		(select from_network, pay_in_address from orders where id in ${inJson(ids)}))`;

export const isDeliveryOf = (ids: readonly string[]): SQL =>
	sql`${webhookDeliveries.eventId} in (select id from webhook_events where order_id in ${inJson(ids)})`;

/**
 * How many of the orders may be archived, and counts and times of all their rows, as one text, a list in JSON: a chain of
 * `||` as long would be deeper than the hundred levels of an expression that D1 allows. Rows that anybody added, changed or
 * deleted change it: deposits by a poll, webhooks by `webhook redeliver` and by pruning, the order by `order delete`.
 * Transactions and entries that are final never change.
 */
export const fingerprint = (ids: readonly string[], before: number): SQL<string> => sql<string>`(
	with ids as materialized (select value as id from json_each(${JSON.stringify(ids)}))
	select json_array((select count(*) from orders where id in (select id from ids) and ${isArchivable(before)}),
		(select count(*) || ' ' || total(updated_at) || ' ' || total(sequence) from orders where id in (select id from ids)),
		(select count(*) from order_changes where order_id in (select id from ids)),
		(select count(*) || ' ' || count(payout_id) || ' ' || total(last_seen_at) from deposits where order_id in (select id from ids)),
		(select count(*) || ' ' || total(final_at) from transactions where order_id in (select id from ids)),
		(select count(*) || ' ' || total(at) from ledger_entries where order_id in (select id from ids)),
		(select count(*) || ' ' || total(attempts) from webhook_events where order_id in (select id from ids)),
		(select count(*) || ' ' || total(at) from screenings where order_id in (select id from ids)),
		(select count(*) from webhook_deliveries where event_id in
			(select id from webhook_events where order_id in (select id from ids))))
)`;

export interface Loaded {
	readonly orders: readonly ArchivedOrder[];
	readonly fingerprint: string;
}

const screeningsAmong = (db: Db, ids: readonly string[]) =>
	db.select().from(screenings).where(isIn(screenings.orderId, ids));

/** All rows of these orders, at most so many of a kind. */
function rowsOf(db: Db, ids: readonly string[], most: number) {
	const ofOrder = (column: SQLWrapper) => isIn(column, ids);
	const { orderId, sequence } = orderChanges;
	const sent = (which: SQL) =>
		db.select().from(transactions).where(which).orderBy(transactions.plannedAt, transactions.id).limit(most);
	return [
		db.select().from(orders).where(ofOrder(orders.id)),
		db.select().from(orderChanges).where(ofOrder(orderId)).orderBy(orderId, sequence).limit(most),
		db
			.select()
			.from(deposits)
			.where(ofOrder(deposits.orderId))
			.orderBy(deposits.firstSeenAt, deposits.txId, deposits.position)
			.limit(most),
		sent(ofOrder(transactions.orderId)),
		sent(isSweepOf(ids)),
		db
			.select()
			.from(transactionVersions)
			.where(isVersionOf(ids))
			.orderBy(transactionVersions.replacedAt, transactionVersions.txId)
			.limit(most),
		db
			.select()
			.from(ledgerEntries)
			.where(ofOrder(ledgerEntries.orderId))
			.orderBy(ledgerEntries.at, ledgerEntries.cause, ledgerEntries.account, ledgerEntries.asset)
			.limit(most),
		db
			.select()
			.from(webhookEvents)
			.where(ofOrder(webhookEvents.orderId))
			.orderBy(webhookEvents.sequence, webhookEvents.id)
			.limit(most),
		db
			.select()
			.from(webhookDeliveries)
			.where(isDeliveryOf(ids))
			.orderBy(webhookDeliveries.at, webhookDeliveries.eventId, webhookDeliveries.attempt)
			.limit(most),
		db.select().from(partnerPayoutOrders).where(ofOrder(partnerPayoutOrders.orderId)),
		screeningsAmong(db, ids).limit(most),
	] as const;
}

/** No limit: Drizzle leaves a negative one out. */
const ALL = -1;

/** Read in one transaction of D1. In the order of the ids. */
export async function loadWhole(db: Db, ids: readonly string[], before: number): Promise<Loaded> {
	const [[read], ...rows] = await db.batch([
		db.select({ fingerprint: fingerprint(ids, before) }).from(sql`(select 1)`),
		...rowsOf(db, ids, ALL),
	]);
	return { orders: gathered(ids, rows), fingerprint: read?.fingerprint ?? '' };
}

const loadRows = (db: Db, id: string, most: number) => db.batch(rowsOf(db, [id], most));

/** The same of one order, at most so many rows of a kind; undefined where there is none. */
export async function loadOne(db: Db, id: string, most: number): Promise<ArchivedOrder | undefined> {
	return gathered([id], await loadRows(db, id, most))[0];
}

function gathered(ids: readonly string[], rows: Readonly<Awaited<ReturnType<typeof loadRows>>>): ArchivedOrder[] {
	const [orderRows, changeRows, depositRows, sent, ofAddresses, replaced, ...others] = rows;
	const [entryRows, eventRows, deliveryRows, paidRows, screeningRows] = others;
	const byOrder = <Row extends { readonly orderId: string | null }>(all: readonly Row[]) =>
		Map.groupBy(all, ({ orderId }) => orderId);
	const [changes, deposited, payments] = [byOrder(changeRows), byOrder(depositRows), byOrder(sent)];
	const [entries, events, paid] = [byOrder(entryRows), byOrder(eventRows), byOrder(paidRows)];
	const screened = byOrder(screeningRows);
	const place = (network: string, address: string | null) => `${network} ${address}`;
	const sweeps = Map.groupBy(ofAddresses, ({ network, payInAddress }) => place(network, payInAddress));
	const versions = Map.groupBy(replaced, ({ transactionId }) => transactionId);
	const deliveries = Map.groupBy(deliveryRows, ({ eventId }) => eventId);
	const byId = new Map(orderRows.map((order) => [order.id, order]));
	const found = ids.flatMap((id) => byId.get(id) ?? []);
	return found.map((order) => {
		const own = {
			transactions: payments.get(order.id) ?? [],
			sweeps: sweeps.get(place(order.fromNetwork, order.payInAddress)) ?? [],
			events: events.get(order.id) ?? [],
		};
		return {
			order,
			changes: changes.get(order.id) ?? [],
			deposits: deposited.get(order.id) ?? [],
			...own,
			versions: [...own.transactions, ...own.sweeps].flatMap(({ id }) => versions.get(id) ?? []),
			entries: entries.get(order.id) ?? [],
			deliveries: own.events.flatMap(({ id }) => deliveries.get(id) ?? []),
			screened: screened.get(order.id) ?? [],
			earningsPayoutId: paid.get(order.id)?.[0]?.payoutId ?? null,
		};
	});
}
