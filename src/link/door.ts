/**
 * Who answers: a call is read, judged and its nonce taken before anything of it is executed.
 *
 * The atomic step is the taking of the nonce, one insert in an object (`nonces.ts`). Of two equal calls one passes it,
 * so a call is executed once at most, however often the network brings it, and whatever ends afterwards. What the call
 * itself writes is one transaction of the signer's journal, as over a service binding.
 */
import { newHttpBatchRpcResponse, type RpcTarget } from 'capnweb';
import { objectNamed, type Regional } from '../platform/region.ts';
import type { HasNonces } from './nonces.ts';
import {
	HEADERS,
	isQuestionSigned,
	LINK_VERSION,
	type Refusal,
	type Side,
	signAnswer,
	WINDOW_MILLISECONDS,
} from './signature.ts';
import { deploymentOf, KEYS, keyOf, type Variables } from './variables.ts';

export interface Door {
	readonly side: Side;
	readonly key: string;
	readonly deployment: string;
	/** False where it was taken before. */
	readonly takeNonce: (nonce: string) => Promise<boolean>;
	/** The answer to the body of a call that was taken. */
	readonly answer: (body: string, url: string) => Promise<Response>;
}

/** The door of a Worker, by its own key, deployment and nonces. @throws ConfigurationError */
export const doorOf = (env: Variables & HasNonces & Regional, side: Side, answer: Door['answer']): Door => ({
	side,
	key: keyOf(env, KEYS[side]),
	deployment: deploymentOf(env),
	takeNonce: (nonce) => objectNamed(env, env.NONCES, 'nonces').take(nonce),
	answer,
});

/** A page of a backup is below a tenth of it. */
const MOST_BYTES = 16_000_000;
const NONCE = /^[0-9a-f-]{36}$/;
const TIME = /^\d{13}$/;
const REFUSED: Readonly<Record<Refusal, number>> = {
	'not-signed': 401,
	'wrong-key': 401,
	'other-version': 426,
	'other-deployment': 409,
	'out-of-time': 408,
	replayed: 409,
	'too-large': 413,
};

interface Asked {
	readonly version: string;
	readonly deployment: string;
	readonly time: string;
	readonly nonce: string;
	readonly signature: string;
	/** Null where it is larger than what is taken. */
	readonly body: string | null;
	readonly path: string;
}

/** Answers one call of the link. */
export async function answerAt(door: Door, request: Request): Promise<Response> {
	if (request.method !== 'POST') return new Response(null, { status: 404 });
	const asked = await askedBy(request);
	const refusal = await refusalOf(door, asked);
	if (refusal) return answered(door, asked, REFUSED[refusal], refusal);
	const response = await door.answer(asked.body ?? '', request.url);
	return answered(door, asked, response.status, await response.text());
}

/** Answers batches of Cap'n Web. */
export const batchesOf =
	(main: RpcTarget): Door['answer'] =>
	(body, url) =>
		newHttpBatchRpcResponse(new Request(url, { method: 'POST', body }), main);

async function askedBy(request: Request): Promise<Asked> {
	const said = (name: keyof typeof HEADERS): string => request.headers.get(HEADERS[name]) ?? '';
	return {
		version: said('version'),
		deployment: said('deployment'),
		time: said('time'),
		nonce: said('nonce'),
		signature: said('signature'),
		body: await bodyOf(request),
		path: new URL(request.url).pathname,
	};
}

/** No more of it is held than what is taken, with or without a length. */
async function bodyOf({ body }: Request): Promise<string | null> {
	const decoder = new TextDecoder();
	const reader = body?.getReader() as ReadableStreamDefaultReader<Uint8Array> | undefined;
	let [text, bytes] = ['', 0];
	for (;;) {
		const { done = true, value } = (await reader?.read()) ?? {};
		if (done || !value) return text + decoder.decode();
		bytes += value.length;
		if (bytes > MOST_BYTES) {
			await reader?.cancel();
			return null;
		}
		text += decoder.decode(value, { stream: true });
	}
}

/** The cheapest question first, and the nonce last: a call that is refused for something else does not use it up. */
async function refusalOf(door: Door, asked: Asked): Promise<Refusal | null> {
	const { version, deployment, time, nonce, signature, body, path } = asked;
	if (!NONCE.test(nonce) || !TIME.test(time) || signature === '') return 'not-signed';
	if (version !== LINK_VERSION) return 'other-version';
	if (body === null) return 'too-large';
	const question = { side: door.side, deployment, nonce, path, time, body };
	if (!(await isQuestionSigned(door.key, question, signature))) return 'wrong-key';
	if (deployment !== door.deployment) return 'other-deployment';
	if (Math.abs(Date.now() - Number(time)) > WINDOW_MILLISECONDS) return 'out-of-time';
	return (await door.takeNonce(nonce)) ? null : 'replayed';
}

async function answered(door: Door, { nonce }: Asked, status: number, body: string): Promise<Response> {
	const { side, key, deployment } = door;
	const signature = await signAnswer(key, { side, deployment, nonce, status, body });
	return new Response(body, { status, headers: { [HEADERS.version]: LINK_VERSION, [HEADERS.signature]: signature } });
}
