/** Reads what D1 says of transactions that are to be signed, of all kinds. None of it is believed before it is judged. */
import type { Db } from '../platform/d1/database.ts';
import type { TransactionRow } from '../treasury/table.ts';
import { type EarningsClaim, loadEarnings } from './earnings/claim.ts';
import { loadPayouts } from './payouts/claim.ts';
import type { Claim } from './payouts/judge.ts';
import { loadStrayClaims, type StrayClaim } from './strays/claim.ts';
import { loadTokenClaims, type TokenClaim } from './strays/token.ts';
import { loadOwnTransactions, type OwnTransactions } from './sweeps/claim.ts';

export interface Claims extends OwnTransactions {
	readonly payouts: readonly Claim[];
	readonly earnings: readonly EarningsClaim[];
	readonly strays: readonly StrayClaim[];
	readonly tokens: readonly TokenClaim[];
}

export const NO_CLAIMS: Claims = {
	payouts: [],
	earnings: [],
	strays: [],
	tokens: [],
	movements: [],
	consolidations: [],
	withdrawals: [],
};

export async function loadClaims(db: Db, payoutIds: readonly string[]): Promise<Claims> {
	const [payouts, earnings, own, strays, tokens] = await Promise.all([
		loadPayouts(db, payoutIds),
		loadEarnings(db, payoutIds),
		loadOwnTransactions(db, payoutIds),
		loadStrayClaims(db, payoutIds),
		loadTokenClaims(db, payoutIds),
	]);
	return { payouts, earnings, strays, tokens, ...own };
}

/** Those of one transaction. */
export function claimsOf(claims: Claims, payoutId: string): Claims {
	const isIt = ({ id }: Pick<TransactionRow, 'id'>) => id === payoutId;
	return {
		payouts: claims.payouts.filter(({ payout }) => isIt(payout)),
		earnings: claims.earnings.filter(({ payout }) => isIt(payout)),
		strays: claims.strays.filter(({ row }) => isIt(row)),
		tokens: claims.tokens.filter(({ row }) => isIt(row)),
		movements: claims.movements.filter(isIt),
		consolidations: claims.consolidations.filter(isIt),
		withdrawals: claims.withdrawals.filter(isIt),
	};
}
