/**
 * apiKeys: public, and checked before any storage is asked. An apiKey is the partner's id and a keyed checksum, so a
 * random or mistyped one costs one HMAC and reaches no object (decisions.md "Signed calls").
 */
import { base64urlnopad, hex } from '@scure/base';

const ID_BYTES = 16;
const CHECKSUM_BYTES = 12;
const PREFIX = 'pk_';
const PATTERN = /^pk_[A-Za-z0-9_-]{38}$/;

export const apiKeyKey = (secret: string): Promise<CryptoKey> =>
	crypto.subtle.importKey(
		'raw',
		base64urlnopad.decode(secret) as Uint8Array<ArrayBuffer>,
		{ name: 'HMAC', hash: 'SHA-256' },
		false,
		['sign'],
	);

/** A new partner's id (32 hex characters) and the apiKey that names it. */
export async function newApiKey(key: CryptoKey): Promise<{ id: string; apiKey: string }> {
	const id = crypto.getRandomValues(new Uint8Array(ID_BYTES));
	const bytes = new Uint8Array(ID_BYTES + CHECKSUM_BYTES);
	bytes.set(id);
	bytes.set(await checksum(key, id), ID_BYTES);
	return { id: hex.encode(id), apiKey: PREFIX + base64urlnopad.encode(bytes) };
}

/** The partner id that the apiKey names; null when it was not made under `key`. */
export async function partnerIdOf(key: CryptoKey, apiKey: string): Promise<string | null> {
	if (!PATTERN.test(apiKey)) return null;
	const bytes = decoded(apiKey.slice(PREFIX.length));
	if (!bytes) return null;
	const id = bytes.slice(0, ID_BYTES);
	const valid = crypto.subtle.timingSafeEqual(await checksum(key, id), bytes.slice(ID_BYTES));
	return valid ? hex.encode(id) : null;
}

/** Null where the last character holds stray bits: one partner has one apiKey. */
function decoded(text: string): Uint8Array | null {
	try {
		return base64urlnopad.decode(text);
	} catch {
		return null;
	}
}

async function checksum(key: CryptoKey, id: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
	return new Uint8Array(await crypto.subtle.sign('HMAC', key, id)).slice(0, CHECKSUM_BYTES);
}
