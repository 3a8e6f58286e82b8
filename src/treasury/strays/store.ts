/**
 * Strays in D1, and the copy of them that an order's row has for its partner and its payer. Conditions of partial indexes are
 * literal.
 */
import { and, eq, type SQL, sql } from 'drizzle-orm';
import { isAssetId } from '../../catalog/assets.ts';
import { type NetworkName, networkNamed } from '../../catalog/networks.ts';
import { deposits, type OrderRow, orders } from '../../orders/table.ts';
import type { Statement } from '../../platform/d1/batches.ts';
import type { Db } from '../../platform/d1/database.ts';
import { isIn } from '../../platform/d1/lists.ts';
import { screenings } from '../screening/table.ts';
import { type TransactionRow, transactions } from '../table.ts';
import { type StrayRow, strays } from './table.ts';

/** Most rows that are judged at once. */
const AT_ONCE = 20;

/** May the address of an order be paid on this network by mistake? EVM networks share their addresses. */
export const isPaidByMistake = (here: NetworkName, order: NetworkName): boolean =>
	here === order || (networkNamed(here).family === 'evm' && networkNamed(order).family === 'evm');

export interface DueStray {
	readonly row: StrayRow;
	readonly order: OrderRow;
}

/** Those that are due first, due now or not. */
export const dueStrays = (db: Db, network: NetworkName): Promise<DueStray[]> =>
	db
		.select({ row: strays, order: orders })
		.from(strays)
		.innerJoin(orders, eq(orders.id, strays.orderId))
		.where(and(eq(strays.network, network), sql`${strays.dueAt} is not null`))
		.orderBy(strays.dueAt)
		.limit(AT_ONCE);

export const straysAt = (db: Db, network: NetworkName, addresses: readonly string[]) =>
	db
		.select()
		.from(strays)
		.where(and(eq(strays.network, network), isIn(strays.address, addresses)));

export const straysOf = (db: Db, orderId: string): Promise<StrayRow[]> =>
	db.select().from(strays).where(eq(strays.orderId, orderId));

const isOf = ({ network, address, asset }: Pick<StrayRow, 'network' | 'address' | 'asset'>): SQL | undefined =>
	and(eq(strays.network, network), eq(strays.address, address), eq(strays.asset, asset));

/** The facts of a stray's judgement. Conditions are literal, for the partial indexes. */
export async function factsOf(
	db: Db,
	{ network, address, orderId }: Pick<StrayRow, 'network' | 'address' | 'orderId'>,
) {
	const { kind, state, blockedKind } = transactions;
	const isHere = and(eq(transactions.network, network), eq(transactions.payInAddress, address));
	const isMove = and(isHere, sql`${kind} in ('gas', 'sweep', 'token')`);
	const isReturn = and(isHere, sql`${kind} = 'stray' and ${state} <> 'final'`);
	const isHold = and(eq(screenings.orderId, orderId), eq(screenings.verdict, 'hold'));
	const [moves, returns, held] = await db.batch([
		db.select().from(transactions).where(isMove),
		db.select({ state, blockedKind }).from(transactions).where(isReturn),
		db.select({ orderId: screenings.orderId }).from(screenings).where(isHold),
	]);
	const open = [...moves, ...returns].filter((move) => move.state !== 'final');
	const isStopped = open.some((move) => move.blockedKind !== null);
	return { moves, isMoving: open.length > 0, isStopped, isHeld: held.length > 0 };
}

/** Has the order a deposit that no final payment has paid for? */
export async function hasOpenDeposits(db: Db, orderId: string): Promise<boolean> {
	const open = await db
		.select({ txId: deposits.txId })
		.from(deposits)
		.leftJoin(transactions, eq(transactions.id, deposits.payoutId))
		.where(
			sql`${deposits.orderId} = ${orderId} and (${deposits.state} = 'seen' or (${deposits.state} = 'final'
				and ${deposits.dust} = 0 and (${deposits.payoutId} is null or ${transactions.state} <> 'final')))`,
		)
		.limit(1);
	return open.length > 0;
}

