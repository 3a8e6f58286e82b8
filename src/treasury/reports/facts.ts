/**
 * The part of one finished order in the reports, from its rows. Reports add the facts of live orders and those that
 * `archived_totals` keeps of archived ones, so both come from this one function. Base units, exact; cents of USD are
 * rounded down, each by itself. Pure.
 */
import type { AssetId } from '../../catalog/assets.ts';
import { BPS } from '../../money/bps.ts';
import { sumOf } from '../../money/units.ts';
import type { OrderRow } from '../../orders/table.ts';
import { utcDay } from '../../platform/time.ts';
import type { ledgerEntries } from '../ledger/table.ts';
import type { TransactionRow } from '../table.ts';

/** An order that is DONE or EXPIRED, with what is on record of it. */
export interface FinishedOrder {
	readonly order: Pick<
		OrderRow,
		'partnerId' | 'referenceCode' | 'fromAsset' | 'toAsset' | 'status' | 'leanBps' | 'afftaxBps' | 'createdAt'
	>;
	/** Its payout and refunds. */
	readonly transactions: readonly Pick<
		TransactionRow,
		'kind' | 'state' | 'amount' | 'usdCents' | 'fee' | 'plannedAt'
	>[];
	/** Gas and sweeps of its pay-in address. */
	readonly sweeps: readonly Pick<TransactionRow, 'state' | 'fee'>[];
	readonly entries: readonly Pick<typeof ledgerEntries.$inferSelect, 'cause' | 'account' | 'asset' | 'amount'>[];
}

/** The orders that a line of a report is about. */
export interface ReportKey {
	/** UTC day on which the deposit was settled or its refund planned; of an order without either, the day it was made. */
	readonly day: string;
	readonly partnerId: string;
	/** Empty where the order was made under none. */
	readonly referenceCode: string;
	readonly fromAsset: AssetId;
	readonly toAsset: AssetId;
}

export interface ReportFacts extends ReportKey {
	/** 1 of one order, and the sums of several. */
	readonly orders: number;
	/** DONE. The fields of money below are those of DONE orders alone, but for `refunded`, `keptFrom` and the fees paid. */
	readonly ordersDone: number;
	/** The worth of the deposits at settlement. */
	readonly volumeUsdCents: number;
	/** The partner's afftax, worth at settlement: the same as the partner's counter. */
	readonly partnerUsdCents: number;
	/** The house's margin, worth at settlement. */
	readonly houseUsdCents: number;
	/** Kept back for the payout's network fee, worth at settlement. */
	readonly networkFeeUsdCents: number;
	/** The surcharge less the discount, worth at settlement: a part of the house's margin. */
	readonly leanUsdCents: number;
	/** Deposits that the payout answers for, in `fromAsset`. */
	readonly received: bigint;
	/** The payout, in `toAsset`. */
	readonly paid: bigint;
	/** The partner's and the house's shares, and what was kept back for the payout's fee, in `toAsset`. */
	readonly partnerShare: bigint;
	readonly houseShare: bigint;
	/** The part of the house's share that the order's lean added, and what it took off, in `toAsset`. */
	readonly surcharge: bigint;
	readonly discount: bigint;
	readonly keptTo: bigint;
	/** Sent back, and what was kept back for the refund's fee, in `fromAsset`. */
	readonly refunded: bigint;
	readonly keptFrom: bigint;
	/** The network's fee: for the payout, in the coin of `toAsset`'s network; for refund, gas and sweeps, of `fromAsset`'s. */
	readonly feePaidTo: bigint;
	readonly feePaidFrom: bigint;
}

export function factsOf({ order, transactions, sweeps, entries }: FinishedOrder): ReportFacts {
	const { partnerId, fromAsset, toAsset } = order;
	const payout = transactions.find(({ kind }) => kind === 'payout');
	const refunds = transactions.filter(
		({ kind, state }) => kind === 'refund' && (state === 'sent' || state === 'final'),
	);
	const isDone = order.status === 'DONE' && payout !== undefined;
	const at = payout?.plannedAt ?? refunds[0]?.plannedAt ?? order.createdAt;
	const booked = (cause: string, account: string, asset: AssetId): bigint =>
		sumOf(entries.filter((entry) => entry.cause === cause && entry.account === account && entry.asset === asset));
	const done = isDone
		? { received: booked('settled', 'wallet', fromAsset), gross: booked('settled', 'market', toAsset) }
		: { received: 0n, gross: 0n };
	const volumeUsdCents = isDone ? payout.usdCents : 0;
	/** US cents, rounded down. */
	const worth = (amount: bigint): number =>
		done.gross > 0n ? Number((BigInt(volumeUsdCents) * amount) / done.gross) : 0;
	/** US cents, towards zero. */
	const ofVolume = (bps: number): number => Number((BigInt(volumeUsdCents) * BigInt(bps)) / BigInt(BPS));
	const shares = {
		partnerShare: isDone ? -booked('paid', 'partner', toAsset) : 0n,
		houseShare: isDone ? -booked('paid', 'house', toAsset) : 0n,
		surcharge: shareOf(done.gross, order.leanBps),
		discount: shareOf(done.gross, -order.leanBps),
		keptTo: isDone ? -booked('settled', 'networkFee', toAsset) : 0n,
	};
	return {
		day: utcDay(at),
		partnerId,
		referenceCode: order.referenceCode ?? '',
		fromAsset,
		toAsset,
		orders: 1,
		ordersDone: isDone ? 1 : 0,
		volumeUsdCents,
		// Rounded down, as the partner's counter has it (`transactions/finish-store.ts`).
		partnerUsdCents: ofVolume(order.afftaxBps),
		houseUsdCents: worth(shares.houseShare),
		networkFeeUsdCents: worth(shares.keptTo),
		leanUsdCents: ofVolume(order.leanBps),
		received: done.received,
		paid: isDone ? BigInt(payout.amount) : 0n,
		...shares,
		refunded: sumOf(refunds),
		keptFrom: -sumOf(entries.filter(({ cause, account }) => cause.startsWith('refunded ') && account === 'networkFee')),
		feePaidTo: BigInt(payout?.fee ?? 0),
		feePaidFrom: [...refunds, ...sweeps].reduce((total, { fee }) => total + BigInt(fee ?? 0), 0n),
	};
}

/** Base units, rounded down; none where the share is below zero. */
const shareOf = (gross: bigint, bps: number): bigint => (bps > 0 ? (gross * BigInt(bps)) / BigInt(BPS) : 0n);

/** Two lines of the same orders in one: every sum is added, and the key is that of the first. */
export function addFacts(one: ReportFacts, other: ReportFacts): ReportFacts {
	const added = (name: keyof ReportFacts) => {
		const [mine, theirs] = [one[name], other[name]];
		if (typeof mine === 'bigint') return mine + BigInt(theirs);
		return typeof mine === 'number' ? mine + Number(theirs) : mine;
	};
	return Object.fromEntries(
		Object.keys(one).map((name) => [name, added(name as keyof ReportFacts)]),
	) as unknown as ReportFacts;
}
