/** Signatures over WebCrypto, for requests and for webhooks (book: contract, "Signing"). */

const HMAC_SHA256 = { name: 'HMAC', hash: 'SHA-256' };
const encoder = new TextEncoder();

export const bytesOf = (text: string | Uint8Array | ArrayBuffer): Uint8Array<ArrayBuffer> =>
	new Uint8Array(typeof text === 'string' ? encoder.encode(text) : text);

/** The secret's UTF-8 bytes are the key. */
const keyOf = (secret: string): Promise<CryptoKey> =>
	crypto.subtle.importKey('raw', bytesOf(secret), HMAC_SHA256, false, ['sign', 'verify']);

/** The parts of a call that its signature covers. */
export interface Signable {
	/** Exactly the text that is sent; empty for a GET. */
	readonly body: string;
	readonly nonce: string;
	/** Unix seconds. Null is body-only mode, which signs the body alone. */
	readonly timestamp: string | null;
}

/** The text under the signature. */
export const signedText = ({ body, nonce, timestamp }: Signable): string =>
	timestamp === null ? body : `${timestamp}\n${nonce}\n${body}`;

/** `X-API-SIGN`: lowercase hex. */
export async function sign(apiSecret: string, signable: Signable): Promise<string> {
	const digest = await crypto.subtle.sign('HMAC', await keyOf(apiSecret), bytesOf(signedText(signable)));
	return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Is one of these signatures made with this secret over these bytes? WebCrypto compares in constant time. */
export async function isSignedWith(
	secret: string,
	signatures: readonly Uint8Array<ArrayBuffer>[],
	message: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
	const key = await keyOf(secret);
	const checks = await Promise.all(signatures.map((each) => crypto.subtle.verify('HMAC', key, each, message)));
	return checks.includes(true);
}
