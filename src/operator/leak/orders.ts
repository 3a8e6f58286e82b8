/**
 * Orders that a leaked key has sealed. What the signer knows by itself comes first: whose address it is, and what it has
 * paid. An order that contradicts it is doubtful, whatever its seal.
 */
import { and, gt, ne, sql } from 'drizzle-orm';
import { type AskedKeys, sealHolds } from '../../crypto/seals.ts';
import { orderClaim } from '../../orders/seal.ts';
import { type DepositRow, deposits, type OrderRow, orders } from '../../orders/table.ts';
import { inJson } from '../../platform/d1/lists.ts';
import { isoTime } from '../../platform/time.ts';
import { contradictionText } from '../../treasury/order-claim.ts';
import type { Context } from '../command.ts';
import { coins } from '../orders/record.ts';
import { type LeakedPage, type LeakedRow, type Reader, resealOne, SEAL_BROKEN, writeSeals } from './row.ts';

const OVER: ReadonlySet<string> = new Set(['DONE', 'EXPIRED']);

/** Takes one leaked key after the other, by the index of key numbers, in the order of their rows. */
async function page(context: Context, after: string, most: number): Promise<LeakedPage> {
	const keys = context.env.askedKeys();
	const [at = 0, row = 0] = after === '' ? [] : after.split('.').map(Number);
	const leaked = keys.leaked[at];
	if (!leaked) return { rows: [], next: null };
	const rowid = sql<number>`${orders}.rowid`;
	const isLeaked = sql`substr(${orders.seal}, 1, instr(${orders.seal}, '.')) = ${`${leaked.number}.`}`;
	const isNext = and(isLeaked, gt(rowid, row));
	const found = await context.db.select({ rowid, order: orders }).from(orders).where(isNext).orderBy(rowid).limit(most);
	const last = found.at(-1);
	const next = found.length === most && last ? `${at}.${last.rowid}` : `${at + 1}.0`;
	const leakedOnes = found.map(({ order }) => order);
	return { rows: await rowsOf(context, keys, leakedOnes), next };
}

async function rowsOf({ env, db }: Context, keys: AskedKeys, found: readonly OrderRow[]): Promise<LeakedRow[]> {
	if (found.length === 0) return [];
	const claims = found.map(({ id, fromNetwork: network, payInAddress: address, payInIndex: index, toAddress }) => {
		return { id, network, address, index, toAddress };
	});
	const ids = inJson(found.map(({ id }) => id));
	const isFree = and(sql`${deposits.orderId} in ${ids}`, ne(deposits.state, 'gone'), sql`${deposits.payoutId} is null`);
	const [known, waiting, holds] = await Promise.all([
		env.SIGNER.contradictions(claims),
		db.select().from(deposits).where(isFree),
		Promise.all(found.map((order) => sealHolds(keys, claimOf(order)))),
	]);
	const ofOrder = Map.groupBy(waiting, ({ orderId }) => orderId);
	return found.map((order, i) => {
		const contradiction = known[i];
		const doubt = contradiction ? contradictionText(contradiction) : holds[i] ? null : SEAL_BROKEN;
		return rowOf(keys, order, ofOrder.get(order.id) ?? [], doubt);
	});
}

const claimOf = (order: OrderRow) => ({ ...orderClaim(order, order.seal), leaked: true }) as const;

function rowOf(keys: AskedKeys, order: OrderRow, waiting: readonly DepositRow[], doubt: string | null): LeakedRow {
	const { id, partnerId, fromAsset, toAsset, toAddress, refundAddress, payInAddress, payInIndex, status } = order;
	const route = [id, partnerId, fromAsset, toAsset, toAddress, refundAddress, payInAddress, payInIndex];
	const margins = [order.baseFeeBps, order.leanBps, order.afftaxBps];
	return {
		id,
		of: partnerId,
		terms: [...route, ...margins, order.fromAmount, order.minToAmount, order.createdAt, status],
		shown: {
			partner: partnerId,
			createdAt: isoTime(order.createdAt),
			status,
			asked: coins(fromAsset, order.fromAmount),
			to: toAsset,
			recipient: toAddress,
			refund: refundAddress,
		},
		isOpen: !OVER.has(status) || waiting.length > 0,
		atStake: waiting.map(({ asset, amount }) => ({ asset, amount: BigInt(amount) })),
		doubt,
		reseal: () => resealOne(keys, id, claimOf(order)),
	};
}

export const leakedOrders: Reader = {
	page,
	write: ({ db }, changes) => writeSeals(db, { table: 'orders', key: 'id', seal: 'seal' }, changes),
};
