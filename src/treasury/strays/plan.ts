/**
 * Plans the way back of strays: each is swept to the hot wallet, like a deposit, and what arrived goes back from there, less
 * what both cost, to the refund address or to the address that the operator entered. Each transaction takes the path of all
 * (`transactions/advance.ts`), and the signer judges it by itself. After a crash the row is judged again.
 */
import { sql } from 'drizzle-orm';
import { type AssetId, assetOf, isNative, nativeAsset } from '../../catalog/assets.ts';
import type { NetworkName } from '../../catalog/networks.ts';
import { isSent } from '../../catalog/settings.ts';
import type { Chain } from '../../chains/port.ts';
import { type Decimal, usdCents } from '../../money/decimal.ts';
import type { StrayWait } from '../../orders/strays.ts';
import type { OrderRow } from '../../orders/table.ts';
import { runBatch, type Statement } from '../../platform/d1/batches.ts';
import type { Db } from '../../platform/d1/database.ts';
import { log, logError } from '../../platform/log.ts';
import { HOUR_MILLISECONDS } from '../../platform/time.ts';
import { type Market, networkReport, usdPrice } from '../../pricing/market.ts';
import { feeInAsset } from '../../pricing/network-fee.ts';
import type { Planning } from '../connection.ts';
import { bookableOf, isBookedStill, markBooked, ofNoOrder } from '../deposits/of-no-order.ts';
import type { FeePayer } from '../ledger/reserve-rules.ts';
import { reserveEntries } from '../ledger/table.ts';
import { NOTHING_TO_SWEEP, partOf, planMove } from '../sweeps/move.ts';
import { usdValue } from '../sweeps/rules.ts';
import type { TransactionRow } from '../table.ts';
import { insertPlanned } from '../transactions/store.ts';
import { gasLeft, newlyArrived, sweptOf } from './rules.ts';
import { copyStraysOf, type DueStray, dueStrays, factsOf, hasOpenDeposits, takeStray } from './store.ts';
import { type StrayRow, strays } from './table.ts';

/** A stray that is under way or has no price is judged again after so long; one that is too small, after the longer time. */
const SOON_MILLISECONDS = 20_000;
const LATER_MILLISECONDS = 6 * HOUR_MILLISECONDS;
/** An order that may still be paid is looked at again after so long; once it is DONE, only its payout has to become final. */
const ORDER_MILLISECONDS = 600_000;

export interface StrayPlanning extends Planning {
	/** Screening asks about deposits alone, so a person decides about strays. */
	readonly isScreening: boolean;
	/** Another network of the same family. */
	readonly chainOn: (network: NetworkName) => Chain;
}

interface Judging extends StrayPlanning, DueStray {
	readonly moves: readonly TransactionRow[];
	readonly market: Market;
	readonly usd: Decimal;
	readonly nativeUsd: Decimal;
	/** The fee of the return, and of the sweep where the asset does not pay for it itself; base units of the asset. */
	readonly cost: bigint;
}

/**
 * Judges what is due. One that fails is logged, and judged again at the next upkeep. Returns when the next one is due.
 */
export async function planStrays(planning: StrayPlanning): Promise<number> {
	const { db, network, now } = planning;
	const next = await dueStrays(db, network);
	const due = next.filter(({ row }) => (row.dueAt ?? 0) <= now);
	for (const each of due) {
		const { row, order } = each;
		try {
			await runBatch(db, [...(await judge(planning, each)), copyStraysOf(db, order.id, now)]);
		} catch (error) {
			logError('stray_not_planned', error, { network, orderId: order.id, asset: row.asset });
		}
	}
	return due.length > 0 ? now : (next[0]?.row.dueAt ?? Number.POSITIVE_INFINITY);
}

async function judge(planning: StrayPlanning, due: DueStray): Promise<Statement[]> {
	const { db, network, chain, market, now } = planning;
	const { row } = due;
	const later = (waits: StrayWait | null, milliseconds: number | null) => [
		takeStray(db, row, { waits, dueAt: milliseconds === null ? null : now + milliseconds }),
	];
	const { moves, isMoving, isStopped, isHeld } = await factsOf(db, row);
	if (isMoving) return later(isStopped ? 'stopped' : null, SOON_MILLISECONDS);
	if (row.asset !== due.order.fromAsset && (await mayStillPay(planning, due.order)))
		return later(row.waits, due.order.status === 'DONE' ? SOON_MILLISECONDS : ORDER_MILLISECONDS);
	const decision = row.toAddress === null ? await undecided(planning, due, isHeld) : null;
	if (decision) return later(decision, null);
	const cost = market && costOf(market, row.asset, chain.sweeping?.feePayer, now);
	const usd = market && usdPrice(market, assetOf(row.asset), now);
	const nativeUsd = market && usdPrice(market, assetOf(nativeAsset(network)), now);
	if (!market || cost === null || !usd || !nativeUsd) return later('no-price', SOON_MILLISECONDS);
	if (!isSent(market.settings, assetOf(row.asset))) return later(row.waits, SOON_MILLISECONDS);
	const planned = await next({ ...planning, ...due, moves, market, usd, nativeUsd, cost });
	if (planned === 'too-small') return later('too-small', LATER_MILLISECONDS);
	return planned === 'nothing' ? later(null, null) : planned;
}

/**
 * Where the address pays for its sweep, that of a token takes its gas from the coin there, so it waits while that coin may
 * still prove a deposit of an order that asked for the coin.
 */
export async function mayStillPay({ db, network, chain }: Planning, order: OrderRow): Promise<boolean> {
	if (chain.sweeping?.feePayer !== 'address') return false;
	if (order.fromNetwork !== network || order.fromAsset !== nativeAsset(network)) return false;
	return (order.status !== 'DONE' && order.status !== 'EXPIRED') || (await hasOpenDeposits(db, order.id));
}

