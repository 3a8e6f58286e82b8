/** The lines of `order list` and `order find`: what was asked, what arrived and what that is worth now. */
import { and, desc, eq, getTableColumns, gte, lt, type SQL, sql } from 'drizzle-orm';
import { assetOf } from '../../catalog/assets.ts';
import type { OrderStatus } from '../../orders/status.ts';
import { findOrder } from '../../orders/store.ts';
import { deposits, type OrderRow, orders } from '../../orders/table.ts';
import { findPartner } from '../../partners/store.ts';
import { partners } from '../../partners/table.ts';
import { byIndex, fromIndex } from '../../platform/d1/by-index.ts';
import { exactSum } from '../../platform/d1/exact-sum.ts';
import { inJson } from '../../platform/d1/lists.ts';
import { marketOrNull } from '../../pricing/market-now.ts';
import { worth } from '../attention/waiting.ts';
import { type Context, fail, type RunOf } from '../command.ts';
import { currentSettings } from '../settings/changes.ts';
import { momentOf } from '../topics/moment.ts';
import type { order as topic } from '../topics/order.ts';
import { archivedLine } from './archived.ts';
import { attentionReasons, waiting } from './attention.ts';
import { doubtsOf } from './doubted.ts';
import { factsOfOrders } from './facts.ts';
import { findByText } from './find.ts';
import { coins, orderLine } from './record.ts';

/** The newest first; of one moment by id. `after` goes on below an order that was listed. */
export const listOrders: RunOf<typeof topic, 'list'> = async (context, input) => {
	const { db, now } = context;
	const { status, partner, attention, since, until, after, limit } = input;
	const last = after === undefined ? null : await findOrder(db, after);
	if (after !== undefined && !last) return fail(404, `there is no order ${after}`);
	const index = attention ? BY_ID : indexOf(status, partner);
	const where = and(
		attention ? waiting(now) : undefined,
		status && isStatus(status, index),
		partner === undefined ? undefined : eq(orders.partnerId, partner),
		since === undefined ? undefined : gte(orders.createdAt, momentOf(since, now) ?? 0),
		until === undefined ? undefined : lt(orders.createdAt, momentOf(until, now) ?? 0),
		last ? isBelow(last) : undefined,
	);
	const rows = await rowsWhere(db, { index, where, limit });
	if (rows.length === 0 && partner !== undefined && !(await findPartner(db, partner)))
		return fail(404, `there is no partner ${partner}`);
	const lines = await linesOf(context, rows);
	return attention ? withReasons(context, rows, lines) : lines;
};

/** Found orders, the newest first, each with `foundBy`. Where D1 has none, the archive is asked. */
export const findOrders: RunOf<typeof topic, 'find'> = async (context, { text, limit }) => {
	const { orders: found, orderless } = await findByText(context.db, text, limit);
	const [own] = orderless;
	if (found.length === 0 && own)
		return fail(404, `${text} is our transaction ${own.id} (${own.kind}), which belongs to no order`);
	if (found.length === 0) {
		const archived = await archivedLine(context, text);
		return archived ? [archived] : [];
	}
	const ids = inJson(found.map(({ id }) => id));
	const where = sql`${orders.id} in ${ids}`;
	const rows = await rowsWhere(context.db, { index: BY_ID, where, limit });
	const by = new Map(found.map((one) => [one.id, one.by]));
	return (await linesOf(context, rows)).map((line) => ({ ...line, foundBy: by.get(line.id) }));
};

interface Listed {
	readonly order: OrderRow;
	/** The partner's name. */
	readonly name: string;
}

interface Wanted {
	readonly index: string;
	readonly where: SQL | undefined;
	readonly limit: number;
}

const rowsWhere = (db: Context['db'], { index, where, limit }: Wanted): Promise<Listed[]> =>
	db
		.select({ order: fromIndex(getTableColumns(orders)), name: partners.name })
		.from(byIndex(orders, index))
		.innerJoin(partners, eq(partners.id, orders.partnerId))
		.where(where)
		.orderBy(desc(orders.createdAt), orders.id)
		.limit(limit);

/** The primary key's name in SQLite. */
const BY_ID = 'sqlite_autoindex_orders_1';
const FINISHED = 'orders_finished_by_partner';

/**
 * The index by which a list reads no more than it shows. Orders of a partner that are over have one by status. Of the
 * others NEW ones are the partner's newest, and the rest are few of any partner.
 */
function indexOf(status: OrderStatus | undefined, partner: string | undefined): string {
	if (partner !== undefined && (status === 'DONE' || status === 'EXPIRED')) return FINISHED;
	if (partner !== undefined && (status === undefined || status === 'NEW')) return 'orders_by_partner';
	return status === undefined ? 'orders_by_time' : 'orders_by_status';
}

/** In the words of the indexes. */
function isStatus(status: OrderStatus, index: string): SQL | undefined {
	const ofIndex = sql`lower(${orders.status}) = ${status.toLowerCase()}`;
	return index === FINISHED ? and(sql`${orders.status} in ('DONE', 'EXPIRED')`, ofIndex) : ofIndex;
}

const isBelow = ({ createdAt, id }: OrderRow): SQL =>
	sql`${orders.createdAt} <= ${createdAt} and (${orders.createdAt} < ${createdAt} or ${orders.id} > ${id})`;

/** `received`: deposits that were not dropped, dust with one that is none; null of none. `receivedUsd`: at the price of now. */
async function linesOf(context: Context, rows: readonly Listed[]) {
	const ids = inJson(rows.map(({ order }) => order.id));
	const [sums, market] = await Promise.all([
		context.db
			.select({ orderId: deposits.orderId, amount: exactSum(deposits.amount) })
			.from(deposits)
			.where(sql`${deposits.orderId} in ${ids} and ${deposits.state} <> 'gone'`)
			.groupBy(deposits.orderId)
			.having(sql`min(${deposits.dust}) = 0`),
		marketOrNull(context.env),
	]);
	const received = new Map(sums.map(({ orderId, amount }) => [orderId, amount]));
	return rows.map(({ order, name }) => {
		const amount = received.get(order.id);
		const asset = order.fromAsset;
		return {
			...orderLine(order),
			partnerName: name,
			received: amount === undefined ? null : coins(asset, amount.toString()),
			receivedUsd: amount === undefined ? null : worth({ market, context }, assetOf(asset), amount),
		};
	});
}

/** Orders that need nobody after all are left out. */
async function withReasons(
	context: Context,
	rows: readonly Listed[],
	lines: readonly Awaited<ReturnType<typeof linesOf>>[number][],
) {
	const { db, now } = context;
	const listed = rows.map(({ order }) => order);
	const factsOf = await factsOfOrders(db, listed);
	const switches = await currentSettings(context);
	const doubts = await doubtsOf(context, listed);
	return listed.flatMap((order, i) => {
		const isDoubted = doubts.orders.has(order.id);
		const reasons = attentionReasons(order, factsOf(order.id), switches, { now, isDoubted });
		return reasons.length === 0 ? [] : [{ ...lines[i], attention: reasons }];
	});
}
