/**
 * The operator's SEED: BIP-39 words in English. One that is not exactly as it must be is refused, never corrected: other
 * spaces or letters would be another wallet, which no backup on paper restores. Pure.
 */
import { HDKey } from '@scure/bip32';
import { mnemonicToSeedSync, validateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { ConfigurationError } from '../crypto/key-ring.ts';

/** BIP-39 seed, 64 bytes. @throws ConfigurationError with what is wrong, but none of the words */
export function seedOf(words: string | undefined): Uint8Array {
	if (!words) throw new ConfigurationError('SEED is missing');
	if (!/^[a-z]+( [a-z]+)*$/.test(words))
		throw new ConfigurationError('SEED must be words in lower case with one space between two, and nothing else');
	const count = words.split(' ').length;
	if (![12, 15, 18, 21, 24].includes(count))
		throw new ConfigurationError(`SEED has ${count} words instead of 12, 15, 18, 21 or 24`);
	if (!validateMnemonic(words, wordlist))
		throw new ConfigurationError('SEED fails its checksum: a word is mistyped, missing or in the wrong place');
	return mnemonicToSeedSync(words);
}

/** BIP-32 fingerprint of the master key, 8 hex characters: the same as any wallet shows for these words. */
export const seedFingerprint = (seed: Uint8Array): string =>
	HDKey.fromMasterSeed(seed).fingerprint.toString(16).padStart(8, '0');
