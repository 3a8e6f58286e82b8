/**
 * apiKeys: public, and checked before any storage is asked. An apiKey is the partner's id, for a scoped key the key's own
 * id, and a keyed checksum, so a random or mistyped one costs one HMAC and reaches no object (book: contract, "Signed
 * calls").
 */
import { concatBytes } from '@noble/hashes/utils.js';
import { base64urlnopad, hex } from '@scure/base';
import { hmacKey } from '../crypto/hmac.ts';
import { decodedBytes, type KeyRing, sealingKey } from '../crypto/key-ring.ts';

const ID_BYTES = 16;
const KEY_ID_BYTES = 8;
const CHECKSUM_BYTES = 12;
const PREFIX = 'pk_';
const PATTERN = /^pk_(?:[A-Za-z0-9_-]{38}|[A-Za-z0-9_-]{48})$/;

/** The key that an apiKey names. `keyId`: of a scoped key, 16 hex characters; null for the partner's first key. */
export interface NamedKey {
	readonly partnerId: string;
	readonly keyId: string | null;
}

/** The keys that an apiKey's checksum may have been made with, the current one first. */
export const apiKeyKeys = ({ current, previous }: KeyRing): Promise<CryptoKey[]> =>
	Promise.all([current, ...(previous ? [previous] : [])].map(({ bytes }) => hmacKey(bytes)));

/** A new partner's id (32 hex characters) and the apiKey that names it. */
export async function newApiKey(ring: KeyRing): Promise<{ id: string; apiKey: string }> {
	const id = crypto.getRandomValues(new Uint8Array(ID_BYTES));
	return { id: hex.encode(id), apiKey: await apiKeyOf(ring, id) };
}

/** A new scoped key's id (16 hex characters) and its apiKey. */
export async function newScopedApiKey(ring: KeyRing, partnerId: string): Promise<{ id: string; apiKey: string }> {
	const id = crypto.getRandomValues(new Uint8Array(KEY_ID_BYTES));
	return { id: hex.encode(id), apiKey: await apiKeyOf(ring, concatBytes(hex.decode(partnerId), id)) };
}

async function apiKeyOf(ring: KeyRing, named: Uint8Array<ArrayBuffer>): Promise<string> {
	const key = await hmacKey(sealingKey(ring, Date.now()).bytes);
	return PREFIX + base64urlnopad.encode(concatBytes(named, await checksum(key, named)));
}

/** Null where the apiKey was made under none of the keys. */
export async function keyNamed(keys: readonly CryptoKey[], apiKey: string): Promise<NamedKey | null> {
	if (!PATTERN.test(apiKey)) return null;
	const bytes = decodedBytes(apiKey.slice(PREFIX.length));
	// The last character holds stray bits: one partner has one apiKey.
	if (!bytes) return null;
	const named = bytes.slice(0, -CHECKSUM_BYTES);
	for (const key of keys) {
		if (!crypto.subtle.timingSafeEqual(await checksum(key, named), bytes.slice(-CHECKSUM_BYTES))) continue;
		const keyId = named.length > ID_BYTES ? hex.encode(named.slice(ID_BYTES)) : null;
		return { partnerId: hex.encode(named.slice(0, ID_BYTES)), keyId };
	}
	return null;
}

async function checksum(key: CryptoKey, named: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
	return new Uint8Array(await crypto.subtle.sign('HMAC', key, named)).slice(0, CHECKSUM_BYTES);
}
