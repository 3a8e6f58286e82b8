/** How the kinds of transaction differ on their common path. What they set off is in `effects.ts`. Pure. */
import type { TransactionKind } from '../table.ts';

export interface KindRules {
	/** Is somebody waiting for it? Then it is signed before what only the service or the operator waits for. */
	readonly isOwed: boolean;
	/** Does it move coins between wallets of our own? Then nobody is owed it, and the service plans it again by itself. */
	readonly isInternal: boolean;
	/** Is its fee bumped while no block takes it? */
	readonly hasFeeBumps: boolean;
	/** Is the operator called when it is lost or unconfirmed for a long time? */
	readonly isUrgent: boolean;
	/** The ends after which its row is deleted, because its coins are where they were and nobody is owed them. */
	readonly abandonedWhen: 'expired' | 'taken' | 'never';
	/** Has it a nonce of its own, so that it need not wait for the transactions of the hot wallet, nor they for it? */
	readonly hasOwnNonce: boolean;
}

const OWED: KindRules = {
	...{ isOwed: true, isInternal: false, hasFeeBumps: true, isUrgent: true, abandonedWhen: 'never', hasOwnNonce: false },
};

export const KINDS: Readonly<Record<TransactionKind, KindRules>> = {
	payout: OWED,
	refund: OWED,
	earnings: OWED,
	withdrawal: { ...OWED, isOwed: false, abandonedWhen: 'expired' },
	gas: { ...OWED, isOwed: false, isInternal: true, abandonedWhen: 'expired' },
	// It can wait, and an empty address has nothing to pay a higher fee with.
	sweep: {
		...{ isOwed: false, isInternal: true, hasFeeBumps: false, isUrgent: true },
		...{ abandonedWhen: 'expired', hasOwnNonce: true },
	},
	// It pays the lowest fee on purpose, which may take days. A reorganisation may take away an output that it joins.
	consolidation: {
		...{ isOwed: false, isInternal: true, hasFeeBumps: false, isUrgent: false },
		...{ abandonedWhen: 'taken', hasOwnNonce: false },
	},
};

/** The kinds of which `is` holds. */
export const kindsWhere = (is: (rules: KindRules) => boolean): TransactionKind[] =>
	(Object.keys(KINDS) as TransactionKind[]).filter((kind) => is(KINDS[kind]));
