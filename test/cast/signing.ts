/** How a partner signs, the same on every stage (book: contract, "Authentication"). */
import { createHmac } from 'node:crypto';

/** Of a partner. */
export interface Keys {
	readonly apiKey: string;
	readonly apiSecret: string;
}

export const hmac = (secret: string, message: string | Uint8Array): string =>
	createHmac('sha256', secret).update(message).digest('hex');

/** `timestamp`: Unix seconds; null signs the body alone. */
export function signedHeaders(
	{ apiKey, apiSecret }: Keys,
	body: string | Uint8Array,
	{ nonce, timestamp }: { readonly nonce: string; readonly timestamp: string | null },
): Record<string, string> {
	const signature = createHmac('sha256', apiSecret).update(timestamp === null ? '' : `${timestamp}\n${nonce}\n`);
	return {
		'x-api-key': apiKey,
		'x-api-sign': signature.update(body).digest('hex'),
		'x-api-nonce': nonce,
		...(timestamp !== null && { 'x-api-timestamp': timestamp }),
	};
}
