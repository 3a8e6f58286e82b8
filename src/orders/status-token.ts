/**
 * The status token of an order: who has it reads the order and does nothing else (book: contract, "GET /api/v1/status").
 * It follows from the hash of the order's token, so nothing more is stored, and it does not lead back to the token.
 */
import { base64urlnopad, hex } from '@scure/base';
import { hmacHex, hmacKey } from '../crypto/hmac.ts';
import { sameDigest, TOKEN_PATTERN } from '../crypto/tokens.ts';
import type { OrderRow } from './table.ts';

/** 43 characters of base64url. */
export async function statusTokenOf({ id, tokenHash }: Pick<OrderRow, 'id' | 'tokenHash'>): Promise<string> {
	return base64urlnopad.encode(hex.decode(await hmacHex(await hmacKey(tokenHash), `status ${id}`)));
}

/** Any text may be given. */
export const isStatusTokenOf = async (order: Pick<OrderRow, 'id' | 'tokenHash'>, token: string): Promise<boolean> =>
	TOKEN_PATTERN.test(token) && sameDigest(await statusTokenOf(order), token);
