/**
 * Signing vectors for those who write a client in another language, computed with Node's own HMAC: which text is signed,
 * and the signature. Webhooks that must be refused are among them.
 */
import { createHmac } from 'node:crypto';
import { KEY_LINKS, PROMISES } from './promises.ts';

const hmac = (secret: string, text: string): string => createHmac('sha256', secret).update(text).digest('hex');

const API_SECRET = 'q7Yw3mDk9vXcT1nZbR5sHfLgJ0pEuA8iVo2KxNtCyW4';
const WEBHOOK_SECRET = 'Zt4LhQ8rJm2VxYcB6sKdN0wPfE1uGaTo9iRyXn5Dk7M';
const NEW_WEBHOOK_SECRET = 'b1Vx8KqTz5NcWm3LhJ9sRd2YfPgA7uEo0iCtXn6Dk4Q';
const AT = 1_795_176_000;
const UUID = '3f0c2f0e-7c55-4a1b-9c1d-5b8f0d0b6a11';

interface Request {
	readonly name: string;
	readonly body: string;
	readonly nonce?: string;
	/** Null: body-only mode. */
	readonly timestamp?: string | null;
}

const PRICE = '{"type":"float","fromCcy":"LTC","toCcy":"ETH","direction":"from","amount":"2"}';

const REQUESTS: readonly Request[] = [
	{ name: 'a quote', body: PRICE },
	{ name: 'a quote, body-only mode', body: PRICE, timestamp: null },
	{ name: 'no body: a GET signs zero bytes', body: '' },
	{ name: 'no body, body-only mode', body: '', timestamp: null },
	{ name: 'an empty object is two bytes', body: '{}' },
	{ name: 'an empty object, body-only mode', body: '{}', timestamp: null },
	{
		name: 'blanks, line breaks and a newline at the end are signed',
		body: '{\n\t"code" : "summer" ,\r\n  "label": "x"\n}\n',
	},
	{ name: 'text beyond ASCII is signed as UTF-8', body: '{"code":"summer","label":"Zürich – 東京 🚀 é"}' },
	{ name: 'escapes stay as they are written', body: '{"code":"summer","label":"Z\\u00fcrich\\/\\"\\ud83d\\ude80"}' },
	{ name: 'text beyond ASCII, body-only mode', body: '{"label":"東京 🚀"}', timestamp: null },
	{ name: 'the shortest nonce', body: '{}', nonce: '0123456789abcdef' },
	{ name: 'the longest nonce', body: '{}', nonce: 'f'.repeat(64) },
	{ name: 'a nonce without hyphens', body: '{}', nonce: UUID.replaceAll('-', '') },
	{ name: 'a timestamp with a zero in front', body: '{}', timestamp: `0${AT}` },
];

function requestVector({ name, body, nonce = UUID, timestamp = String(AT) }: Request) {
	const text = timestamp === null ? body : `${timestamp}\n${nonce}\n${body}`;
	const textHex = Buffer.from(text).toString('hex');
	return { name, apiSecret: API_SECRET, timestamp, nonce, body, text, textHex, signature: hmac(API_SECRET, text) };
}

const EVENT =
	'{"id":"5e9f9bb7-1d1f-4c63-8a0e-4a1c7e0f2b95","type":"partner.paid_out","createdAt":"2026-11-20T12:14:50.000Z",' +
	'"apiVersion":"v1","data":{"payoutId":"4b3de8a5-93a7-4b5b-9f2f-fd9f0f7c6f21","asset":"LTC","network":"Litecoin",' +
	'"amount":"1.25","usd":"106.25","address":"ltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c2rkk4wh","txId":"2c7a","orderCount":7}}';

type Result = 'authentic' | 'signature-wrong' | 'timestamp-out-of-range';

/** `age`: seconds between the timestamp and the moment at which it is judged. */
function webhookVector(name: string, result: Result, change: { body?: string; secrets?: string[]; age?: number } = {}) {
	const { body = EVENT, secrets = [WEBHOOK_SECRET], age = 0 } = change;
	// Signed over the event as it was sent, with the secret that the service had.
	const signature = hmac(WEBHOOK_SECRET, EVENT);
	return { name, secrets, timestamp: String(AT), now: AT + age, body, signature, result };
}

const WEBHOOKS = [
	webhookVector('an event', 'authentic'),
	webhookVector('300 s old', 'authentic', { age: 300 }),
	webhookVector('301 s old', 'timestamp-out-of-range', { age: 301 }),
	webhookVector('60 s ahead', 'authentic', { age: -60 }),
	webhookVector('61 s ahead', 'timestamp-out-of-range', { age: -61 }),
	webhookVector('the old secret while it is replaced', 'authentic', { secrets: [NEW_WEBHOOK_SECRET, WEBHOOK_SECRET] }),
	webhookVector('another secret', 'signature-wrong', { secrets: [NEW_WEBHOOK_SECRET] }),
	webhookVector('one digit changed', 'signature-wrong', { body: EVENT.replace('"1.25"', '"9.25"') }),
	webhookVector('a newline more', 'signature-wrong', { body: `${EVENT}\n` }),
];

const STANDARD_ID = '5e9f9bb7-1d1f-4c63-8a0e-4a1c7e0f2b95';

/** Of Standard Webhooks: id and time are signed, too. `signed`: what the service signed, where that is not what came. */
function standardVector(
	name: string,
	result: Result,
	change: { secrets?: string[]; age?: number; signed?: string; before?: string } = {},
) {
	const { secrets = [WEBHOOK_SECRET], age = 0, signed = `${STANDARD_ID}.${AT}.${EVENT}`, before = '' } = change;
	const signature = `${before}v1,${createHmac('sha256', WEBHOOK_SECRET).update(signed).digest('base64')}`;
	return { name, secrets, id: STANDARD_ID, timestamp: String(AT), now: AT + age, body: EVENT, signature, result };
}

const STANDARD_WEBHOOKS = [
	standardVector('an event', 'authentic'),
	standardVector('300 s old', 'authentic', { age: 300 }),
	standardVector('301 s old', 'timestamp-out-of-range', { age: 301 }),
	standardVector('the second of two signatures', 'authentic', { before: `v1,${'A'.repeat(43)}= ` }),
	standardVector('another secret', 'signature-wrong', { secrets: [NEW_WEBHOOK_SECRET] }),
	standardVector('another time', 'signature-wrong', { signed: `${STANDARD_ID}.${AT - 60}.${EVENT}` }),
	standardVector('another event’s id', 'signature-wrong', { signed: `evt_2.${AT}.${EVENT}` }),
	standardVector('the body alone', 'signature-wrong', { signed: EVENT }),
];

export const vectorsText = (): string => {
	const about = [
		'requests: text is what is signed (textHex: its bytes); signature is X-API-SIGN.',
		'A timestamp of null is body-only mode, which signs the body alone.',
		'webhooks: signature is X-Partner-Webhook-Sign over body. result is the verdict at the Unix second now,',
		'with any of the secrets, at most 300 s after and 60 s before the timestamp.',
		'standardWebhooks: the same by Webhook-Id, Webhook-Timestamp and Webhook-Signature, over id.timestamp.body.',
		'promises: result is the verdict on promise by who trusts these keys and expects these terms.',
		'promiseKeys: the same with the published keys, whose links are followed.',
	];
	const requests = REQUESTS.map(requestVector);
	const signed = { requests, webhooks: WEBHOOKS, standardWebhooks: STANDARD_WEBHOOKS };
	const vectors = { about, ...signed, promises: PROMISES, promiseKeys: KEY_LINKS };
	return `${JSON.stringify(vectors, null, '\t')}\n`;
};
