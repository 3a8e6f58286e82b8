/**
 * Numbered seals: `<key number>.<hex HMAC-SHA256>` over a text. A seal of before keys had numbers is the HMAC alone, keyed
 * with the text of the variable; it counts as made with key 1.
 */
import { hmacHex, hmacKey, hmacMatches } from './hmac.ts';
import { type KeyRing, keyNumbered, sealingKey } from './key-ring.ts';

const SEAL = /^(?:(\d{1,4})\.)?([0-9a-f]{64})$/;

/** Sealed with the key that seals now. */
export async function seal(ring: KeyRing, text: string): Promise<string> {
	const { number, bytes } = sealingKey(ring, Date.now());
	return `${number}.${await hmacHex(await hmacKey(bytes), text)}`;
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
	return hmacMatches(await hmacKey(number === undefined ? key.text : key.bytes), digest, text);
}

/** Was it made with another key than the one that seals now? */
export const isOldSeal = (ring: KeyRing, sealed: string): boolean =>
	!sealed.startsWith(`${sealingKey(ring, Date.now()).number}.`);
