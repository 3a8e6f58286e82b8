/**
 * Secrets at rest: AES-256-GCM under a key that is a Worker secret (book: contract, "Rotation"). `context` is bound as
 * additional data, so that a sealed value moved to another row or column does not open. A sealed value names its key:
 * `<key number>.<base64url>`.
 */
import { base64urlnopad } from '@scure/base';
import { type Key, type KeyRing, sealingKey } from './key-ring.ts';

const IV_BYTES = 12;
const SEALED = /^(\d{1,4})\.([A-Za-z0-9_-]+)$/;
const encoder = new TextEncoder();

const imported = ({ bytes }: Key): Promise<CryptoKey> =>
	crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt']);

export async function sealSecret(ring: KeyRing, secret: string, context: string): Promise<string> {
	const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES));
	const key = sealingKey(ring, Date.now());
	const sealed = await crypto.subtle.encrypt(parameters(iv, context), await imported(key), encoder.encode(secret));
	const bytes = new Uint8Array(IV_BYTES + sealed.byteLength);
	bytes.set(iv);
	bytes.set(new Uint8Array(sealed), IV_BYTES);
	return `${key.number}.${base64urlnopad.encode(bytes)}`;
}

/** @throws when the value was sealed neither with the current key nor with the previous one, or not for this context. */
export async function openSecret(ring: KeyRing, sealed: string, context: string): Promise<string> {
	const [, number, text] = SEALED.exec(sealed) ?? [];
	if (!text) throw new Error('what should be a sealed secret names no key');
	const key = [ring.current, ring.previous].find((each) => each?.number === Number(number));
	if (!key) throw new Error(`the secret was sealed with key ${number} of ${ring.name}, which is not set`);
	const bytes = base64urlnopad.decode(text);
	const opened = await crypto.subtle.decrypt(
		parameters(bytes.slice(0, IV_BYTES), context),
		await imported(key),
		bytes.slice(IV_BYTES) as Uint8Array<ArrayBuffer>,
	);
	return new TextDecoder().decode(opened);
}

const parameters = (iv: Uint8Array, context: string) => ({
	name: 'AES-GCM',
	iv: iv as Uint8Array<ArrayBuffer>,
	additionalData: encoder.encode(context),
});
