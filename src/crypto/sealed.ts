/**
 * Secrets at rest: AES-256-GCM under a key that is a Worker secret (decisions.md "Rotation"). `context` is bound as
 * additional data, so that a sealed value moved to another row or column does not open.
 */
import { base64urlnopad } from '@scure/base';

const IV_BYTES = 12;
const encoder = new TextEncoder();

/** `key`: 32 bytes, base64url without padding. */
export const sealingKey = (key: string): Promise<CryptoKey> =>
	crypto.subtle.importKey('raw', base64urlnopad.decode(key) as Uint8Array<ArrayBuffer>, 'AES-GCM', false, [
		'encrypt',
		'decrypt',
	]);

export async function sealSecret(key: CryptoKey, secret: string, context: string): Promise<string> {
	const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
	const sealed = await crypto.subtle.encrypt(parameters(iv, context), key, encoder.encode(secret));
	const bytes = new Uint8Array(IV_BYTES + sealed.byteLength);
	bytes.set(iv);
	bytes.set(new Uint8Array(sealed), IV_BYTES);
	return base64urlnopad.encode(bytes);
}

/** @throws when the value was not sealed under this key for this context. */
export async function openSecret(key: CryptoKey, sealed: string, context: string): Promise<string> {
	const bytes = base64urlnopad.decode(sealed);
	const opened = await crypto.subtle.decrypt(
		parameters(bytes.slice(0, IV_BYTES), context),
		key,
		bytes.slice(IV_BYTES) as Uint8Array<ArrayBuffer>,
	);
	return new TextDecoder().decode(opened);
}

const parameters = (iv: Uint8Array, context: string) => ({
	name: 'AES-GCM',
	iv: iv as Uint8Array<ArrayBuffer>,
	additionalData: encoder.encode(context),
});
