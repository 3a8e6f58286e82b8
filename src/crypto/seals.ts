/** Seals: `<key number>.<hex HMAC-SHA256>` over a text. */
import { hmacHex, hmacKey, hmacMatches } from './hmac.ts';
import { type Key, type KeyNumbers, type KeyRing, keyNumbered, sealingKey } from './key-ring.ts';

const SEAL = /^(\d{1,4})\.([0-9a-f]{64})$/;

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
	const [, number, digest] = SEAL.exec(sealed) ?? [];
	if (!digest) return false;
	const key = keyNumbered(ring, Number(number), at);
	return key !== null && hmacMatches(await importedOf(key), digest, text);
}

/** Was it made with another key than the one that seals now? */
export const isOldSeal = (ring: KeyNumbers, sealed: string): boolean =>
	!sealed.startsWith(`${sealingKey(ring, Date.now()).number}.`);
