/** Rows of D1 that say that something was signed, against what the journal has. Signs nothing. */
import { type ClaimAnswer, MOST_CLAIMS, type SentClaim } from '../treasury/sent-claim.ts';
import type { SignedTerms } from './journal/signed-terms.ts';
import type { Restored } from './restored.ts';

interface Known {
	readonly terms: (ids: readonly string[]) => ReadonlyMap<string, SignedTerms>;
	readonly restored: Restored;
}

/** In order. @throws RangeError for too many */
export function answerClaims({ terms, restored }: Known, claims: readonly SentClaim[]): ClaimAnswer[] {
	if (claims.length > MOST_CLAIMS) throw new RangeError(`more than ${MOST_CLAIMS} transactions`);
	const signed = terms(claims.map(({ id }) => id));
	const forgottenUntil = restored.state()?.restoredAt ?? null;
	return claims.map((claim) => {
		const known = signed.get(claim.id);
		if (known) return judge(claim, known);
		// A row says by itself when it was signed. So after a loss it may lie about that, and `ledger check` tells their number.
		const isOlder = forgottenUntil !== null && claim.signedAt !== null && claim.signedAt <= forgottenUntil;
		return isOlder ? 'older' : 'unsigned';
	});
}

function judge(claim: SentClaim, known: SignedTerms): ClaimAnswer {
	const isSame =
		known.kind === claim.kind &&
		known.network === claim.network &&
		(known.asset ?? claim.asset) === claim.asset &&
		(known.amount ?? claim.amount) === claim.amount;
	if (!isSame) return 'other-terms';
	return claim.txId !== null && known.txIds.has(claim.txId) ? null : 'other-transaction';
}
