/**
 * `export …`: one page of rows, by time; the command line asks for all pages. Every row of an export has the same fields.
 * Amounts are plain decimals, exact; USD is worth at settlement, rounded down to cents.
 */
import { and, asc, eq, gte, lt, sql } from 'drizzle-orm';
import { assetOf } from '../../catalog/assets.ts';
import { fromBaseUnits } from '../../money/units.ts';
import { usdOfCents } from '../../money/usd.ts';
import { orders } from '../../orders/table.ts';
import { inJson } from '../../platform/d1/lists.ts';
import { isoTimesOf, pick } from '../../platform/pick.ts';
import { isoTime, isoTimeOrNull } from '../../platform/time.ts';
import { partnerPayouts } from '../../treasury/earnings/table.ts';
import { bookingsPage, type EntryRow } from '../../treasury/reports/bookings.ts';
import { type Cursor, cursorOf, cursorText, type PageOf } from '../../treasury/reports/cursor.ts';
import { loadReported, type ReportedOrder } from '../../treasury/reports/load.ts';
import { type Context, type Failure, fail, isFailure, type RunOf, type RunsOf } from '../command.ts';
import { coins } from '../orders/record.ts';
import { partnerNames } from '../partners/record.ts';
import type { exporting as topic } from '../topics/export.ts';
import { momentOf } from '../topics/moment.ts';

const ORDERS_PER_PAGE = 300;
const FIRST: Cursor = [0, ''];
/** How the books name the payout of earnings that closes an order's share. */
const PAID_OUT = 'paid out ';

interface Input {
	readonly since?: string | undefined;
	readonly until?: string | undefined;
	readonly cursor?: string | undefined;
}

/** `ids`: how many ids a cursor of the export has. */
function pageOf({ since, until, cursor }: Input, ids: number, now: number): PageOf | Failure {
	const after = cursor === undefined ? null : cursorOf(cursor, ids);
	if (cursor !== undefined && after === null)
		return fail(400, 'cursor: is not one that a page of this export ended with');
	return {
		since: since === undefined ? 0 : (momentOf(since, now) ?? 0),
		until: until === undefined ? Number.MAX_SAFE_INTEGER : (momentOf(until, now) ?? 0),
		after,
	};
}

const exportOrders: RunOf<typeof topic, 'orders'> = async ({ db, now }, input) => {
	const page = pageOf(input, 1, now);
	if (isFailure(page)) return page;
	const [at, id = ''] = page.after ?? FIRST;
	const listed = await db
		.select({ id: orders.id, createdAt: orders.createdAt })
		.from(orders)
		.where(
			and(
				gte(orders.createdAt, page.since),
				lt(orders.createdAt, page.until),
				sql`(${orders.createdAt}, ${orders.id}) > (${at}, ${id})`,
				input.partner === undefined ? undefined : eq(orders.partnerId, input.partner),
			),
		)
		.orderBy(asc(orders.createdAt), asc(orders.id))
		.limit(ORDERS_PER_PAGE);
	const ids = listed.map((each) => each.id);
	const found = await loadReported(db, ids);
	const byId = new Map(found.map((each) => [each.order.id, each]));
	const names = await namesOf(db, found);
	const last = listed.length === ORDERS_PER_PAGE ? listed.at(-1) : undefined;
	return {
		rows: listed.flatMap((each) => {
			const reported = byId.get(each.id);
			return reported ? [orderRecord(reported, names)] : [];
		}),
		cursor: last ? cursorText([last.createdAt, last.id]) : null,
	};
};

