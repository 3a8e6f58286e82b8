/**
 * A value in a cache that others may be able to write (KV): its text with a seal, an HMAC under the caller's key that seals now.
 * An attacker who can write the cache can remove a value or put an older one back, but cannot make one up.
 */
import { hmacHex, hmacKey, hmacMatches } from './hmac.ts';
import { type KeyRing, sealingKey } from './key-ring.ts';

/** The seal stands in front of the text. */
const SEAL = /^[0-9a-f]{64}/;

/** `place`: what the text is, and whose; a text that was sealed for one place is none in another. */
export const sealedForCache = async (keys: KeyRing, place: readonly string[], text: string): Promise<string> =>
	(await hmacHex(await hmacKey(sealingKey(keys, Date.now()).bytes), sealedText(place, text))) + text;

/** The text; null for anything that was not sealed under the key that seals now, for this place. */
export async function openedFromCache(keys: KeyRing, place: readonly string[], kept: string): Promise<string | null> {
	const [seal] = SEAL.exec(kept) ?? [];
	if (seal === undefined) return null;
	const { bytes } = sealingKey(keys, Date.now());
	const text = kept.slice(seal.length);
	return (await hmacMatches(await hmacKey(bytes), seal, sealedText(place, text))) ? text : null;
}

/** A JSON array of a named purpose and the place, a line feed, the text: no two different ones share a text. */
const sealedText = (place: readonly string[], text: string): string =>
	`${JSON.stringify(['cache', ...place])}\n${text}`;
