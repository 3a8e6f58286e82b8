/**
 * The operator's SEED: BIP-39 words in English. A malformed SEED is refused, never corrected: other spaces or letters
 * would make another wallet, which no paper backup restores. Pure.
 */
import { hmac } from '@noble/hashes/hmac.js';
import { sha512 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { HDKey } from '@scure/bip32';
import { mnemonicToSeedWebcrypto, validateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { ConfigurationError } from '../crypto/key-ring.ts';
import { oncePerSeed } from './once-per-seed.ts';

/** @returns the words. @throws ConfigurationError that says what is wrong, without any of the words */
export function checkedSeed(words: string | undefined): string {
	if (!words) throw new ConfigurationError('SEED is missing');
	if (!/^[a-z]+( [a-z]+)*$/.test(words))
		throw new ConfigurationError('SEED must be words in lower case with one space between two words, and nothing else');
	const count = words.split(' ').length;
	if (![12, 15, 18, 21, 24].includes(count))
		throw new ConfigurationError(`SEED has ${count} words instead of 12, 15, 18, 21 or 24`);
	if (!validateMnemonic(words, wordlist))
		throw new ConfigurationError('SEED fails its checksum: a word is mistyped, missing or in the wrong place');
	return words;
}

/**
 * The BIP-39 seed, 64 bytes. Its 2048 rounds (PBKDF2) are the platform's own, for in JavaScript they are the slowest part
 * of a signer's start. @throws as `checkedSeed`
 */
export const seedOf = async (words: string | undefined): Promise<Uint8Array> =>
	mnemonicToSeedWebcrypto(checkedSeed(words));

/**
 * For networks on the sandbox: one that has the words of a wallet with real coins shows none of its addresses
 * there.
 */
export const sandboxSeed = oncePerSeed((seed) => hmac(sha512, utf8ToBytes('partner exchange sandbox'), seed));

/** BIP-32 fingerprint of the master key, 8 hex characters: the same that any wallet shows for these words. */
export const seedFingerprint = (seed: Uint8Array): string =>
	HDKey.fromMasterSeed(seed).fingerprint.toString(16).padStart(8, '0');
