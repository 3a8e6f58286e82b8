/**
 * Why a payout waits for a person: what happened and what to do, in one line that `order show` and `order list
 * --attention` print. Whatever it says, the service pays nothing a second time by itself. Pure.
 */
import type { BroadcastRejected } from '../../chains/errors.ts';
import type { TransactionRow } from '../table.ts';

const BY_HAND =
	'nothing else is ever sent for it: pay the recipient by hand, from another wallet, and close the case with `payout settle`';

/** The network's word is for this moment; it is broadcast again and again. */
export const rejectedText = (reason: string): string =>
	`the network refuses the signed transaction (${reason}); it is tried again by itself: ` +
	'fill the payout wallet if it lacks coins, else look at the node';

const TAKEN = 'another transaction took its coins or its nonce';

export const takenText = (reason: string): string =>
	`${TAKEN} (${reason}), so it cannot arrive; find that transaction at the payout wallet's address; ${BY_HAND}`;

const EXPIRED = 'it was not taken before its time was over';

export const expiredText = (reason: string): string =>
	`${EXPIRED} (${reason}), so it cannot arrive any more; ${BY_HAND}`;

/** What the network's refusal means. */
export function refusalText({ taken, expired, message }: BroadcastRejected): string {
	if (taken) return takenText(message);
	return expired ? expiredText(message) : rejectedText(message);
}

/** What it tells of the books: if its time is over it has cost nothing, and nothing of it moves. `now`: Unix milliseconds. */
export const endOf = (refusal: BroadcastRejected | null, now: number): Partial<TransactionRow> =>
	refusal?.expired ? { fee: '0', finalAt: now } : {};

/** What is reverted may still be undone by a reorganisation, until that is final. */
export const isDeadText = (held: string | null, isFinal: boolean): boolean =>
	held !== null && (held.startsWith(TAKEN) || held.startsWith(EXPIRED) || (held.startsWith(REVERTED) && isFinal));

/** A later transaction need not wait for this one. */
export const isPassedOver = (held: string | null): boolean => held?.startsWith(TAKEN) === true;

const REVERTED = 'the chain took it and reverted it';

export const revertedText = (txId: string): string =>
	`${REVERTED} (${txId}), so nothing arrived; see in the explorer why the recipient did not take it; ${BY_HAND}`;

/** `milliseconds`: since it was sent. */
export const lostText = (milliseconds: number): string =>
	`neither chain nor mempool holds it, ${minutesOf(milliseconds)} minutes after it was sent; it is broadcast again by itself: ` +
	'look whether the node is in step, and whether another transaction spent its coins';

export const unconfirmedText = ({ sentAt }: Pick<TransactionRow, 'sentAt'>, raises: number, now: number): string =>
	`no block holds it ${minutesOf(now - (sentAt ?? now))} minutes after it was sent, its fee was raised ${raises} times; ` +
	'it may still confirm and needs nothing but time: look at the explorer, and whether fees are above the ceiling';

const minutesOf = (milliseconds: number): number => Math.floor(milliseconds / 60_000);
