/**
 * An order as its payer is told of it: what the partner's API shows (book: contract, "Order"), and beside it the payer's
 * own deposits, the refund, and what the partner set for these pages. Nothing here is a secret of anybody else. Pure.
 */
import { assetOf } from '../catalog/assets.ts';
import { fromBaseUnits, sumOf, toBaseUnits } from '../money/units.ts';
import { countedTogether } from '../orders/dust.ts';
import { missesFloor } from '../orders/floor.ts';
import { type Progress, progressOf, type WaitingDeposit } from '../orders/progress.ts';
import { refundAnswer } from '../orders/refund-answer.ts';
import type { OrderStatus } from '../orders/status.ts';
import { type StrayView, straysView } from '../orders/strays.ts';
import type { DepositRow, OrderRow } from '../orders/table.ts';
import { type OrderView, orderView, type StatusView, statusView } from '../orders/view.ts';
import type { OrderPageSettings } from '../partners/order-page.ts';
import { pick } from '../platform/pick.ts';
import { MINUTE_MILLISECONDS } from '../platform/time.ts';
import { isUnreturned } from '../treasury/ledger/entries.ts';
import type { TransactionRow } from '../treasury/table.ts';
import { versionOf } from './version.ts';

/** Deposits that are listed; an order that is flooded has more. */
const MAX_DEPOSITS = 20;

export interface PayerDeposit {
	readonly txId: string;
	readonly amount: string;
	/** Unix milliseconds. */
	readonly at: number;
	readonly state: DepositRow['state'];
}

export interface PayerRefund {
	readonly state: 'underway' | 'sent';
	readonly amount: string;
	readonly networkFee: string;
	/** Unix milliseconds; null until it is sent. */
	readonly at: number | null;
}

/** The live rate, what a deposit would bring at it, and which amounts are swapped now. */
export interface LiveQuote {
	readonly toAmount: string;
	readonly rate: string;
	/** The worth of `toAmount`, to the cent, down. */
	readonly usd: string;
	/** In the asset that is paid in, inclusive. */
	readonly min: string;
	readonly max: string;
}

const SHOWN_OF_PARTNER = ['name', 'returnUrl', 'support', 'terms', 'accent', 'logo', 'language'] as const;

/** `support`: whom payers ask where the partner named nobody. */
export const brandOf = (settings: OrderPageSettings, support: string | null): PayerOrder['partner'] => ({
	...pick(settings, ...SHOWN_OF_PARTNER),
	support: settings.support ?? support,
});

export interface PayerOrder {
	readonly order: OrderView;
	/** Unix milliseconds at the service. */
	readonly now: number;
	/** Differs whenever something that is shown may differ. */
	readonly version: string;
	readonly progress: Progress | null;
	/** Oldest first; dust only with a deposit that is none. */
	readonly deposits: readonly PayerDeposit[];
	/** The sum of the deposits that the order counts; 0 where nothing came. */
	readonly received: string;
	/** The part that came after the payout began, or stayed when the operator closed the order; null where there is none. */
	readonly beyond: string | null;
	/** Too small to be sent back, and booked so; null where nothing is. */
	readonly unreturned: string | null;
	/** The amount that would let the order go on, if it came to the same address in time. */
	readonly missing: string | null;
	readonly limit: 'below' | 'above' | null;
	/** Null where there is no fresh price. */
	readonly quote: LiveQuote | null;
	readonly refund: PayerRefund | null;
	/** Arrivals of another asset or network. */
	readonly strays: readonly StrayView[];
	/** May the payer choose EXCHANGE now? */
	readonly mayExchange: boolean;
	/** The order shows a payout that is less than its floor. */
	readonly missesFloor: boolean;
	/** May the payer, or the partner, ask for a refund now? */
	readonly mayAskRefund: boolean;
	/** Unix milliseconds; null where no refund is asked for. */
	readonly refundAskedAt: number | null;
	/** The operator has switched off the payouts of the network that the order is to be paid on. */
	readonly payoutsPaused: boolean;
	/** A payout that was planned long ago is not sent yet. */
	readonly payoutSlow: boolean;
	/** By transaction id. */
	readonly explorers: Readonly<Record<string, string>>;
	readonly partner: Pick<OrderPageSettings, (typeof SHOWN_OF_PARTNER)[number]>;
}

/** An order for who has its status token: what `GET /api/v1/status` answers, and whose pages these are. */
export interface PayerStatus extends Pick<PayerOrder, 'now' | 'version' | 'explorers' | 'partner'> {
	readonly order: StatusView;
}

export const payerStatus = (
	{ order, settings }: Pick<PayerRecord, 'order' | 'settings'>,
	{ explorers, support, now }: Pick<Beside, 'explorers' | 'support' | 'now'>,
): PayerStatus => ({
	order: statusView(order, now),
	now,
	version: versionOf(order, null),
	explorers,
	partner: brandOf(settings, support),
});

/** An order's record, as D1 or the archive has it. */
export interface PayerRecord {
	readonly order: OrderRow;
	readonly deposits: readonly DepositRow[];
	/** The order's payout and its refunds. */
	readonly transactions: readonly PayerTransaction[];
	readonly settings: OrderPageSettings;
}

export type PayerTransaction = Pick<TransactionRow, 'id' | 'kind' | 'state' | 'amount' | 'sentAt' | 'plannedAt'>;

