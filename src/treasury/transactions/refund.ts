/**
 * Plans a refund: the deposits that no payout pays for, less the network fee, go to the refund address. Then it takes
 * the path of every transaction (`advance.ts`).
 */
import { and, desc, eq } from 'drizzle-orm';
import { assetOf } from '../../catalog/assets.ts';
import type { SealKeys } from '../../crypto/seals.ts';
import { decimal, usdCents } from '../../money/decimal.ts';
import { fromBaseUnits, sumOf } from '../../money/units.ts';
import { endRefundRequest } from '../../orders/refund-request.ts';
import { type SettledDeposit, sealSettlement } from '../../orders/seal.ts';
import type { OrderRow } from '../../orders/table.ts';
import { runBatch, type Statement } from '../../platform/d1/batches.ts';
import type { Db } from '../../platform/d1/database.ts';
import { type Market, networkReport, usdPrice } from '../../pricing/market.ts';
import { claimDeposits, unclaimedDeposits } from '../deposits/settle-store.ts';
import { screeningsOf } from '../screening/store.ts';
import { refundProblem, subjectsOfRefund } from '../screening/verdict.ts';
import { transactions } from '../table.ts';
import { insertPlanned, openTransactionOf } from './store.ts';
import { type Switches, stoppedBy, waitReason } from './wait-reason.ts';

export interface PlannedRefund {
	readonly payoutId: string;
	/** Plain decimals of the source asset. */
	readonly amount: string;
	readonly networkFee: string;
	/** The switch that stops it; null if none does. */
	readonly waitsBecause: string | null;
}

/** Why there is no refund. */
export interface NoRefund {
	/** One line for the operator. */
	readonly because: string;
	/** The deposits do not pay the network fee of their way back: what they are, together, in base units. */
	readonly tooSmall?: { readonly received: bigint; readonly deposits: readonly SettledDeposit[] };
}

export const isPlannedRefund = (result: PlannedRefund | NoRefund): result is PlannedRefund => 'payoutId' in result;

/** The means of planning a refund, beside the order. */
export interface RefundMeans {
	readonly sealKeys: SealKeys;
	readonly market: Market;
	readonly switches: Switches;
	/** Must screening have accepted the refund? */
	readonly isScreening: boolean;
	/** Whole US dollars: one that is worth more is left to the operator. */
	readonly atMostUsd?: number;
	readonly now: number;
}

/**
 * `also`: what is written in the same batch, the line of the audit log. Returns the refund, or why
 * there is none. Atomic: the refund and its claim on the deposits are one batch. If a payout is decided at the same
 * moment, the key `transactions_one_at_a_time` makes one of the two fail.
 */
export async function planRefund(
	db: Db,
	order: OrderRow,
	{ sealKeys, market, switches, isScreening, atMostUsd, now }: RefundMeans,
	also: readonly Statement[],
): Promise<PlannedRefund | NoRefund> {
	const underWay = await underWayText(db, order, switches);
	if (underWay !== null) return { because: underWay };
	const unclaimed = await unclaimedDeposits(db, order.id);
	const received = sumOf(unclaimed);
	if (received === 0n)
		return { because: (await sentText(db, order.id)) ?? 'this order has no final deposit to send back' };
	const screened = await screeningsOf(db, order.id);
	const problem = refundProblem(subjectsOfRefund(order, unclaimed), screened, isScreening);
	if (problem !== null)
		return { because: `${problem}; \`order screen ${order.id} accept|hold|refund --reason R\` decides instead of it` };
	const asset = assetOf(order.fromAsset);
	const price = usdPrice(market, asset, now);
	const feeText = networkReport(market, asset.network, now)?.fees[asset.code];
	if (!price || feeText === undefined)
		return { because: `${asset.network} does not answer, or its price is too old; try again later` };
	const fee = BigInt(feeText);
	const coins = (units: bigint) => fromBaseUnits(units, asset.decimals);
	if (received <= fee)
		return {
			because: `the ${coins(received)} ${asset.code} received do not pay the network fee of ${coins(fee)}`,
			tooSmall: { received, deposits: unclaimed },
		};
	const cents = usdCents(decimal(coins(received)).times(price));
	if (atMostUsd !== undefined && cents > atMostUsd * 100)
		return { because: `it is worth more than the ${atMostUsd} USD that go back by themselves` };
	const payoutId = crypto.randomUUID();
	const amount = (received - fee).toString();
	const refund = { payoutId, order, amount, usdCents: cents };
	const what = { state: 'planned', network: asset.network, asset: asset.code, sweepAsset: null } as const;
	const planned = await refundStatements(db, { ...refund, deposits: unclaimed }, { sealKeys, now });
	await runBatch(db, [...planned, ...also]);
	return { payoutId, amount: coins(received - fee), networkFee: coins(fee), waitsBecause: stoppedBy(what, switches) };
}

interface NewRefund {
	readonly payoutId: string;
	readonly order: OrderRow;
	/** Base units that are sent. */
	readonly amount: string;
	/** The value of the deposits. */
	readonly usdCents: number;
	readonly deposits: readonly SettledDeposit[];
}

/** Its row, sealed with the deposits that it sends back, and its claim on these: for one batch. */
export async function refundStatements(
	db: Db,
	{ payoutId: id, order, amount, usdCents, deposits }: NewRefund,
	{ sealKeys, now }: Pick<RefundMeans, 'sealKeys' | 'now'>,
): Promise<Statement[]> {
	const { id: orderId, fromAsset: asset, refundAddress: toAddress } = order;
	const { network } = assetOf(asset);
	const what = { orderId, kind: 'refund', asset, amount } as const;
	const settlementSeal = await sealSettlement(sealKeys, { ...what, payoutId: id, plannedAt: now, deposits });
	return [
		insertPlanned(db, { id, ...what, network, toAddress, usdCents, settlementSeal }, now),
		claimDeposits(db, orderId, id, deposits),
		endRefundRequest(db, orderId, now),
	];
}

/** The newest refund that was sent; null if there is none. Deposits that come later can be refunded again. */
async function sentText(db: Db, orderId: string): Promise<string | null> {
	const isRefund = and(eq(transactions.orderId, orderId), eq(transactions.kind, 'refund'));
	const newest = desc(transactions.plannedAt);
	const [sent] = await db.select().from(transactions).where(isRefund).orderBy(newest).limit(1);
	if (!sent) return null;
	const amount = fromBaseUnits(BigInt(sent.amount), assetOf(sent.asset).decimals);
	const at = sent.sentAt === null ? '' : ` at ${new Date(sent.sentAt).toISOString()}`;
	return `the refund of ${amount} ${sent.asset} was sent${at} by transaction ${sent.settledTxId ?? sent.txId}; nothing else is left to send back`;
}

/** The transaction that is under way for the order, why it waits, and what to do. An order has one at a time. */
async function underWayText(db: Db, order: OrderRow, switches: Switches): Promise<string | null> {
	const open = await openTransactionOf(db, order.id);
	if (!open) return null;
	const since = new Date(open.plannedAt).toISOString();
	const why = waitReason(open, switches);
	const waits = why ? `, waits because ${why.because}` : '';
	const unsigned =
		open.state === 'planned' ? `; \`payout give-up ${open.id} --reason R\` takes it back if it cannot be made` : '';
	return open.kind === 'refund'
		? `a refund is on its way: ${open.state} since ${since}${waits}${unsigned}`
		: `the payout of this order is ${open.state} since ${since}${waits}${unsigned}`;
}
