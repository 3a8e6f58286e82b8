/** How the kinds of transaction differ on their common path. What follows from each is in `effects.ts`. Pure. */
import type { TransactionKind } from '../table.ts';

export interface KindRules {
	/** Is it owed to a recipient or a partner? Then it is signed before the others. */
	readonly isOwed: boolean;
	/** Does it move coins between our own wallets? Then nobody is owed it, and the service plans it again by itself. */
	readonly isInternal: boolean;
	/** Is another version of it signed while no block takes it, or where no node does? */
	readonly hasVersions: boolean;
	/** Is it blocked for the operator when it is dropped or unconfirmed for a long time? */
	readonly isUrgent: boolean;
	/** Which rejection deletes its row, because its coins are where they were and nobody is owed them. */
	readonly abandonedWhen: 'expired' | 'taken' | 'never';
	/** Is its nonce not the hot wallet's? Then it does not wait for the hot wallet's transactions, nor they for it. */
	readonly hasOwnNonce: boolean;
}

/**
 * A planned move between our own wallets that the signer refused this often is deleted and planned again, because prices and
 * gas have changed, or somebody wrote it. If the signer has signed it after all, it returns the same transaction for the same
 * address, so nothing is lost.
 */
export const MOST_REFUSALS = 5;

const OWED: KindRules = {
	isOwed: true,
	isInternal: false,
	hasVersions: true,
	isUrgent: true,
	abandonedWhen: 'never',
	hasOwnNonce: false,
};

/** It can wait, and an empty address has nothing to pay a higher fee with. */
const SWEEP: KindRules = {
	isOwed: false,
	isInternal: true,
	hasVersions: false,
	isUrgent: true,
	abandonedWhen: 'expired',
	hasOwnNonce: true,
};

export const KINDS: Readonly<Record<TransactionKind, KindRules>> = {
	payout: OWED,
	refund: OWED,
	earnings: OWED,
	withdrawal: { ...OWED, isOwed: false },
	stray: OWED,
	gas: { ...OWED, isOwed: false, isInternal: true, abandonedWhen: 'expired' },
	sweep: SWEEP,
	// It moves nothing of ours but its fee.
	token: SWEEP,
	// It pays the lowest fee on purpose, so it may take days. A reorganisation may remove an output that it joins.
	consolidation: { ...SWEEP, isUrgent: false, abandonedWhen: 'taken', hasOwnNonce: false },
};

/** The kinds for which `is` is true. */
export const kindsWhere = (is: (rules: KindRules) => boolean): TransactionKind[] =>
	(Object.keys(KINDS) as TransactionKind[]).filter((kind) => is(KINDS[kind]));
