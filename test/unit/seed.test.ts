/** The operator's seed: its BIP-39 words, and the BIP-32 fingerprint by which a paper backup is compared. */
import { describe, expect, it } from 'vitest';
import { seedFingerprint, seedOf } from '../../src/chains/seed.ts';

const WORDS = `${'abandon '.repeat(11)}about`;

describe('a SEED', () => {
	it.each([
		// BIP-84's test vector starts from these words; 73c5da0a is the fingerprint that wallets show for them.
		[WORDS, '73c5da0a'],
		// 24 words of BIP-39's own vectors (zero entropy).
		[`${'abandon '.repeat(23)}art`, '5436d724'],
	])('has the fingerprint that any wallet shows for its words', async (words, fingerprint) => {
		expect(seedFingerprint(await seedOf(words))).toBe(fingerprint);
	});

	it.each([
		['one letter is mistyped', WORDS.replace('about', 'abuot'), 'fails its checksum'],
		['a word is in the wrong place', `about ${'abandon '.repeat(10)}abandon`, 'fails its checksum'],
		['it is twelve times x', Array(12).fill('x').join(' '), 'fails its checksum'],
		['a word is missing', 'abandon '.repeat(11).trim(), '11 words'],
		['a line feed ends it', `${WORDS}\n`, 'one space between two'],
		['a letter is a capital', WORDS.replace('about', 'About'), 'one space between two'],
		['two spaces stand between words', WORDS.replace(' ', '  '), 'one space between two'],
		['it is empty', '', 'SEED is missing'],
		['it is not there', undefined, 'SEED is missing'],
	])('is refused when %s, and no word of it is shown', async (_, words, problem) => {
		const { message } = await seedOf(words).then(
			() => new Error('it was taken'),
			(error: Error) => error,
		);
		expect(message).toContain(problem);
		expect(message).not.toMatch(/abandon|abuot/);
	});
});
