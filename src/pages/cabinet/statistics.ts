/**
 * Sums of the partner's orders of the last days, by the day on which they were made (UTC). Amounts are cents of USD,
 * worth at settlement; the partner's share is rounded down for each order, as their counters have it.
 */
import { and, desc, eq, gte, isNull, sql } from 'drizzle-orm';
import type { AssetId } from '../../catalog/assets.ts';
import { orderChanges, orders } from '../../orders/table.ts';
import type { Db } from '../../platform/d1/database.ts';
import { DAY_MILLISECONDS, utcDay } from '../../platform/time.ts';
import { transactions } from '../../treasury/table.ts';
import { assetName } from '../asset-names.ts';

/** Orders that the figures take in: the newest. */
export const MOST_ORDERS = 20_000;
/** Bars of a plot that is not of days; the rest is one bar. */
const MOST_BARS = 5;

export interface Sums {
	readonly orders: number;
	readonly done: number;
	readonly volumeCents: number;
	readonly earnedCents: number;
}

interface Group extends Sums {
	/** Days since 1970. */
	readonly day: number;
	/** That was paid in. */
	readonly asset: AssetId;
	readonly code: string | null;
}

export interface Statistics {
	readonly total: Sums;
	readonly byDay: readonly (readonly [day: string, Sums])[];
	readonly byAsset: readonly (readonly [asset: string, Sums])[];
	readonly byCode: readonly (readonly [code: string, Sums])[];
	/** From the first sight of the deposit to the payout; null without one. Milliseconds. */
	readonly medianMilliseconds: number | null;
	/** There were more orders than were taken in. */
	readonly isCut: boolean;
}

/** `days`: with today. */
export async function statisticsOf(db: Db, partnerId: string, days: number, now: number): Promise<Statistics> {
	const firstDay = Math.floor(now / DAY_MILLISECONDS) - days + 1;
	const made = db
		.select()
		.from(orders)
		.where(
			and(
				eq(orders.partnerId, partnerId),
				gte(orders.createdAt, firstDay * DAY_MILLISECONDS),
				isNull(orders.deletedAt),
			),
		)
		.orderBy(desc(orders.createdAt))
		.limit(MOST_ORDERS)
		.as('made');
	const isDone = sql`${made.status} = 'DONE'`;
	const took = sql`${made.finishedAt} - ${orderChanges.at}`;
	// Literals, because D1 would bind them as floats.
	const day = sql<number>`${made.createdAt} / 86400000`;
	const cents = sql`case when ${isDone} then coalesce(${transactions.usdCents}, 0) else 0 end`;
	const placed = db
		.select({
			took: sql<number>`${took}`.as('took'),
			place: sql<number>`row_number() over (order by ${took})`.as('place'),
			total: sql<number>`count(*) over ()`.as('total'),
		})
		.from(made)
		.innerJoin(orderChanges, sql`${orderChanges.orderId} = ${made.id} and ${orderChanges.sequence} = 1`)
		.where(sql`${isDone} and ${orderChanges.status} = 'PENDING'`)
		.as('placed');
	const [groups, [middle]] = await db.batch([
		db
			.select({
				day,
				asset: made.fromAsset,
				code: made.referenceCode,
				orders: sql<number>`count(*)`,
				done: sql<number>`sum(${isDone})`,
				volumeCents: sql<number>`sum(${cents})`,
				earnedCents: sql<number>`sum((${cents}) * ${made.afftaxBps} / 10000)`,
			})
			.from(made)
			// The words of the index `transactions_once`.
			.leftJoin(transactions, sql`${transactions.orderId} = ${made.id} and ${transactions.kind} = 'payout'`)
			.groupBy(day, made.fromAsset, made.referenceCode),
		// The lower one of two in the middle.
		db.select({ took: placed.took }).from(placed).where(sql`${placed.place} = (${placed.total} + 1) / 2`),
	]);
	return { ...summed(groups, firstDay, days), medianMilliseconds: middle?.took ?? null };
}

function summed(groups: readonly Group[], firstDay: number, days: number) {
	const total = added(groups);
	const byDay = Map.groupBy(groups, ({ day }) => day);
	return {
		total,
		byDay: Array.from({ length: days }, (_, i) => {
			const date = utcDay((firstDay + i) * DAY_MILLISECONDS);
			return [date, added(byDay.get(firstDay + i) ?? [])] as const;
		}),
		byAsset: largest(groups, ({ asset }) => assetName(asset)),
		byCode: largest(groups, ({ code }) => code ?? 'No code'),
		isCut: total.orders >= MOST_ORDERS,
	};
}

function added(groups: readonly Sums[]): Sums {
	const sumOf = (field: keyof Sums) => groups.reduce((sum, group) => sum + group[field], 0);
	return {
		orders: sumOf('orders'),
		done: sumOf('done'),
		volumeCents: sumOf('volumeCents'),
		earnedCents: sumOf('earnedCents'),
	};
}

/** By volume; what does not fit is one bar at the end. */
function largest(groups: readonly Group[], nameOf: (group: Group) => string) {
	const bars = [...Map.groupBy(groups, nameOf)]
		.map(([name, own]) => [name, added(own)] as const)
		.toSorted(([, one], [, other]) => other.volumeCents - one.volumeCents);
	if (bars.length <= MOST_BARS + 1) return bars;
	return [...bars.slice(0, MOST_BARS), ['Others', added(bars.slice(MOST_BARS).map(([, sums]) => sums))] as const];
}
