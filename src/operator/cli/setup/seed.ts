/**
 * The wallet's words: made here and shown once, or typed by who has them already. They are never stored on this machine.
 * Two of them are asked back, so that they stand on paper before any coin depends on them.
 */
import { randomInt } from 'node:crypto';
import { generateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { seedFingerprint, seedOf } from '../../../chains/seed.ts';
import { ConfigurationError } from '../../../crypto/key-ring.ts';
import { type Talk, Wrong } from './talk.ts';
import type { GivenAddress } from './wallet.ts';

const STRENGTH_BITS = 256;
const WORDS_A_LINE = 6;

/** `typed`: only words that somebody has already will do. `given`: typed words must make this address. */
export async function askForSeed(talk: Talk, kind: 'new' | 'typed', given: GivenAddress | null): Promise<string> {
	if (kind === 'typed') {
		talk.say(
			'The service has given out addresses of a wallet, and the signer has no words. Only the words of that wallet will do.',
		);
		if (!given) talk.say('The database has no order that the words can be compared with. Compare their fingerprint.');
		return typedSeed(talk, given);
	}
	const makeNew = await talk.ask('Make new words for the wallet, or type words that you have? [new/type]', (answer) => {
		if (/^(?:new|type)$/i.test(answer)) return answer.toLowerCase() === 'new';
		return new Wrong('Answer new or type.');
	});
	return makeNew ? newSeed(talk) : typedSeed(talk, given);
}

async function newSeed(talk: Talk): Promise<string> {
	const words = generateMnemonic(wordlist, STRENGTH_BITS).split(' ');
	talk.say('These 24 words are the wallet: who has them has the coins, and without them the coins are lost.');
	talk.say(
		'Write them on paper. They are shown this once. Words of a setup that did not end are void: cross them out.\n',
	);
	for (let line = 0; line < words.length; line += WORDS_A_LINE) {
		const cells = words
			.slice(line, line + WORDS_A_LINE)
			.map((word, i) => `${line + i + 1}`.padStart(4) + ` ${word}`.padEnd(10));
		talk.say(cells.join(''));
	}
	talk.say(`\nFingerprint: ${await fingerprintOf(words.join(' '))}`);
	const first = randomInt(words.length / 2);
	for (const at of [first, first + words.length / 2]) {
		await talk.ask(`Word ${at + 1}?`, (answer) =>
			answer === words[at] ? answer : new Wrong(`That is not word ${at + 1}. Look at your paper.`),
		);
	}
	talk.clear();
	return words.join(' ');
}

async function typedSeed(talk: Talk, given: GivenAddress | null): Promise<string> {
	const seed = await talk.ask('The words, with one space between two:', async (answer) => {
		try {
			const typed = await seedOf(answer);
			return given && !given.isMadeBy(typed) ? new Wrong(otherWallet(given)) : answer;
		} catch (error) {
			if (error instanceof ConfigurationError) return new Wrong(`${error.message}.`);
			throw error;
		}
	});
	talk.clear();
	const proof = given
		? `The words make the address of order ${given.orderId}.`
		: 'Compare it with the one on your paper.';
	talk.say(`Fingerprint: ${await fingerprintOf(seed)}. ${proof}`);
	return seed;
}

const otherWallet = ({ orderId, network }: GivenAddress): string =>
	`These are the words of another wallet: they do not make the address that order ${orderId} was given on ${network}.`;

const fingerprintOf = async (words: string): Promise<string> => seedFingerprint(await seedOf(words));
