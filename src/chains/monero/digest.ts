/**
 * HTTP digest authentication (RFC 2617, MD5, qop=auth), the only kind that Monero's programs support. The server gives
 * each connection its own challenge, so one answer serves one call.
 */
import { md5 } from '@noble/hashes/legacy.js';
import { hex } from '@scure/base';
import { type AnswerChallenge, type Credentials, type MoneroRpc, moneroRpc, type Reached } from './node.ts';

export interface Challenge {
	readonly realm: string;
	readonly nonce: string;
}

const FIRST_USE = '00000001';
const CNONCE_BYTES = 16;

const hashOf = (...parts: readonly string[]): string => hex.encode(md5(new TextEncoder().encode(parts.join(':'))));

/** The challenge in a `WWW-Authenticate` header; null where the header asks for another kind of authentication. */
export function challengeOf(header: string | null): Challenge | null {
	const realm = /^Digest\b.*?\brealm="([^"]*)"/i.exec(header ?? '')?.[1];
	const nonce = /\bnonce="([^"]*)"/i.exec(header ?? '')?.[1];
	return realm !== undefined && nonce !== undefined ? { realm, nonce } : null;
}

/** The `Authorization` header that answers the challenge. `cnonce`: the client's own random value. */
export function answerTo(
	{ realm, nonce }: Challenge,
	{ user, password }: Credentials,
	{ method, uri, cnonce }: { readonly method: string; readonly uri: string; readonly cnonce: string },
): string {
	const secret = hashOf(user, realm, password);
	const response = hashOf(secret, nonce, FIRST_USE, cnonce, 'auth', hashOf(method, uri));
	const quoted = { username: user, realm, nonce, uri, cnonce, response };
	const fields = Object.entries(quoted).map(([name, value]) => `${name}="${value}"`);
	return `Digest ${fields.join(', ')}, algorithm=MD5, qop=auth, nc=${FIRST_USE}`;
}

const digestAnswer: AnswerChallenge = (header, credentials, uri) => {
	const challenge = challengeOf(header);
	const cnonce = hex.encode(crypto.getRandomValues(new Uint8Array(CNONCE_BYTES)));
	return challenge && answerTo(challenge, credentials, { method: 'POST', uri, cnonce });
};

/** To a monero-wallet-rpc, which has digest authentication of its own (`--rpc-login`). */
export const walletRpc = (url: string, more: Omit<Reached, 'answer'> = {}): MoneroRpc =>
	moneroRpc(url, { ...more, answer: digestAnswer });
