/** How to receive webhooks (book: contract, "Webhooks"). */
import { GAPS, MAX_ATTEMPTS } from '../../webhooks/retry-schedule.ts';

const UNITS = [
	[3_600_000, 'h'],
	[60_000, 'min'],
	[1000, 's'],
] as const;

function duration(milliseconds: number): string {
	const [size, unit] = UNITS.find(([each]) => milliseconds >= each) ?? UNITS[2];
	return `${milliseconds / size} ${unit}`;
}

const hours = Math.floor(GAPS.reduce((sum: number, gap) => sum + gap, 0) / 3_600_000);

export const WEBHOOKS = [
	'## Webhooks',
	'',
	'The service posts signed events to your endpoints, to each those that it wants: up to five https URLs, which you manage by',
	'`/api/v1/webhooks`. All are signed with your one webhookSecret.',
	'',
	'| Header | Rule |',
	'|---|---|',
	'| `X-Partner-Webhook-Sign` | hex HMAC-SHA256 keyed by webhookSecret over the exact raw request body |',
	'| `X-Partner-Webhook-Timestamp` | Unix seconds; reject if more than 5 minutes old or more than 1 minute in the future |',
	'| `X-Partner-Webhook-Id` | the event’s id, the same on every attempt; also `id` of the body |',
	`| \`X-Partner-Webhook-Attempt\` | 1 to ${MAX_ATTEMPTS} |`,
	'',
	'Read the body as raw bytes before anything parses it, and compare in constant time:',
	'',
	'```js',
	"import { createHmac, timingSafeEqual } from 'node:crypto';",
	'',
	'/** rawBody: Buffer of the request. headers: lower-case names, as node:http gives them. */',
	'export function isAuthentic(rawBody, headers, webhookSecret) {',
	"  const expected = createHmac('sha256', webhookSecret).update(rawBody).digest();",
	"  const given = Buffer.from(headers['x-partner-webhook-sign'] ?? '', 'hex');",
	'  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return false;',
	"  const age = Date.now() / 1000 - Number(headers['x-partner-webhook-timestamp']);",
	'  return age <= 300 && age >= -60;',
	'}',
	'```',
	'',
	'The signature covers the body alone. Id and body are the same on every attempt, signature and timestamp are',
	'computed again, with the secret of that moment.',
	'',
	'- Reply with a 2xx within 10 seconds. Anything else, a redirect included, is tried again: after',
	`  ${GAPS.map(duration).join(', ')}; ${MAX_ATTEMPTS} attempts in ${hours} hours, each gap ±10 %.`,
	'- A `Retry-After` of yours is honoured up to the next step. 410 ends that delivery.',
	'- Delivery is at least once: tell repetitions by `id`. Each event retries on its own at each endpoint, so order is not kept;',
	'  `data.sequence`, counted per order, says which is newest.',
	'- When an endpoint that was failing answers again, what it missed is sent at once, oldest first.',
	'- The URL must be https with a public host name. Deliveries are kept for 30 days and can be sent again.',
];
