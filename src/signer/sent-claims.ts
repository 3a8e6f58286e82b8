/** Rows of D1 that say that something was signed, against what the journal has. Signs nothing. */
import { type ClaimAnswer, MOST_CLAIMS, type SentClaim } from '../treasury/sent-claim.ts';
import { type SignedTerms, signedTerms } from './journal/signed-terms.ts';
import type { Volumes } from './journal/volumes.ts';

/**
 * In order. `forgottenUntil`: what was signed before may be forgotten, Unix milliseconds; null where nothing is. A row says by
 * itself when it was signed: after a loss it may lie about that, and `ledger check` tells the number of such rows.
 * @throws RangeError for too many; what `Volumes.ask` throws
 */
export async function answerClaims(
	storage: DurableObjectStorage,
	volumes: Volumes,
	forgottenUntil: number | null,
	claims: readonly SentClaim[],
): Promise<ClaimAnswer[]> {
	if (claims.length > MOST_CLAIMS) throw new RangeError(`more than ${MOST_CLAIMS} transactions`);
	const terms = signedTerms(storage, claims);
	// In the same turn: nothing moves in between.
	const moved = await volumes.answers(
		claims,
		({ id }) => [`payout ${id}`],
		(volume, asked) => volume.terms(asked),
	);
	return claims.map((claim, i) => {
		const signed = terms[i]?.kind ? terms[i] : moved[i];
		if (signed?.kind) return judge(claim, signed);
		const isOlder = forgottenUntil !== null && claim.signedAt !== null && claim.signedAt <= forgottenUntil;
		return isOlder ? 'older' : 'unsigned';
	});
}

function judge(claim: SentClaim, { kind, network, asset, amount, isVersion }: SignedTerms): ClaimAnswer {
	const isSame =
		kind === claim.kind &&
		network === claim.network &&
		(asset ?? claim.asset) === claim.asset &&
		(amount ?? claim.amount) === claim.amount;
	if (!isSame) return 'other-terms';
	return isVersion ? null : 'other-transaction';
}
