/** Seals: `<key number>.<hex HMAC-SHA256>` over a text. */
import { hmacHex, hmacKey, hmacMatches } from './hmac.ts';
import {
	type Key,
	type KeyNumbers,
	type KeyRing,
	type KeyVariables,
	keyNumbered,
	keyRing,
	sealingKey,
} from './key-ring.ts';

const SEAL = /^(\d{1,4})\.([0-9a-f]{64})$/;

/** A seal, and what it is to be over. */
export interface SealClaim {
	readonly text: string;
	/** When it was made, Unix milliseconds: it tells which key may have sealed. */
	readonly at: number;
	readonly sealed: string;
	/** As if the keys that leaked had not, and there were no others: what a person has found genuine may be sealed again. */
	readonly leaked?: boolean;
}

/** Who has the key, for who has it not. */
export interface SealAsker {
	seal(text: string): Promise<string>;
	holds(claim: SealClaim): Promise<boolean>;
	/** The same sealed with the key that seals now; null where the seal does not hold. */
	resealed(claim: SealClaim): Promise<string | null>;
}

/** The keys of a Worker that has their numbers alone. */
export interface AskedKeys extends KeyNumbers {
	readonly deployment: string;
	readonly asker: SealAsker;
}

export type SealKeys = KeyRing | AskedKeys;

/** Where a Worker has its seal key, or whom it asks. */
export type SealSource = KeyVariables | { readonly askedKeys: () => AskedKeys };

/** @throws ConfigurationError where the key's variables are wrong */
export const sealKeysOf = (source: SealSource): SealKeys =>
	'askedKeys' in source ? source.askedKeys() : keyRing(source, 'SEAL_KEY');

/** Sealed with the key that seals now. */
export async function seal(ring: SealKeys, text: string): Promise<string> {
	if ('asker' in ring) return ring.asker.seal(text);
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

export async function sealHolds(ring: SealKeys, claim: SealClaim): Promise<boolean> {
	if ('asker' in ring) return ring.asker.holds(claim);
	const [, number, digest] = SEAL.exec(claim.sealed) ?? [];
	if (!digest) return false;
	const key = keyNumbered(ring, Number(number), claim.at);
	return key !== null && hmacMatches(await importedOf(key), digest, claim.text);
}

/**
 * The seals of one kind of terms. `textOf`: no two different terms share a text. `atOf`: when they were made, Unix
 * milliseconds; a previous key is valid only for what is older than its replacement.
 */
export function sealsOf<Terms, Dated>(textOf: (terms: Terms) => string, atOf: (dated: Dated) => number) {
	const claim = (terms: Terms & Dated, sealed: string): SealClaim => ({ text: textOf(terms), at: atOf(terms), sealed });
	return {
		seal: (keys: SealKeys, terms: Terms) => seal(keys, textOf(terms)),
		claim,
		holds: (keys: SealKeys, terms: Terms & Dated, sealed: string) => sealHolds(keys, claim(terms, sealed)),
	};
}

/** Was it made with another key than the one that seals now? */
export const isOldSeal = (ring: KeyNumbers, sealed: string): boolean =>
	!sealed.startsWith(`${sealingKey(ring, Date.now()).number}.`);
