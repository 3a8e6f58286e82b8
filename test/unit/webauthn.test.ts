/** Passkeys' answers: what holds and what does not, as another implementation of WebAuthn Level 3 (SimpleWebAuthn) judges them. */
import { randomBytes } from 'node:crypto';
import { verifyAuthenticationResponse, verifyRegistrationResponse } from '@simplewebauthn/server';
import { describe, expect, it } from 'vitest';
import { counterOfMade, counterOfSigned } from '../../src/crypto/webauthn.ts';
import { type Algorithm, Authenticator, type Bent } from '../support/authenticator.ts';

const ORIGIN = 'https://swap.example';
const HOST = 'swap.example';
const ALGORITHMS: readonly Algorithm[] = ['ES256', 'RS256', 'EdDSA'];
const newChallenge = () => randomBytes(32).toString('base64url');
const expectedOf = (challenge: string) => ({ challenge, origin: ORIGIN, host: HOST });
const theirs = (challenge: string) => ({
	expectedChallenge: challenge,
	expectedOrigin: ORIGIN,
	expectedRPID: HOST,
	requireUserVerification: true,
});
// biome-ignore lint/suspicious/noExplicitAny: JSON of a browser, bent by the tests
type Answer = any;

const madeBy = async (answer: Answer, challenge: string) =>
	counterOfMade({ id: answer.id, ...answer.response }, expectedOf(challenge)).catch(() => null);
const madeByThem = async (answer: Answer, challenge: string) =>
	verifyRegistrationResponse({ response: answer, ...theirs(challenge) })
		.then((found) => found.registrationInfo?.credential.counter ?? null)
		.catch(() => null);
const signedBy = async (answer: Answer, challenge: string, passkey: Authenticator, counter: number) =>
	counterOfSigned(answer.response, { publicKey: passkey.publicKey, counter }, expectedOf(challenge))
		.then((found) => (typeof found === 'number' ? found : null))
		.catch(() => null);
const signedByThem = async (answer: Answer, challenge: string, passkey: Authenticator, counter: number) => {
	const credential = { id: passkey.id, publicKey: passkey.coseKey, counter };
	const { userHandle: _, ...response } = answer.response;
	return verifyAuthenticationResponse({ response: { ...answer, response }, credential, ...theirs(challenge) })
		.then(({ verified, authenticationInfo }) => (verified ? authenticationInfo.newCounter : null))
		.catch(() => null);
};

it.each<[string, Bent]>([
	['other-request', { challenge: newChallenge() }],
	['other-origin', { origin: 'https://evil.example' }],
	['other-origin', { host: 'evil.example' }],
	['other-origin', { crossOrigin: true }],
	['not-verified', { verified: false }],
	['counted-before', { counter: 3 }],
])('says why a signature does not hold: %s', async (fault, bent) => {
	const passkey = new Authenticator(ORIGIN);
	const challenge = newChallenge();
	const { response } = JSON.parse(passkey.get({ challenge }, { counter: 5, ...bent }));
	const known = { publicKey: passkey.publicKey, counter: 4 };
	expect(await counterOfSigned(response, known, expectedOf(challenge))).toBe(fault);
});

const BENT: readonly (readonly [string, Bent])[] = [
	['of another origin', { origin: 'https://evil.example' }],
	['of another host', { host: 'evil.example' }],
	['to another challenge', { challenge: newChallenge() }],
	['of a device that did not verify its owner', { verified: false }],
	['of the other ceremony', { type: 'payment.get' }],
	['of a passkey that is copied and may not be', { flags: 0x10 }],
];

describe.each(ALGORITHMS)('a passkey of %s', (algorithm) => {
	it('is taken as it was made, and so is what it signs', async () => {
		const passkey = new Authenticator(ORIGIN, algorithm);
		const challenge = newChallenge();
		const made = JSON.parse(passkey.create({ challenge }));
		expect([await madeBy(made, challenge), await madeByThem(made, challenge)]).toEqual([0, 0]);
		const signed = JSON.parse(passkey.get({ challenge }));
		expect([await signedBy(signed, challenge, passkey, 0), await signedByThem(signed, challenge, passkey, 0)]).toEqual([
			1, 1,
		]);
	});

	it.each(BENT)('is refused with an answer %s', async (_, bent) => {
		const passkey = new Authenticator(ORIGIN, algorithm);
		const challenge = newChallenge();
		const made = JSON.parse(passkey.create({ challenge }, bent));
		expect([await madeBy(made, challenge), await madeByThem(made, challenge)]).toEqual([null, null]);
		const signed = JSON.parse(passkey.get({ challenge }, bent));
		const verdicts = [await signedBy(signed, challenge, passkey, 0), await signedByThem(signed, challenge, passkey, 0)];
		expect(verdicts).toEqual([null, null]);
	});

	it.each([
		[0, 0, 0],
		[1, 0, 1],
		[5, 4, 5],
		[4, 4, null],
		[3, 4, null],
		[0, 4, null],
	])('that counts %i after %i', async (counter, known, holds) => {
		const passkey = new Authenticator(ORIGIN, algorithm);
		const challenge = newChallenge();
		const signed = JSON.parse(passkey.get({ challenge }, { counter }));
		expect(await signedBy(signed, challenge, passkey, known)).toBe(holds);
		expect(await signedByThem(signed, challenge, passkey, known)).toBe(holds);
	});

	it('is refused by another one’s key, and where any byte of what was signed differs', async () => {
		const [passkey, other] = [new Authenticator(ORIGIN, algorithm), new Authenticator(ORIGIN, algorithm)];
		const challenge = newChallenge();
		const signed = JSON.parse(passkey.get({ challenge }));
		expect(await signedBy(signed, challenge, other, 0)).toBeNull();
		for (const field of ['authenticatorData', 'clientDataJSON', 'signature']) {
			const bytes = Buffer.from(signed.response[field], 'base64url');
			for (let i = 0; i < bytes.length; i++) {
				const bent = Buffer.from(bytes);
				bent[i] = (bent[i] ?? 0) ^ (1 << (i % 8));
				const response = { ...signed.response, [field]: bent.toString('base64url') };
				expect([field, i, await signedBy({ ...signed, response }, challenge, passkey, 0)]).toEqual([field, i, null]);
			}
		}
	});
});

it('a passkey is refused whose id is another one’s, whose key is none, and that was made in another site’s frame', async () => {
	const passkey = new Authenticator(ORIGIN);
	const challenge = newChallenge();
	const made = JSON.parse(passkey.create({ challenge }));
	expect(await madeBy({ ...made, id: newChallenge() }, challenge)).toBeNull();
	const keyless = { ...made.response, publicKey: Buffer.from(passkey.coseKey).toString('base64url') };
	expect(await madeBy({ ...made, response: keyless }, challenge)).toBeNull();
	expect(await madeBy(JSON.parse(passkey.create({ challenge }, { crossOrigin: true })), challenge)).toBeNull();
	const short = Buffer.from(made.response.authenticatorData, 'base64url');
	for (let length = 0; length < 55 + 16; length++) {
		const authenticatorData = short.subarray(0, length).toString('base64url');
		expect(await madeBy({ ...made, response: { ...made.response, authenticatorData } }, challenge)).toBeNull();
	}
});
