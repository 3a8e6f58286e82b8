/** The browser's part of passkeys that confirm for the signer: what it is asked, and what its answer has. */
import { base64urlnopad } from '@scure/base';
import * as z from 'zod/mini';
import { ALGORITHMS, counterOfMade } from '../../crypto/webauthn.ts';
import type { AskedPersons, PasskeyAnswer, PasskeyName } from '../../ports/persons.ts';
import { askedText } from '../../treasury/moves.ts';

const text = z.string().check(z.maxLength(8_000));
const signed = z.object({
	id: text,
	response: z.object({ clientDataJSON: text, authenticatorData: text, signature: text }),
});
const made = z.object({
	id: text,
	response: z.object({ clientDataJSON: text, authenticatorData: text, publicKey: text }),
});

const bytesOf = (words: string) => new TextEncoder().encode(words);

/** For `navigator.credentials.get`, as JSON. `passkeys`: those that may answer, all of one origin. */
export async function signingOptions({ asked }: AskedPersons, passkeys: readonly PasskeyName[]): Promise<object> {
	const digest = await crypto.subtle.digest('SHA-256', bytesOf(askedText(asked)));
	return {
		challenge: base64urlnopad.encode(new Uint8Array(digest)),
		rpId: new URL(passkeys[0]?.origin ?? 'http://localhost').hostname,
		userVerification: 'required',
		allowCredentials: passkeys.map(({ id }) => ({ id, type: 'public-key' })),
	};
}

/** For `navigator.credentials.create`, as JSON. */
export const creationOptions = (person: string, origin: string, challenge: string): object => ({
	challenge,
	rp: { name: 'Partner Exchange: operator', id: new URL(origin).hostname },
	user: { id: base64urlnopad.encode(bytesOf(person)), name: person, displayName: person },
	pubKeyCredParams: ALGORITHMS.filter(({ key }) => key.name === 'ECDSA').map(({ cose }) => ({
		alg: cose,
		type: 'public-key',
	})),
	authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
	attestation: 'none',
});

/** Null for what is no answer of `get`. */
export function readSigned(answer: unknown): PasskeyAnswer | null {
	const read = signed.safeParse(answer);
	return read.success ? { ...read.data.response, id: read.data.id } : null;
}

interface Asking {
	readonly person: string;
	readonly origin: string;
	readonly challenge: string;
}

/** The passkey's entry in the signer's OPERATOR_PASSKEYS; null where the answer does not hold. */
export async function entryOf({ person, origin, challenge }: Asking, answer: unknown): Promise<string | null> {
	const read = made.safeParse(answer);
	if (!read.success) return null;
	const { id, response } = read.data;
	const expected = { challenge, origin, host: new URL(origin).hostname };
	const counter = await counterOfMade({ id, ...response }, expected).catch(() => null);
	return counter === null ? null : `${person}=${origin} ${id} ${response.publicKey}`;
}
