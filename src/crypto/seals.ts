/**
 * Numbered seals: `<key number>.<hex HMAC-SHA256>` over a text. A seal of before keys had numbers is the HMAC alone, keyed
 * with the text of the variable; it counts as made with key 1.
 */
import { hmacHex, hmacKey, hmacMatches } from './hmac.ts';
import { type Key, type KeyNumbers, type KeyRing, keyNumbered, sealingKey } from './key-ring.ts';

const SEAL = /^(?:(\d{1,4})\.)?([0-9a-f]{64})$/;

/** Sealed with the key that seals now. */
export async function seal(ring: KeyRing, text: string): Promise<string> {
	const key = sealingKey(ring, Date.now());
	return `${key.number}.${await hmacHex(await importedOf(key), text)}`;
}

/** Keys of the rings that this isolate has read, once they are imported. */
const imported = new WeakMap<Key, CryptoKey>();

async function importedOf(key: Key): Promise<CryptoKey> {
	const known = imported.get(key) ?? (await hmacKey(key.bytes));
	imported.set(key, known);
	return known;
}

/** Does the seal hold for `text`, made at `at` (Unix milliseconds)? */
export async function sealHolds(
	ring: KeyRing,
	{ text, at }: { readonly text: string; readonly at: number },
	sealed: string,
): Promise<boolean> {
	const match = SEAL.exec(sealed);
	const digest = match?.[2];
	if (!match || !digest) return false;
	const [, number] = match;
	const key = keyNumbered(ring, number === undefined ? 1 : Number(number), at);
	if (!key) return false;
	return hmacMatches(await (number === undefined ? hmacKey(key.text) : importedOf(key)), digest, text);
}

/** Was it made with another key than the one that seals now? */
export const isOldSeal = (ring: KeyNumbers, sealed: string): boolean =>
	!sealed.startsWith(`${sealingKey(ring, Date.now()).number}.`);
