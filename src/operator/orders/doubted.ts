/**
 * Orders of before a restore, or of before the loss of the journal, that nobody has confirmed and that have something at
 * stake: whatever is planned or stopped for them and whatever the switches say, and also where nothing is planned: deposits that no
 * payout answers for. And what is planned, or stopped, that belongs to no order. The signer says which of them wait.
 */
import { type SQL, sql } from 'drizzle-orm';
import type { NetworkName } from '../../catalog/networks.ts';
import { sumOf } from '../../money/units.ts';
import { deposits, type OrderRow, orders } from '../../orders/table.ts';
import { byIndex } from '../../platform/d1/by-index.ts';
import { inJson } from '../../platform/d1/lists.ts';
import { logError } from '../../platform/log.ts';
import type { Doubted } from '../../ports/copy.ts';
import { type TransactionRow, transactions } from '../../treasury/table.ts';
import type { Context } from '../command.ts';

/** Most of each that are named at once, and that one query reads. */
const MOST = 500;

export interface DoubtedOrder {
	readonly order: OrderRow;
	/** The transaction that is planned for it, or that was signed and does not go on. */
	readonly row: TransactionRow | null;
	/** Base units: its deposits that no payment answers for, but for `row`. */
	readonly owed: bigint;
}

/**
 * Transactions that are planned, or were signed and do not go on: a later version of it may have arrived, which nobody
 * here knows. The words are those of the partial index.
 */
const stopped = sql`from ${byIndex(transactions, 'transactions_open')}
	where ${transactions.state} <> 'final' and (${transactions.state} = 'planned'
		or ${transactions.blockedKind} is not null or ${transactions.waitsKind} is not null)`;

export const stoppedIds = sql`select ${transactions.id} ${stopped}`;

/** Does it wait with what belongs to no order? The return of a stray answers for no deposit of its order. */
export const isOwn = ({ orderId, kind }: Pick<TransactionRow, 'orderId' | 'kind'>): boolean =>
	orderId === null || kind === 'stray';

export interface DoubtedPayments {
	/** The oldest. */
	readonly orders: readonly DoubtedOrder[];
	readonly own: readonly TransactionRow[];
	/** How many more wait: they are named once these are done. */
	readonly more: number;
}

export async function doubtedOrders(context: Context): Promise<DoubtedPayments> {
	const { db } = context;
	const { ids, own } = await doubtedIds(context);
	const named = inJson(ids.slice(0, MOST));
	const rowsOf = (which: SQL) =>
		db
			.select()
			.from(transactions)
			.where(sql`${transactions.id} in (${stoppedIds}) and ${which}`)
			.orderBy(transactions.plannedAt, transactions.id);
	const [waiting, rows, arrived, rowsOfOwn] = await db.batch([
		db.select().from(orders).where(sql`${orders.id} in ${named}`).orderBy(orders.createdAt, orders.id),
		rowsOf(sql`${transactions.orderId} in ${named} and ${transactions.kind} <> 'stray'`),
		db
			.select({ orderId: deposits.orderId, payoutId: deposits.payoutId, amount: deposits.amount })
			.from(deposits)
			.where(sql`${deposits.orderId} in ${named} and ${deposits.state} <> 'gone'`),
		rowsOf(sql`(${transactions.orderId} is null or ${transactions.kind} = 'stray') and ${own ? 1 : 0}`),
	]);
	const rowOf = new Map(rows.toReversed().map((row) => [row.orderId, row]));
	const arrivedOf = Map.groupBy(arrived, ({ orderId }) => orderId);
	return {
		orders: waiting.map((order): DoubtedOrder => {
			const row = rowOf.get(order.id) ?? null;
			const open = (arrivedOf.get(order.id) ?? []).filter(({ payoutId }) => payoutId === null || payoutId === row?.id);
			return { order, row, owed: sumOf(open) };
		}),
		own: rowsOfOwn.slice(0, MOST),
		more: ids.length - waiting.length + Math.max(0, rowsOfOwn.length - MOST),
	};
}

/** The oldest first, without those that a person has confirmed and that still wait for something else. */
async function doubtedIds({ db, env }: Context): Promise<{ ids: string[]; own: boolean }> {
	const ids: string[] = [];
	let own = false;
	let after = { createdAt: 0, id: '' };
	for (;;) {
		const page = await db
			.select({ ...PLACE, createdAt: orders.createdAt })
			.from(orders)
			.where(
				sql`(${orders.createdAt}, ${orders.id}) > (${after.createdAt}, ${after.id}) and ${orders.id} in (
				select ${transactions.orderId} ${stopped} and +${transactions.orderId} is not null
					and ${transactions.kind} <> 'stray'
				union
				select ${deposits.orderId} from ${byIndex(deposits, 'deposits_unclaimed')}
				where ${deposits.state} = 'final' and ${deposits.payoutId} is null and ${deposits.dust} = 0
				union
				select ${deposits.orderId} from ${byIndex(deposits, 'deposits_open')}
				where ${deposits.state} <> 'final' and ${deposits.state} = 'seen')`,
			)
			.orderBy(orders.createdAt, orders.id)
			.limit(MOST);
		const doubted = await env.SIGNER.doubted(page.map(placeOf));
		const waiting = new Set(doubted.orders);
		ids.push(...page.flatMap(({ id }) => (waiting.has(id) ? [id] : [])));
		own = doubted.own;
		const last = page.at(-1);
		if (page.length < MOST || !last) return { ids, own };
		after = last;
	}
}

type Placed = Pick<OrderRow, 'id' | 'fromNetwork' | 'payInIndex'>;
const PLACE = { id: orders.id, fromNetwork: orders.fromNetwork, payInIndex: orders.payInIndex };

const placeOf = ({ id, fromNetwork, payInIndex }: Placed) => ({
	id,
	fromNetwork: fromNetwork as NetworkName,
	payInIndex,
});

export interface Doubts {
	readonly orders: ReadonlySet<string>;
	/** Does what belongs to no order wait? */
	readonly own: boolean;
}

export const ONLY_SAFE = '`restored show` says what the chain has of it and what to do: nothing else is safe';

export const NO_DOUBTS: Doubts = { orders: new Set(), own: false };

/** Those of the orders that D1 has. */
export const placesOf = ({ db }: Context, orderIds: readonly string[]): Promise<Placed[]> =>
	db
		.select(PLACE)
		.from(orders)
		.where(sql`${orders.id} in ${inJson(orderIds)}`);

/** Those of these orders that wait; none where the signer does not answer: it refuses by itself. */
export async function doubtsOf({ env }: Context, placed: readonly Placed[]): Promise<Doubts> {
	try {
		const { orders: ids, own }: Doubted = await env.SIGNER.doubted(placed.map(placeOf));
		return { orders: new Set(ids), own };
	} catch (error) {
		logError('signer_not_asked', error);
		return NO_DOUBTS;
	}
}
