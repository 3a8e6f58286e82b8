/**
 * The cabinet's reads of D1. Every function takes the partner's id and every query asks for it: a partner sees nothing
 * of another, whatever id stands in an address. Each query goes by an index and is bounded.
 */
import { and, asc, desc, eq, getTableColumns, gt, gte, inArray, isNull, lt, or, type SQL, sql } from 'drizzle-orm';
import { newestMove, reachOf } from '../../archive/reach.ts';
import { NETWORK_NAMES } from '../../catalog/networks.ts';
import { type DepositRow, deposits, type OrderRow, orderChanges, orders } from '../../orders/table.ts';
import { cabinetSessions } from '../../partners/sign-in/table.ts';
import { codeTotals, partners, referenceCodes } from '../../partners/table.ts';
import type { Db } from '../../platform/d1/database.ts';
import { inJson } from '../../platform/d1/lists.ts';
import { type TransactionRow, transactions } from '../../treasury/table.ts';
import { type WebhookEventRow, webhookEvents } from '../../webhooks/table.ts';
import { inOneCase, type OrderFilter, type PageEnd } from './filter.ts';

/** Rows of a list that has no pages: codes and sessions. */
const LIST_LIMIT = 200;
/** Orders that one page looks through for a rare asset or code; the next page goes on below them. */
export const EXAMINED = 5_000;
/** Rows of one order: more are an attack. */
const OF_ONE = 100;

/** Without what is sealed. */
const {
	apiSecretSealed: _,
	webhookSecretSealed: __,
	payoutSeal: ___,
	orderPageSeal: ____,
	...SHOWN
} = getTableColumns(partners);

export async function partnerOf(db: Db, partnerId: string) {
	const [row] = await db.select(SHOWN).from(partners).where(eq(partners.id, partnerId));
	if (!row) throw new Error(`there is no partner ${partnerId}`);
	return row;
}

export const liveSessions = (db: Db, partnerId: string, now: number) =>
	db
		.select()
		.from(cabinetSessions)
		.where(and(eq(cabinetSessions.partnerId, partnerId), gt(cabinetSessions.expiresAt, now)))
		.orderBy(desc(cabinetSessions.lastSeenAt))
		.limit(LIST_LIMIT);

/** Enabled and disabled, newest first, with what each has brought. */
export const codesOf = (db: Db, partnerId: string) =>
	db
		.select({ code: referenceCodes, totals: codeTotals })
		.from(referenceCodes)
		.leftJoin(
			codeTotals,
			and(eq(codeTotals.partnerId, referenceCodes.partnerId), eq(codeTotals.referenceCode, referenceCodes.code)),
		)
		.where(eq(referenceCodes.partnerId, partnerId))
		.orderBy(desc(referenceCodes.createdAt), referenceCodes.code)
		.limit(LIST_LIMIT);

/** A partner never sees an order that the operator has deleted. */
const own = (partnerId: string): SQL | undefined => and(eq(orders.partnerId, partnerId), isNull(orders.deletedAt));

interface PageAsked {
	readonly after: PageEnd | null;
	readonly limit: number;
}

export interface OrdersPage {
	readonly rows: readonly OrderRow[];
	/** Where the next page begins; null on the last one. */
	readonly next: PageEnd | null;
}

/**
 * Orders by the time of their creation. One page reads at most `EXAMINED` entries of the index, so a filter that fits few
 * orders gives short pages, not slow ones.
 */
export async function ordersOf(
	db: Db,
	partnerId: string,
	{ status, since, until, asset, code, oldestFirst }: OrderFilter,
	{ after, limit }: PageAsked,
): Promise<OrdersPage> {
	const range = and(
		eq(orders.partnerId, partnerId),
		status && eq(orders.status, status),
		since === undefined ? undefined : gte(orders.createdAt, since),
		until === undefined ? undefined : lt(orders.createdAt, until),
		after ? beyond(after, oldestFirst) : undefined,
	);
	const order = [oldestFirst ? asc(orders.createdAt) : desc(orders.createdAt), asc(orders.id)];
	const page = db
		.select()
		.from(orders)
		.orderBy(...order)
		.limit(limit + 1);
	if (asset === undefined && code === undefined)
		return pageOf(await page.where(and(range, isNull(orders.deletedAt))), limit, undefined);
	const inRange = db
		.select({ createdAt: orders.createdAt, id: orders.id })
		.from(orders)
		.where(range)
		.orderBy(...order);
	const examined = db
		.select({ id: orders.id })
		.from(orders)
		.where(range)
		.orderBy(...order)
		.limit(EXAMINED);
	const fits = and(
		own(partnerId),
		inArray(orders.id, examined),
		asset === undefined ? undefined : or(eq(orders.fromAsset, asset), eq(orders.toAsset, asset)),
		code === undefined ? undefined : eq(orders.referenceCode, code),
	);
	const [rows, [edge]] = await db.batch([page.where(fits), inRange.limit(1).offset(EXAMINED - 1)]);
	return pageOf(rows, limit, edge);
}