function orderRecord({ order, transactions, facts }: ReportedOrder, names: ReadonlyMap<string, string>) {
	const [from, to] = [assetOf(order.fromAsset), assetOf(order.toAsset)];
	const payout = transactions.find(({ kind }) => kind === 'payout');
	return {
		id: order.id,
		partnerId: order.partnerId,
		partnerName: names.get(order.partnerId) ?? null,
		...pick(order, 'referenceCode', 'externalId', 'status'),
		from: from.code,
		received: order.depositAmount,
		depositTxId: order.depositTxId,
		to: to.code,
		paid: order.payoutAmount,
		payoutTxId: order.payoutTxId,
		recipient: order.toAddress,
		refunded: fromBaseUnits(facts.refunded, from.decimals),
		refundTxId: order.refundTxId,
		...pick(order, 'rate', 'minToAmount'),
		volumeUsd: usdOfCents(facts.volumeUsdCents),
		partnerShare: fromBaseUnits(facts.partnerShare, to.decimals),
		partnerUsd: usdOfCents(facts.partnerUsdCents),
		houseShare: fromBaseUnits(facts.houseShare, to.decimals),
		houseUsd: usdOfCents(facts.houseUsdCents),
		networkFee: fromBaseUnits(facts.keptTo, to.decimals),
		networkFeeUsd: usdOfCents(facts.networkFeeUsdCents),
		createdAt: isoTime(order.createdAt),
		settledAt: isoTimeOrNull(payout?.plannedAt ?? null),
		...isoTimesOf(order, 'finishedAt', 'deletedAt'),
	};
}

const exportLedger: RunOf<typeof topic, 'ledger'> = async ({ db, now }, input) => {
	const page = pageOf(input, 2, now);
	if (isFailure(page)) return page;
	const { entries, cursor } = await bookingsPage(db, page, input.partner);
	return {
		rows: entries.map((entry) => ({
			at: isoTime(entry.at),
			...pick(entry, 'orderId', 'cause', 'account', 'asset'),
			amount: coins(entry.asset, entry.amount),
		})),
		cursor,
	};
};

const exportStatements: RunOf<typeof topic, 'statements'> = async ({ db, now }, input) => {
	const page = pageOf(input, 2, now);
	if (isFailure(page)) return page;
	const { entries, cursor } = await bookingsPage(db, page, input.partner);
	const ofPartners = entries.filter(({ account }) => account === 'partner');
	const payoutIds = [...new Set(ofPartners.flatMap(({ cause }) => payoutIdOf(cause) ?? []))];
	const [found, paid] = await Promise.all([
		loadReported(db, [...new Set(ofPartners.map(({ orderId }) => orderId))]),
		payoutsOf(db, payoutIds),
	]);
	const byId = new Map(found.map((each) => [each.order.id, each]));
	const names = await namesOf(db, found);
	const rows = ofPartners.flatMap((entry) => {
		const reported = byId.get(entry.orderId);
		return reported ? [statementRecord(entry, reported, names, paid)] : [];
	});
	return { rows, cursor };
};

function namesOf(db: Context['db'], found: readonly ReportedOrder[]): Promise<ReadonlyMap<string, string>> {
	const partnerIds = found.map(({ order }) => order.partnerId);
	return partnerNames(db, partnerIds);
}

const payoutIdOf = (cause: string): string | null => (cause.startsWith(PAID_OUT) ? cause.slice(PAID_OUT.length) : null);

async function payoutsOf(db: Context['db'], ids: readonly string[]): Promise<ReadonlyMap<string, string | null>> {
	const among = sql`${partnerPayouts.id} in ${inJson(ids)}`;
	const rows = await db.select({ id: partnerPayouts.id, txId: partnerPayouts.txId }).from(partnerPayouts).where(among);
	return new Map(rows.map(({ id, txId }) => [id, txId]));
}

/** Earned is above zero, paid out below. `usd`: what it was worth when it was earned. */
function statementRecord(
	{ at, orderId, cause, asset, amount }: EntryRow,
	{ order, facts }: ReportedOrder,
	names: ReadonlyMap<string, string>,
	paid: ReadonlyMap<string, string | null>,
) {
	const payoutId = payoutIdOf(cause);
	const usd = usdOfCents(facts.partnerUsdCents);
	return {
		at: isoTime(at),
		partnerId: order.partnerId,
		partnerName: names.get(order.partnerId) ?? null,
		kind: payoutId === null ? 'earned' : 'paid out',
		orderId,
		referenceCode: order.referenceCode,
		asset,
		amount: fromBaseUnits(-BigInt(amount), assetOf(asset).decimals),
		usd: payoutId === null ? usd : `-${usd}`,
		payoutId,
		txId: payoutId === null ? order.payoutTxId : (paid.get(payoutId) ?? null),
	};
}

export const exportRuns: RunsOf<typeof topic> = {
	orders: exportOrders,
	ledger: exportLedger,
	statements: exportStatements,
};
