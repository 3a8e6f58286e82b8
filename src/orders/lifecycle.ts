/**
 * `advance(order, facts, now)`: the only code that says what an order's status is and what must happen next (book:
 * contract, "States and transitions", "Orders"). Pure. Facts are what chain and treasury recorded; the answer is a list
 * of steps, because no status is skipped: a deposit that is final when first seen passes through PENDING.
 */
import { sumOf } from '../money/units.ts';
import { DAY_MILLISECONDS } from '../platform/time.ts';
import { countedTogether } from './dust.ts';
import type { Settlement } from './settlement.ts';
import type { EmergencyReason, OrderStatus } from './status.ts';
import type { OrderRow } from './table.ts';

/** A dropped deposit may come back for this long before its order expires. */
const DROPPED_MILLISECONDS = DAY_MILLISECONDS;

export interface DepositFact {
	readonly txId: string;
	readonly amount: bigint;
	readonly state: 'seen' | 'final' | 'gone';
	readonly dust: boolean;
	/** A payout or refund answers for it already. */
	readonly claimed: boolean;
	/** The operator finalised the order while it was on record: it is for `order refund` alone and counts no more. */
	readonly setAside: boolean;
	readonly firstSeenAt: number;
	readonly lastSeenAt: number;
}

/**
 * The answer of screening about the order's final deposits and its recipient together (book: architecture,
 * "Screening"). `unasked`: an answer is missing.
 */
export type Screened = 'accept' | 'hold' | 'refund' | 'unasked';

export interface Facts {
	readonly deposits: readonly DepositFact[];
	/** Nothing is owed for the deposits before it says accept. */
	readonly screened: Screened;
	/** The settlement for `received` base units at the live rate; null while no price is fresh enough. */
	readonly settle: (received: bigint) => Settlement | null;
}

export interface Step {
	readonly status: OrderStatus;
	/** For the history. */
	readonly cause: string;
	readonly emergencyReasons?: readonly EmergencyReason[];
	/** With LIMIT: which bound was crossed. */
	readonly limitSide?: 'below' | 'above';
	/** With EXCHANGE: what is owed from now on. */
	readonly settlement?: Settlement;
	/** With EMERGENCY: what the deposits are worth now, for the figures that the order shows; nothing is owed by it. */
	readonly worth?: Settlement;
	/** With EXPIRED: nothing was paid in, so the order gives its share of the daily cap back. */
	readonly unfunded?: true;
}

export interface Advanced {
	/** In order; none where nothing changes. */
	readonly steps: Step[];
	/** The exchange that the order's floor forbids: its deposits go back by themselves. Null where it forbids none. */
	readonly forbidden: Settlement | null;
}

/** The steps that the facts demand. An exchange below the order's floor is no step. */
export function advance(order: OrderRow, facts: Facts, now: number): Advanced {
	if (order.deletedAt !== null) return floored([]);
	switch (order.status) {
		case 'NEW':
			return floored(fromNew(order, facts, now));
		case 'PENDING':
			return floored(fromPending(order, facts, now));
		case 'EXPIRED':
			return floored(fromExpired(order, facts));
		case 'EMERGENCY':
			return floored(fromEmergency(order, facts));
		case 'EXCHANGE':
		case 'DONE':
			// The payout's broadcast is the only way on, and the treasury takes it (`paid`).
			return floored([]);
		default:
			return order.status satisfies never;
	}
}

const isForbidden = ({ settlement }: Step): boolean => settlement?.belowFloor === true;

const floored = (steps: readonly Step[]): Advanced => ({
	steps: steps.filter((step) => !isForbidden(step)),
	forbidden: steps.find(isForbidden)?.settlement ?? null,
});

/** EXCHANGE → DONE: the payout was broadcast. */
export const PAID: Step = { status: 'DONE', cause: 'payout broadcast' };

/** EMERGENCY → EXPIRED: the operator finalises (book: contract, "States and transitions"). */
export const finalised = (reason: string): Step => ({ status: 'EXPIRED', cause: `finalised: ${reason}` });

/** EMERGENCY, PENDING, or EXCHANGE whose payout was given up → EXPIRED: the deposit was sent back. */
export const REFUNDED: Step = { status: 'EXPIRED', cause: 'refund broadcast' };

/** The same → EXPIRED: nobody decided in time, and the deposit does not pay for its way back. */
export const UNRETURNED: Step = { status: 'EXPIRED', cause: 'too small to be sent back' };

/**
 * Deposits that count: on the chain or in the mempool, not paid for or sent back already, nor set aside. Dust counts with
 * one that is none.
 */
export const counted = <Deposit extends DepositFact>(deposits: readonly Deposit[]): readonly Deposit[] =>
	countedTogether(deposits.filter(({ state, claimed, setAside }) => !claimed && !setAside && state !== 'gone'));

/** The part that is owed for now: dust counts only with a deposit that is final too. */
export const countedFinal = <Deposit extends DepositFact>(deposits: readonly Deposit[]): readonly Deposit[] =>
	countedTogether(counted(deposits).filter(({ state }) => state === 'final'));

/** The settlement that an order in EMERGENCY would get now; null where nothing is final or no price is fresh enough. */
export function emergencyWorth(order: OrderRow, facts: Facts): Settlement | null {
	if (order.status !== 'EMERGENCY' || order.deletedAt !== null) return null;
	const final = countedFinal(facts.deposits);
	return final.length > 0 ? facts.settle(sumOf(final)) : null;
}

