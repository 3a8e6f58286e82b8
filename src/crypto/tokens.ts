/** Random tokens, and the hash that is all the service keeps of an order's token. */
import { base64urlnopad, hex } from '@scure/base';

const TOKEN_BYTES = 32;

/** 32 random bytes as 43 characters of base64url: order tokens, apiSecrets and webhookSecrets. */
export const randomToken = (): string => base64urlnopad.encode(crypto.getRandomValues(new Uint8Array(TOKEN_BYTES)));

export const TOKEN_PATTERN = /^[A-Za-z0-9_-]{43}$/;

/** RFC 6750's letters, as many as 32 random bytes take in base64: nobody guesses them. */
export const OPERATOR_TOKEN_PATTERN = /^[\w.~+/-]{43,}=*$/;

/** `waitSeconds`: the network has sent too many wrong ones. Whether this one is right is not said. */
export type TokenVerdict = 'right' | 'wrong' | { readonly waitSeconds: number };

export async function sha256Hex(text: string): Promise<string> {
	return hex.encode(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))));
}

/** Ties a session to a token, and tells nothing of it to anyone who does not have the salt, 32 random bytes. */
export const markOfToken = (token: string, salt: string): Promise<string> => sha256Hex(`${salt} ${token}`);

/** Compares two SHA-256 digests in hex in constant time; both have 64 characters by construction. */
export function sameDigest(a: string, b: string): boolean {
	if (a.length !== b.length) return false;
	return crypto.subtle.timingSafeEqual(new TextEncoder().encode(a), new TextEncoder().encode(b));
}
