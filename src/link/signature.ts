/**
 * The signatures of calls and answers between the signer's house and the link, and between the two judges, beside TLS: HMAC-SHA256 under a key that both
 * have, over all that decides what a call means. An answer is signed over the nonce of its question, so it fits no other.
 * Pure but for WebCrypto.
 */
import { hmacHex, hmacKey, hmacMatches } from '../crypto/hmac.ts';

/** The version of the calls between the two. A house of another one is refused, whatever it says. */
export const LINK_VERSION = '1';

/** Clocks may be apart by so much, and a call under way for so long: a question is taken within it of its time. */
export const WINDOW_MILLISECONDS = 60_000;

export const HEADERS = {
	version: 'X-House-Version',
	deployment: 'X-House-Deployment',
	time: 'X-House-Time',
	nonce: 'X-House-Nonce',
	signature: 'X-House-Signature',
} as const;

/** Whom a question is for: one for the signer is none for the rows, and none for the co-signer. */
export type Side = 'signer' | 'rows' | 'cosigner';

/** Why a call, or its answer, is refused. */
export const REFUSALS = {
	'not-signed': 'a call without the headers of the link',
	'other-version': 'the other side speaks another version of the link: deploy both from one clone',
	'wrong-key': 'HOUSE_KEY or COSIGNER_KEY differs, or somebody has changed the call',
	'other-deployment': 'the other side belongs to another DEPLOYMENT',
	'out-of-time': 'the call is too old, or a clock is wrong',
	replayed: 'a call of this nonce was taken before',
	'too-large': 'the call is larger than the link takes',
} as const;

export type Refusal = keyof typeof REFUSALS;

export const isRefusal = (text: string): text is Refusal => Object.hasOwn(REFUSALS, text);

export interface Stamp {
	readonly side: Side;
	readonly deployment: string;
	/** Random: once for each question. */
	readonly nonce: string;
}

export interface Question extends Stamp {
	readonly path: string;
	readonly time: string;
	readonly body: string;
}

export interface Answer extends Stamp {
	readonly status: number;
	readonly body: string;
}

/** No line but the last can have a line feed in it: headers and paths have none. */
const questionText = ({ side, deployment, nonce, path, time, body }: Question): string =>
	['question', LINK_VERSION, side, 'POST', path, deployment, time, nonce, body].join('\n');

const answerText = ({ side, deployment, nonce, status, body }: Answer): string =>
	['answer', LINK_VERSION, side, deployment, nonce, status, body].join('\n');

export const signQuestion = async (key: string, question: Question): Promise<string> =>
	hmacHex(await hmacKey(key), questionText(question));

export const signAnswer = async (key: string, answer: Answer): Promise<string> =>
	hmacHex(await hmacKey(key), answerText(answer));

const SIGNATURE = /^[0-9a-f]{64}$/;

export const isQuestionSigned = async (key: string, question: Question, signature: string): Promise<boolean> =>
	SIGNATURE.test(signature) && hmacMatches(await hmacKey(key), signature, questionText(question));

export const isAnswerSigned = async (key: string, answer: Answer, signature: string): Promise<boolean> =>
	SIGNATURE.test(signature) && hmacMatches(await hmacKey(key), signature, answerText(answer));
