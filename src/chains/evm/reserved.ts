/**
 * The amount that signed payouts may still take from the hot wallet. A node does not know payouts that are not
 * broadcast yet. A token payout that finds too little does not wait: a block takes it, and it reverts. So each
 * signature reserves what it takes until the chain has counted its nonce. Pure.
 */
import type { OutgoingReservation } from '../reservations.ts';
import type { SigningState } from '../signing-port.ts';

/**
 * `counted`: transactions of the hot wallet that the chain holds. They must be counted before the balance is read.
 * Otherwise a payout that is mined in between would be missing from both.
 */
export const openPayouts = ({ spent }: SigningState, counted: number): OutgoingReservation[] =>
	[...spent].filter((each) => each.kind === 'until nonce').filter(({ nonce }) => nonce >= counted);
