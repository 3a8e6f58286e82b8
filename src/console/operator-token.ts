/**
 * Who has the operator's token? The operator API and the console's sign-in ask here, so both spend one budget: of each
 * network of clients a few wrong tokens a minute. Once it is spent, even the right token waits: else guesses would go on.
 * Nothing is asked of D1. A token that is shorter than 32 random bytes admits nobody (`configuration/variables.ts`).
 */
import { OPERATOR_TOKEN_PATTERN, sameDigest, sha256Hex, type TokenVerdict } from '../crypto/tokens.ts';
import { type AnonymousGates, spendAnonymous } from '../partners/gate/anonymous.ts';
import type { ApiEnv } from '../ports/env.ts';

type Tokens = Pick<ApiEnv, 'OPERATOR_TOKEN' | 'OPERATOR_TOKEN_NEXT'>;

const BUCKET = 'operator token';
/** Wrong tokens that a network may send in a minute. */
const WRONG_A_MINUTE = { weight: 1, perMinute: 5 } as const;

/** Those that admit. None: the operator API is off. */
export function operatorTokens({ OPERATOR_TOKEN: token, OPERATOR_TOKEN_NEXT: newer }: Tokens): readonly string[] {
	const isLong = (text: string | undefined): text is string => OPERATOR_TOKEN_PATTERN.test(text ?? '');
	return isLong(token) ? [token, ...[newer].filter(isLong)] : [];
}

/** `address`: of the client. */
export async function judgeToken(
	tokens: readonly string[],
	given: string,
	gates: AnonymousGates,
	address: string | null,
): Promise<TokenVerdict> {
	const [digest = '', ...digests] = await Promise.all([given, ...tokens].map(sha256Hex));
	// In constant time, so the time says nothing about the tokens.
	const isRight = digests.map((of) => sameDigest(digest, of)).includes(true);
	// Both ask the gate, so the time does not say either which it was. Only the wrong one spends.
	const waitSeconds = await spendAnonymous(gates, BUCKET, address, { spent: WRONG_A_MINUTE, isQuestion: isRight });
	if (waitSeconds !== null) return { waitSeconds };
	return isRight ? 'right' : 'wrong';
}