/** `edge`: the last order that was looked at, where more follow. */
function pageOf(
	rows: readonly OrderRow[],
	limit: number,
	edge: Pick<OrderRow, 'createdAt' | 'id'> | undefined,
): OrdersPage {
	const shown = rows.slice(0, limit);
	const last = rows.length > limit ? shown.at(-1) : edge;
	return { rows: shown, next: last ? { at: last.createdAt, id: last.id } : null };
}

/** Unix milliseconds: every order that was made from then on is in D1; null where none of the partner's is archived. */
export const reachOfOrders = async (db: Db, partnerId: string): Promise<number | null> =>
	reachOf(await newestMove(db, partnerId));

/** The first comparison is for the index. */
const beyond = ({ at, id }: PageEnd, oldestFirst: boolean): SQL =>
	oldestFirst
		? sql`${orders.createdAt} >= ${at} and (${orders.createdAt} > ${at} or ${orders.id} > ${id})`
		: sql`${orders.createdAt} <= ${at} and (${orders.createdAt} < ${at} or ${orders.id} > ${id})`;

const ID_BEGINNING = /^[0-9a-f][0-9a-f-]{3,35}$/;
const onAnyNetwork = (column: unknown): SQL => sql`${column} in ${inJson(NETWORK_NAMES)}`;

/** The partner's orders with this id, beginning of an id, reference, address or transaction; the newest first. */
export async function searchOrders(
	db: Db,
	partnerId: string,
	text: string,
	{ after, limit }: PageAsked,
): Promise<OrdersPage> {
	const lower = text.toLowerCase();
	const txId = inOneCase(text);
	// The plus keeps SQLite from the index by partner, by which it would read all that the partner ever made.
	const isOwn = sql`+${orders.partnerId} = ${partnerId} and ${orders.deletedAt} is null`;
	const where = (condition: SQL | undefined) =>
		db
			.select()
			.from(orders)
			.where(and(condition, after ? beyond(after, false) : undefined))
			.orderBy(desc(orders.createdAt), asc(orders.id))
			.limit(limit + 1);
	const begins = ID_BEGINNING.test(lower) ? `${lower}~` : lower;
	const among = (condition: SQL) => where(and(isOwn, condition));
	const found = await db.batch([
		among(sql`${orders.id} >= ${lower} and ${orders.id} < ${begins}`),
		among(sql`${orders.id} = ${lower}`),
		where(and(own(partnerId), eq(orders.externalId, text))),
		among(sql`${onAnyNetwork(orders.fromNetwork)} and ${orders.payInAddress} in (${text}, ${lower})`),
		// The words of the index `orders_hexadecimal_pay_in`.
		among(sql`lower(${orders.payInAddress}) = ${lower} and substr(${orders.payInAddress}, 1, 2) = '0x'`),
		among(sql`lower(${orders.toAddress}) = ${lower}`),
		among(sql`lower(${orders.refundAddress}) = ${lower}`),
		among(
			sql`${orders.id} in (select order_id from ${deposits} where ${onAnyNetwork(deposits.network)} and ${deposits.txId} = ${txId})`,
		),
		among(
			sql`${orders.id} in (select order_id from ${transactions} where ${onAnyNetwork(transactions.network)} and ${transactions.txId} = ${txId})`,
		),
	]);
	const byId = new Map(found.flat().map((order) => [order.id, order]));
	return pageOf([...byId.values()].toSorted(newestFirst), limit, undefined);
}

/** As SQLite sorts them. */
export const newestFirst = (one: OrderRow, other: OrderRow): number =>
	other.createdAt - one.createdAt || (one.id < other.id ? -1 : 1);

/** One order with what happened. */
export interface FoundOrder {
	readonly order: OrderRow;
	readonly changes: readonly { readonly status: OrderRow['status']; readonly at: number }[];
	readonly received: readonly DepositRow[];
	readonly sent: readonly TransactionRow[];
	readonly events: readonly WebhookEventRow[];
}

/** Null where the partner has none with this id. */
export async function orderOf(db: Db, partnerId: string, id: string): Promise<FoundOrder | null> {
	const isOwn = sql`exists (select 1 from ${orders} where ${orders.id} = ${id} and ${own(partnerId)})`;
	const [[order], changes, received, sent, events] = await db.batch([
		db
			.select()
			.from(orders)
			.where(and(eq(orders.id, id), own(partnerId))),
		db
			.select({ status: orderChanges.status, at: orderChanges.at })
			.from(orderChanges)
			.where(and(eq(orderChanges.orderId, id), isOwn))
			.orderBy(asc(orderChanges.sequence))
			.limit(OF_ONE),
		db
			.select()
			.from(deposits)
			.where(and(eq(deposits.orderId, id), isOwn))
			.orderBy(asc(deposits.firstSeenAt))
			.limit(OF_ONE),
		db
			.select()
			.from(transactions)
			.where(and(eq(transactions.orderId, id), isOwn))
			.orderBy(asc(transactions.plannedAt))
			.limit(OF_ONE),
		db
			.select()
			.from(webhookEvents)
			.where(and(eq(webhookEvents.orderId, id), eq(webhookEvents.partnerId, partnerId), isOwn))
			.orderBy(asc(webhookEvents.sequence))
			.limit(OF_ONE),
	]);
	return order ? { order, changes, received, sent, events } : null;
}
