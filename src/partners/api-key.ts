/**
 * apiKeys: public, and checked before any storage is asked. An apiKey is the partner's id and a keyed checksum, so a
 * random or mistyped one costs one HMAC and reaches no object (book: contract, "Signed calls").
 */
import { base64urlnopad, hex } from '@scure/base';
import { hmacKey } from '../crypto/hmac.ts';
import { type KeyRing, sealingKey } from '../crypto/key-ring.ts';

const ID_BYTES = 16;
const CHECKSUM_BYTES = 12;
const PREFIX = 'pk_';
const PATTERN = /^pk_[A-Za-z0-9_-]{38}$/;

/** The keys that an apiKey's checksum may have been made with, the current one first. */
export const apiKeyKeys = ({ current, previous }: KeyRing): Promise<CryptoKey[]> =>
	Promise.all([current, ...(previous ? [previous] : [])].map(({ bytes }) => hmacKey(bytes)));

/** A new partner's id (32 hex characters) and the apiKey that names it. */
export async function newApiKey(ring: KeyRing): Promise<{ id: string; apiKey: string }> {
	const key = await hmacKey(sealingKey(ring, Date.now()).bytes);
	const id = crypto.getRandomValues(new Uint8Array(ID_BYTES));
	const bytes = new Uint8Array(ID_BYTES + CHECKSUM_BYTES);
	bytes.set(id);
	bytes.set(await checksum(key, id), ID_BYTES);
	return { id: hex.encode(id), apiKey: PREFIX + base64urlnopad.encode(bytes) };
}

/** The partner id that the apiKey names; null when it was made under none of the keys. */
export async function partnerIdOf(keys: readonly CryptoKey[], apiKey: string): Promise<string | null> {
	if (!PATTERN.test(apiKey)) return null;
	const bytes = decoded(apiKey.slice(PREFIX.length));
	if (!bytes) return null;
	const id = bytes.slice(0, ID_BYTES);
	for (const key of keys) {
		if (crypto.subtle.timingSafeEqual(await checksum(key, id), bytes.slice(ID_BYTES))) return hex.encode(id);
	}
	return null;
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
