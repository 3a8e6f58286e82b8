/**
 * Is a webhook authentic? The signature over the raw bytes, in constant time, and the timestamp (book: contract,
 * "Webhooks").
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
 * @throws WebhookError when it is not authentic
 */
export async function verifyWebhook(
	rawBody: string | Uint8Array | ArrayBuffer,
	headers: WebhookHeaders,
	secrets: string | readonly string[],
	{ toleranceSeconds = OLDEST_SECONDS, now = Date.now() }: VerifyOptions = {},
): Promise<WebhookEvent> {
	const signature = headerOf(headers, 'x-partner-webhook-sign');
	const timestamp = headerOf(headers, 'x-partner-webhook-timestamp');
	if (!/^[0-9a-f]{64}$/.test(signature) || !/^\d{1,15}$/.test(timestamp)) throw new WebhookError('header-missing');
	const bytes = bytesOf(rawBody);
	const checks = await Promise.all([secrets].flat().map((secret) => isSignedWith(secret, signature, bytes)));
	if (!checks.includes(true)) throw new WebhookError('signature-wrong');
	const age = now / 1000 - Number(timestamp);
	if (age > toleranceSeconds || age < -AHEAD_SECONDS) throw new WebhookError('timestamp-out-of-range');
	return eventIn(new TextDecoder().decode(bytes));
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
