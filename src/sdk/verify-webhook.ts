/**
 * Is a webhook authentic? The signature over the raw bytes, in constant time, and the timestamp (book: contract,
 * "Webhooks"). The headers of Standard Webhooks are taken where they are there: they sign the time as well.
 */
import { WebhookError } from './errors.ts';
import { bytesOf, isSignedWith } from './sign.ts';
import type { WebhookEvent } from './wire.js';

/** As `fetch` gives them, or as `node:http` does. */
export type WebhookHeaders =
	| { readonly get: (name: string) => string | null }
	| Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions {
	/** How old the timestamp may be; 300 without it. */
	readonly toleranceSeconds?: number | undefined;
	/** Unix milliseconds; the clock's without it. */
	readonly now?: number | undefined;
}

const OLDEST_SECONDS = 300;
const AHEAD_SECONDS = 60;

/**
 * The event. `rawBody`: the bytes that came, before anything parsed them. `secrets`: the webhookSecret; while you replace
 * it, the new one and the old one, because each attempt is signed with the secret of its moment.
 * @throws WebhookError when it is not authentic, TypeError when the body was parsed before or a secret is empty
 */
export async function verifyWebhook(
	rawBody: string | Uint8Array | ArrayBuffer,
	headers: WebhookHeaders,
	secrets: string | readonly string[],
	{ toleranceSeconds = OLDEST_SECONDS, now = Date.now() }: VerifyOptions = {},
): Promise<WebhookEvent> {
	if (typeof rawBody !== 'string' && !(rawBody instanceof ArrayBuffer) && !ArrayBuffer.isView(rawBody))
		throw new TypeError('give the raw bytes of the body, before anything parses them');
	// Anybody could sign with an empty one.
	if ([secrets].flat().some((secret) => !secret)) throw new TypeError('a webhookSecret is empty');
	const bytes = bytesOf(rawBody);
	const { timestamp, signatures, message } = signatureIn(headers, bytes);
	if (!/^\d{1,15}$/.test(timestamp) || signatures.length === 0) throw new WebhookError('header-missing');
	const checks = await Promise.all([secrets].flat().map((secret) => isSignedWith(secret, signatures, message)));
	if (!checks.includes(true)) throw new WebhookError('signature-wrong');
	const age = now / 1000 - Number(timestamp);
	if (age > toleranceSeconds || age < -AHEAD_SECONDS) throw new WebhookError('timestamp-out-of-range');
	return eventIn(new TextDecoder().decode(bytes));
}

/** The message that was signed, its signatures and its time. A malformed signature is none. */
function signatureIn(headers: WebhookHeaders, body: Uint8Array<ArrayBuffer>) {
	const standard = headerOf(headers, 'webhook-signature');
	if (standard === '') {
		const [digits = ''] = /^[0-9a-f]{64}$/.exec(headerOf(headers, 'x-partner-webhook-sign')) ?? [];
		const digest = Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
		const timestamp = headerOf(headers, 'x-partner-webhook-timestamp');
		return { timestamp, signatures: digits === '' ? [] : [digest], message: body };
	}
	const timestamp = headerOf(headers, 'webhook-timestamp');
	const signatures = [...standard.matchAll(/(?<=^| )v1,([A-Za-z0-9+/]{43}=)(?= |$)/g)].map(([, text = '']) =>
		Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)),
	);
	const head = bytesOf(`${headerOf(headers, 'webhook-id')}.${timestamp}.`);
	return { timestamp, signatures, message: bytesOf(new Uint8Array([...head, ...body])) };
}

function headerOf(headers: WebhookHeaders, name: string): string {
	if (typeof headers.get === 'function') return headers.get(name) ?? '';
	const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
	return String([found ?? ''].flat()[0]);
}

function eventIn(text: string): WebhookEvent {
	try {
		const event = JSON.parse(text) as WebhookEvent | null;
		if (typeof event?.type === 'string' && typeof event.id === 'string') return event;
	} catch {
		// Refused below.
	}
	throw new WebhookError('body-not-an-event');
}
