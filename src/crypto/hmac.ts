/** HMAC-SHA256 over WebCrypto. Verification is WebCrypto's own, which compares in constant time. */
import { hex } from '@scure/base';

const HMAC_SHA256 = { name: 'HMAC', hash: 'SHA-256' };
const encoder = new TextEncoder();

/** `secret`: a text's UTF-8 bytes are the key, as `openssl dgst -sha256 -hmac` takes it. */
export const hmacKey = (secret: string | Uint8Array<ArrayBuffer>): Promise<CryptoKey> =>
	crypto.subtle.importKey('raw', bytesOf(secret), HMAC_SHA256, false, ['sign', 'verify']);

/** Lowercase hex digest. */
export async function hmacHex(key: CryptoKey, message: Uint8Array | string): Promise<string> {
	return hex.encode(new Uint8Array(await crypto.subtle.sign('HMAC', key, bytesOf(message))));
}

/** `digest`: 64 lowercase hex characters, checked by the caller. */
export const hmacMatches = (key: CryptoKey, digest: string, message: Uint8Array | string): Promise<boolean> =>
	crypto.subtle.verify('HMAC', key, hex.decode(digest), bytesOf(message));

function bytesOf(message: Uint8Array | string): Uint8Array<ArrayBuffer> {
	return (typeof message === 'string' ? encoder.encode(message) : message) as Uint8Array<ArrayBuffer>;
}
