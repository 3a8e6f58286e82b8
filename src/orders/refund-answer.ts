/** The answer to somebody who asks for a refund, by what is known of the order. Pure. */
import type { DepositRow } from './table.ts';

export const NO_REFUND_ASKED = { refundAskedAt: null, refundAskedBy: null } as const;

/**
 * `asked`: it was asked for now or before. `under way`: it is planned or signed. `paid`: the payout is signed or sent, and
 * no other coins are here. `nothing`: no final deposit is here. `moved`: the order went on at the same moment.
 */
export type RefundAnswer = 'asked' | 'under way' | 'paid' | 'nothing' | 'moved';

interface Subject {
	readonly deposits: readonly Pick<DepositRow, 'state' | 'payoutId' | 'dust'>[];
	readonly transactions: readonly { readonly kind: string; readonly state: string }[];
}

/** A payout that is planned and not signed can be taken back by the operator. */
export function refundAnswer({ deposits, transactions }: Subject): Exclude<RefundAnswer, 'moved'> {
	const open = transactions.find(({ state }) => state === 'planned' || state === 'signed');
	if (open?.kind === 'refund') return 'under way';
	if (open) return open.state === 'planned' ? 'asked' : 'paid';
	const isHere = deposits.some(({ state, payoutId, dust }) => state === 'final' && payoutId === null && !dust);
	if (isHere) return 'asked';
	return transactions.some(({ kind }) => kind === 'payout') ? 'paid' : 'nothing';
}