/** The question that a person decides before it goes to the refund address; null where it may go. */
async function undecided(
	{ network, isScreening, chainOn }: StrayPlanning,
	{ order }: DueStray,
	isHeld: boolean,
): Promise<StrayWait | null> {
	if (isScreening || isHeld) return 'screening';
	if (order.fromNetwork === network) return null;
	return (await chainOn(order.fromNetwork).isContract?.(order.refundAddress)) ? 'contract' : null;
}

/** The return of what has arrived, else the sweep of what lies there. */
async function next(judging: Judging): Promise<Statement[] | 'too-small' | 'nothing'> {
	const { db, chain, row, moves, cost, now } = judging;
	const feePayer = chain.sweeping?.feePayer;
	if (!chain.sweeping) {
		const left = BigInt(row.counted) - BigInt(row.taken);
		if (left <= 0n) return 'nothing';
		if (left <= cost) return 'too-small';
		const booked = await bookListed(db, row, BigInt(row.counted), now);
		// The poll has not counted it yet.
		if (!booked) return [takeStray(db, row, { waits: null, dueAt: now + SOON_MILLISECONDS })];
		return [...booked, ...planReturn(judging, left, left - cost)];
	}
	const { gross, amount: arrived } = newlyArrived(moves, row.asset, feePayer, BigInt(row.taken));
	if (arrived > 0n) {
		// Gas of ours that may be among it; negative: coins of the payer that paid for sweeps of ours.
		const ours = isNative(assetOf(row.asset)) ? gasLeft(moves, feePayer) : 0n;
		const kept = ours > cost ? ours : ours < 0n ? cost + ours : cost;
		const amount = kept > 0n ? arrived - kept : arrived;
		return amount > 0n ? planReturn(judging, gross, amount) : 'too-small';
	}
	const lying = BigInt(row.counted) - sweptOf(moves, row.asset, feePayer);
	return lying > 0n ? planSweep(judging, lying) : 'nothing';
}

/** `gross`: base units that are answered for; `amount`: what is sent. */
function planReturn({ db, network, row, order, usd, now }: Judging, gross: bigint, amount: bigint): Statement[] {
	const id = crypto.randomUUID();
	const { asset, address: payInAddress, toAddress } = row;
	log('stray_return_planned', { payoutId: id, orderId: order.id, network, asset, amount: amount.toString() });
	return [
		insertPlanned(
			db,
			{
				id,
				kind: 'stray',
				network,
				asset,
				amount: amount.toString(),
				toAddress: toAddress ?? order.refundAddress,
				usdCents: usdCents(usdValue(amount, asset, usd)),
				payInAddress,
				payInIndex: order.payInIndex,
				sweepAsset: asset,
			},
			now,
		),
		takeStray(db, row, { taken: (BigInt(row.taken) + gross).toString(), waits: null, dueAt: null }),
	];
}

async function planSweep(judging: Judging, lying: bigint): Promise<Statement[] | 'too-small'> {
	const { db, network, chain, row, order, moves, usd, nativeUsd, cost, now } = judging;
	const { asset, address } = row;
	const [quote = NOTHING_TO_SWEEP] = (await chain.sweeping?.quote([{ address, asset }])) ?? [];
	const part = partOf(lying, asset, quote, nativeAsset(network));
	const planned = part.amount > cost && planMove(judging, { order, asset, quote, moves, ...part, usd, nativeUsd });
	return planned ? [planned, takeStray(db, row, { waits: null, dueAt: now + SOON_MILLISECONDS })] : 'too-small';
}

/** Base units of the asset, rounded up; null where price or fee is not known. */
function costOf(market: Market, asset: AssetId, feePayer: FeePayer | undefined, now: number): bigint | null {
	const { network } = assetOf(asset);
	const report = networkReport(market, network, now);
	const fee = report?.fees[asset];
	if (!report || fee === undefined) return null;
	const { deposit = '0', recipient = '0' } = report.costs[asset] ?? {};
	// A native stray pays for its own sweep, where the hot wallet does not.
	const paysOwn = isNative(assetOf(asset)) && feePayer !== 'wallet';
	const beyond = BigInt(recipient) + (paysOwn ? 0n : BigInt(deposit));
	const moved = feeInAsset({ asset: nativeAsset(network), amount: beyond }, asset, market, now);
	return moved === null ? null : BigInt(fee) + moved;
}

/**
 * A stray on a network whose node lists every payment is in `unattributed` already, with what belongs to nobody. Before it
 * goes back, it is taken out of that sum and booked as reserve, of which the return is paid.
 *
 * `upTo`: base units of the stray that are to be booked in all; what a return that was given up has booked is. Null while so
 * much is not counted there. The batch fails where somebody else has booked some of it meanwhile.
 */
async function bookListed(
	db: Db,
	{ network, address, asset, booked }: StrayRow,
	upTo: bigint,
	now: number,
): Promise<Statement[] | null> {
	const amount = upTo - BigInt(booked);
	if (amount <= 0n) return [];
	const sum = await ofNoOrder(db, asset);
	if (!sum || bookableOf(sum) < amount) return null;
	return [
		// Null where it changed, which the column refuses.
		db
			.update(strays)
			.set({ lookedAt: sql`case when ${isBookedStill(sum)} then ${now} end`, booked: upTo.toString() })
			.where(sql`${strays.network} = ${network} and ${strays.address} = ${address} and ${strays.asset} = ${asset}`),
		db
			.insert(reserveEntries)
			.values({ network, txId: crypto.randomUUID(), position: 'stray', asset, amount: amount.toString(), at: now }),
		markBooked(db, sum, amount),
	];
}
