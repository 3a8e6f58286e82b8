/** One signed POST to a partner's endpoint, and what came back. Nothing that the outside does makes it throw. */
import { base64, hex } from '@scure/base';
import { hmacHex, hmacKey } from '../crypto/hmac.ts';

/** The receiver contract: "Reply with a 2xx within 10 seconds". */
const TIMEOUT_MILLISECONDS = 10_000;
/** Bytes of the answer that are read, so that the connection can be used again; more is cut off. */
const MAX_ANSWER = 4096;
const MAX_ERROR_LENGTH = 200;

export interface Message {
	readonly eventId: string;
	readonly attempt: number;
	/** The stored string: signed as it is, sent as it is. */
	readonly body: string;
	/** Unix milliseconds of this attempt. */
	readonly at: number;
}

export interface Answer {
	/** Null when there was none. */
	readonly status: number | null;
	/** Why there was none. */
	readonly error: string | null;
	readonly retryAfter: string | null;
}

export async function postWebhook(url: string, webhookSecret: string, message: Message): Promise<Answer> {
	const headers = await signedHeaders(webhookSecret, message);
	try {
		const response = await fetch(url, {
			method: 'POST',
			headers,
			body: message.body,
			redirect: 'manual',
			signal: AbortSignal.timeout(TIMEOUT_MILLISECONDS),
		});
		await drain(response.body);
		return { status: response.status, error: null, retryAfter: response.headers.get('retry-after') };
	} catch (error) {
		return noAnswer(errorText(error));
	}
}

export const noAnswer = (error: string): Answer => ({ status: null, error, retryAfter: null });

/** Signature and timestamp are of this attempt; id and body are the same at every one. */
export async function signedHeaders(secret: Parameters<typeof hmacKey>[0], { eventId, attempt, body, at }: Message) {
	const key = await hmacKey(secret);
	const timestamp = String(Math.floor(at / 1000));
	return {
		'content-type': 'application/json',
		'user-agent': 'Partner-Exchange-Webhooks/1',
		'x-partner-webhook-id': eventId,
		'x-partner-webhook-attempt': String(attempt),
		'x-partner-webhook-timestamp': timestamp,
		'x-partner-webhook-sign': await hmacHex(key, body),
		'webhook-id': eventId,
		'webhook-timestamp': timestamp,
		'webhook-signature': await standardSignature(key, eventId, timestamp, body),
	};
}

/** Standard Webhooks: it signs the time as well. Its libraries take `whsec_` and the base64 of the secret's text. */
async function standardSignature(key: CryptoKey, id: string, timestamp: string, body: string): Promise<string> {
	return `v1,${base64.encode(hex.decode(await hmacHex(key, `${id}.${timestamp}.${body}`)))}`;
}

/** The status has been given; whatever happens to the body after it changes nothing. */
async function drain(body: ReadableStream<Uint8Array> | null): Promise<void> {
	if (!body) return;
	const reader = body.getReader();
	try {
		let bytes = 0;
		while (bytes < MAX_ANSWER) {
			const { done, value } = await reader.read();
			if (done) return;
			bytes += value.byteLength;
		}
		await reader.cancel();
	} catch {
		// Cut off, or longer than ten seconds.
	}
}

function errorText(error: unknown): string {
	if (!(error instanceof Error)) return 'no answer';
	if (error.name === 'TimeoutError') return `no answer within ${TIMEOUT_MILLISECONDS / 1000} seconds`;
	return `no answer: ${error.message}`.slice(0, MAX_ERROR_LENGTH);
}