/** The facts that are known beside the record. */
export interface Beside {
	readonly waiting: WaitingDeposit | null;
	readonly quote: LiveQuote | null;
	readonly payoutsPaused: boolean;
	/** Whom payers ask where the partner named nobody; null where the operator named nobody either. */
	readonly support: string | null;
	readonly explorers: Readonly<Record<string, string>>;
	readonly now: number;
}

export function payerOrder(record: PayerRecord, beside: Beside): PayerOrder {
	const { waiting, quote, payoutsPaused, explorers, now } = beside;
	const { order, settings } = record;
	const coins = (units: bigint): string => fromBaseUnits(units, assetOf(order.fromAsset).decimals);
	const ours = countedTogether(record.deposits).toSorted((a, b) => a.firstSeenAt - b.firstSeenAt);
	const live = ours.filter(({ state }) => state !== 'gone');
	const open = live.filter(({ payoutId, setAside }) => payoutId === null && !setAside);
	const refund = refundOf(record, coins);
	const beyond = beyondOf(order.status, live);
	const unreturned = sumOf(live.filter(({ payoutId }) => isUnreturned(payoutId)));
	const missing = refund?.state === 'underway' ? 0n : missingUnits(order, sumOf(open), now);
	return {
		order: orderView(order, now),
		now,
		version: versionOf(order, waiting?.confirmations ?? null),
		progress: progressOf(order, waiting),
		deposits: ours.slice(-MAX_DEPOSITS).map(({ txId, amount, firstSeenAt, state }) => ({
			txId,
			amount: coins(BigInt(amount)),
			// It counts from the last poll that worked, which may lie before the order.
			at: Math.max(firstSeenAt, order.createdAt),
			state,
		})),
		received: order.depositAmount ?? coins(sumOf(live)),
		beyond: beyond === 0n ? null : coins(beyond),
		unreturned: unreturned === 0n ? null : coins(unreturned),
		missing: missing > 0n ? coins(missing) : null,
		limit: order.status === 'EMERGENCY' ? order.limitSide : null,
		quote,
		refund,
		strays: straysView(order),
		mayExchange: mayExchange(record) && refund?.state !== 'underway',
		missesFloor: missesFloor(order),
		mayAskRefund: order.refundAskedAt === null && mayAskRefund(record, payoutsPaused, now),
		refundAskedAt: order.refundAskedAt,
		payoutsPaused,
		payoutSlow: record.transactions.some((one) => one.kind === 'payout' && isSlow(one, now)),
		explorers,
		partner: brandOf(settings, beside.support),
	};
}

/** In EXCHANGE and DONE what no payout answers for; in EXPIRED what the operator set aside. */
function beyondOf(status: OrderStatus, live: readonly DepositRow[]): bigint {
	const open = live.filter(({ payoutId }) => payoutId === null);
	if (status === 'EXCHANGE' || status === 'DONE') return sumOf(countedTogether(open));
	return status === 'EXPIRED' ? sumOf(countedTogether(open.filter(({ setAside }) => setAside))) : 0n;
}

/** Base units. Only too little, in time, can be topped up (book: contract, "Orders"). */
function missingUnits(order: OrderRow, received: bigint, now: number): bigint {
	const { status, emergencyReasons, limitSide, expiresAt } = order;
	const isOnlyLimit = emergencyReasons.length === 1 && emergencyReasons[0] === 'LIMIT';
	if (status !== 'EMERGENCY' || !isOnlyLimit || limitSide !== 'below' || now >= expiresAt) return 0n;
	return toBaseUnits(order.fromAmount, assetOf(order.fromAsset).decimals) - received;
}

/** The newest one. What a refund did not send of the deposits that it answers for is its network fee. */
function refundOf({ deposits, transactions }: PayerRecord, coins: (units: bigint) => string): PayerRefund | null {
	const newest = transactions.filter(({ kind }) => kind === 'refund').toSorted((a, b) => b.plannedAt - a.plannedAt)[0];
	if (!newest) return null;
	const amount = BigInt(newest.amount);
	const taken = sumOf(deposits.filter(({ payoutId }) => payoutId === newest.id));
	const state = newest.state === 'sent' || newest.state === 'final' ? 'sent' : 'underway';
	return { state, amount: coins(amount), networkFee: coins(taken > amount ? taken - amount : 0n), at: newest.sentAt };
}

/**
 * Where the partner lets payers decide, and there is something to decide: one whose payout would not be positive stays as
 * it is, and one below its floor would go back.
 */
export const mayExchange = ({ order, settings }: Pick<PayerRecord, 'order' | 'settings'>): boolean =>
	settings.payerDecides &&
	order.status === 'EMERGENCY' &&
	order.emergencyChoice === null &&
	order.toAmount !== '0' &&
	!missesFloor(order);

/** A payout that is planned is normally signed within seconds. */
const SLOW_MILLISECONDS = 10 * MINUTE_MILLISECONDS;

const isSlow = ({ state, plannedAt }: PayerTransaction, now: number): boolean =>
	(state === 'planned' || state === 'signed') && now - plannedAt > SLOW_MILLISECONDS;

/** Where it is worth a button: not while the order goes on as it should. */
function mayAskRefund({ order, deposits, transactions }: PayerRecord, payoutsPaused: boolean, now: number): boolean {
	if (refundAnswer({ deposits, transactions }) !== 'asked') return false;
	const planned = transactions.find(({ state }) => state === 'planned');
	if (planned) return payoutsPaused || isSlow(planned, now);
	return order.status !== 'PENDING' || deposits.every(({ state }) => state !== 'seen');
}