/** Nothing waits for dust, and dust makes nobody late or in time. */
const withoutDust = (deposits: readonly DepositFact[]): DepositFact[] => deposits.filter(({ dust }) => !dust);

const isMoreSeen = (live: readonly DepositFact[]): boolean => live.some(({ state }) => state === 'seen');

function fromNew(order: OrderRow, facts: Facts, now: number): Step[] {
	const live = counted(facts.deposits);
	const inTime = withoutDust(live).some(({ firstSeenAt }) => firstSeenAt <= order.expiresAt);
	if (inTime) {
		const pending: Step = { status: 'PENDING', cause: 'deposit seen' };
		return [pending, ...fromPending(order, facts, now)];
	}
	if (now <= order.expiresAt) return [];
	const expired: Step = { status: 'EXPIRED', cause: 'deposit window closed', unfunded: true };
	return [expired, ...fromExpired(order, facts)];
}

function fromPending(order: OrderRow, facts: Facts, now: number): Step[] {
	const live = withoutDust(counted(facts.deposits));
	const final = countedFinal(facts.deposits);
	if (live.length === 0) {
		const lastSeenAt = Math.max(...withoutDust(facts.deposits).map((deposit) => deposit.lastSeenAt));
		return now - lastSeenAt > DROPPED_MILLISECONDS
			? [{ status: 'EXPIRED', cause: 'deposit dropped', unfunded: true }]
			: [];
	}
	if (final.length === 0) return [];
	const settlement = facts.settle(sumOf(final));
	if (!settlement) return [];
	// More is on its way: it may bring the total into bounds, or above the floor.
	if ((settlement.bounds === 'below' || settlement.belowFloor) && isMoreSeen(live)) return [];
	const isLate = withoutDust(final).every(({ firstSeenAt }) => firstSeenAt > order.expiresAt);
	return settled(settlement, isLate, facts.screened);
}

/** For as long as its address is watched; what comes later is for the operator. */
function fromExpired(order: OrderRow, facts: Facts): Step[] {
	const watched = facts.deposits.filter(({ firstSeenAt }) => firstSeenAt <= order.watchUntil);
	const final = countedFinal(watched);
	if (final.length === 0) return [];
	const settlement = facts.settle(sumOf(final));
	return settlement ? settled(settlement, true, facts.screened) : [];
}

function fromEmergency(order: OrderRow, facts: Facts): Step[] {
	const settlement = emergencyWorth(order, facts);
	// Nothing would be left to pay, or the signer would never pay it: it stays EMERGENCY until the operator refunds.
	if (!settlement || !isSettled(settlement) || facts.screened !== 'accept') return [];
	if (settlement.belowFloor && isMoreSeen(withoutDust(counted(facts.deposits)))) return [];
	if (order.emergencyChoice === 'EXCHANGE') {
		// Nobody chooses by a price that they know.
		const isPricedAfter = order.chosenAt !== null && settlement.pricedAt > order.chosenAt;
		return isPricedAfter ? [{ status: 'EXCHANGE', cause: 'exchange chosen', settlement }] : [];
	}
	const onlyLimit = order.emergencyReasons.length === 1 && order.emergencyReasons[0] === 'LIMIT';
	// In time is what was first seen in time, here as everywhere: it may become final after the window closed.
	const final = countedFinal(facts.deposits);
	const inTime = final.filter(({ firstSeenAt }) => firstSeenAt <= order.expiresAt);
	const isAll = withoutDust(inTime).length === withoutDust(final).length;
	const toppedUp =
		onlyLimit && order.limitSide === 'below' && isAll && facts.settle(sumOf(inTime))?.bounds === 'within';
	return toppedUp ? [{ status: 'EXCHANGE', cause: 'topped up into bounds', settlement }] : [];
}

/** Can it be paid out, or does the order's floor send it back? */
const isSettled = ({ owed, beyondSigner, belowFloor }: Settlement): boolean =>
	(owed !== 0n || belowFloor) && !beyondSigner;

const limitSideOf = ({ bounds, beyondSigner }: Settlement): 'below' | 'above' =>
	bounds === 'above' || beyondSigner ? 'above' : 'below';

/** An order that screening holds, or wants sent back, stays as it is: EMERGENCY would ask for a choice. */
function settled(settlement: Settlement, late: boolean, screened: Screened): Step[] {
	const reasons: EmergencyReason[] = [];
	const { bounds, beyondSigner } = settlement;
	if (bounds !== 'within' || !isSettled(settlement)) reasons.push('LIMIT');
	if (late) reasons.push('EXPIRED');
	if (reasons.length === 0)
		return screened === 'accept' ? [{ status: 'EXCHANGE', cause: 'deposit final', settlement }] : [];
	const why = beyondSigner ? ' (worth more than the signer may sign in a day)' : '';
	const cause = `deposit final: ${reasons.join(', ')}${why}`;
	return [
		{
			status: 'EMERGENCY',
			cause,
			emergencyReasons: reasons,
			worth: settlement,
			...(reasons.includes('LIMIT') && { limitSide: limitSideOf(settlement) }),
		},
	];
}