/** The changes of a judgement. Where the row is not as it was read, `taken` becomes null, and the whole batch fails. */
export const takeStray = (
	db: Db,
	row: StrayRow,
	{ taken, ...set }: Partial<Pick<StrayRow, 'taken' | 'waits' | 'dueAt'>>,
): Statement =>
	db
		.update(strays)
		.set({
			...set,
			...(taken !== undefined && { takenBefore: row.taken }),
			taken: sql`case when ${strays.counted} = ${row.counted} and ${strays.taken} = ${row.taken}
				and ${strays.toAddress} is ${row.toAddress} then ${taken ?? row.taken} end`,
		})
		.where(isOf(row));

/** Written with a return that is given up, of which there is one at a time. `when`: holds while it is planned. */
export const freeStray = (
	db: Db,
	{ network, payInAddress, asset }: TransactionRow,
	when: SQL,
	now: number,
): Statement[] => {
	if (payInAddress === null) return [];
	const set = { taken: sql`${strays.takenBefore}`, dueAt: now };
	const isIt = and(isOf({ network, address: payInAddress, asset }), when);
	return [db.update(strays).set(set).where(isIt)];
};

/** Written with gas or a sweep that becomes final: a sweep or a return may follow, if it was of a stray. */
export const strayDue = (db: Db, { network, payInAddress, sweepAsset }: TransactionRow, now: number): Statement[] => {
	if (payInAddress === null || sweepAsset === null || !isAssetId(sweepAsset)) return [];
	const isIt = isOf({ network, address: payInAddress, asset: sweepAsset });
	return [db.update(strays).set({ dueAt: now }).where(isIt)];
};

/** Writes the copy of the strays of this order again, of tokens that are not listed too. `which`: its id. */
function copyStrays(db: Db, which: SQL, now: number): Statement {
	const newest = sql`(
		select json_object('amount', sent.amount, 'txId', coalesce(sent.settled_tx_id, sent.tx_id), 'to', sent.to_address)
		from transactions sent where sent.kind = 'stray' and sent.network = strays.network
			and sent.pay_in_address = strays.address and sent.sweep_asset = strays.asset and sent.sent_at is not null
		order by sent.planned_at desc limit 1)`;
	const copy = sql`(
		select json_group_array(json(line)) from (
			select json_object('asset', strays.asset, 'counted', strays.counted, 'taken', strays.taken,
				'waits', strays.waits, 'to', strays.to_address, 'sent', json(${newest})) as line
			from strays where strays.order_id = ${orders.id} and strays.counted <> '0'
			union all
			select json_object('token', token, 'network', network, 'amount', amount, 'isKept', json(iif(kept_at is null, 'false', 'true')),
				'isAsked', json(iif(asked_at is null, 'false', 'true')), 'to', to_address,
				'txId', (select sent.tx_id from transactions sent where sent.id = return_id and sent.kind = 'token' and sent.sent_at is not null))
			from unlisted_tokens where unlisted_tokens.order_id = ${orders.id}))`;
	const set = { strays: sql`nullif(${copy}, '[]')`, updatedAt: now };
	return db.update(orders).set(set).where(sql`${orders.id} = ${which}`);
}

export const copyStraysOf = (db: Db, orderId: string, now: number): Statement => copyStrays(db, sql`${orderId}`, now);

/** Where we returned it, the order's copy names the transaction. */
export const copyReturned = (db: Db, { network, payInAddress, sweepAsset }: TransactionRow, now: number) =>
	copyStrays(
		db,
		sql`(select order_id from strays where network = ${network} and address = ${payInAddress} and asset = ${sweepAsset}
			union all select order_id from unlisted_tokens
			where network = ${network} and address = ${payInAddress} and token = ${sweepAsset})`,
		now,
	);
