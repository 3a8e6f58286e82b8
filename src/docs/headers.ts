/** The headers of the contract, as components of the document (book: contract, "Authentication", "Limits"). */
import type { DocumentedEndpoint } from '../ports/endpoint-docs.ts';
import type { JsonSchema } from './json-schemas.ts';

export interface Parameter {
	readonly name: string;
	readonly in: 'header' | 'query';
	readonly required: boolean;
	readonly description: string;
	readonly schema: JsonSchema;
	readonly example: string;
}

interface HeaderRule {
	readonly description: string;
	readonly pattern: string;
	readonly example: string;
}

const inHeader = (name: string, description: string) => ({ type: 'apiKey', in: 'header', name, description });

/** The headers of a signed call. Signing stands here alone, so that a generated client has one place for it. */
export const SECURITY_SCHEMES = {
	apiKey: inHeader(
		'X-API-KEY',
		'Public apiKey, of your first key or of a scoped one whose kind `x-keys` of the operation names. May carry a reference ' +
			'code after the first dot: `<apiKey>.<code>`. Not part of the HMAC input.',
	),
	signature: inHeader(
		'X-API-SIGN',
		'Lowercase hex HMAC-SHA256 keyed by apiSecret; see Signing in the description above.',
	),
	nonce: inHeader('X-API-NONCE', 'Unique per request, retries included; 16 to 64 printable characters without blanks.'),
	timestamp: inHeader(
		'X-API-TIMESTAMP',
		'Unix seconds, from 300 s old to 60 s ahead; makes timestamp and nonce part of the signature. Sent but malformed, it ' +
			'returns code 3. A call that has no alternative without it returns code 3 where it is absent.',
	),
};

const IDEMPOTENCY_KEY: HeaderRule = {
	description: 'Recommended. 8 to 128 printable ASCII characters; a malformed one returns code 1.',
	pattern: '^[\\x20-\\x7e]{8,128}$',
	example: 'order-2026-11-20-000123',
};

const IF_NONE_MATCH: HeaderRule = {
	description: 'The ETag that you have; 304 where it is still the current one.',
	pattern: '^.+$',
	example: '"3f1a"',
};

const parameter = (name: string, { description, pattern, example }: HeaderRule, required: boolean): Parameter => ({
	name,
	in: 'header',
	required,
	description,
	schema: { type: 'string', pattern },
	example,
});

export function parametersOf({ auth, takesIdempotencyKey }: DocumentedEndpoint): Parameter[] {
	if (auth === 'none') return [parameter('If-None-Match', IF_NONE_MATCH, false)];
	return takesIdempotencyKey ? [parameter('Idempotency-Key', IDEMPOTENCY_KEY, false)] : [];
}

const header = (description: string, schema: JsonSchema, example: unknown) => ({ description, schema, example });

const DECIMAL: JsonSchema = { type: 'string' };

export const RESPONSE_HEADERS = {
	'X-Request-Id': header(
		'Names this answer in the service’s log; quote it when you ask the operator.',
		{ type: 'string', format: 'uuid' },
		'0b8f5d0e-6a53-4a0e-9c55-0d7d8b7f3d10',
	),
	'Cache-Control': header('Never cached on the way.', { type: 'string', const: 'no-store' }, 'no-store'),
	'Retry-After': header(
		'Whole seconds to wait before the next try; of code 5 until the call fits, rounded up.',
		{ type: 'integer', minimum: 1 },
		12,
	),
	'X-Budget-Limit': header('Your weight budget in 60 seconds; of signed calls.', { type: 'integer', minimum: 0 }, 2500),
	'X-Budget-Remaining': header('What this call has left of it.', { type: 'integer', minimum: 0 }, 2449),
	'X-Limit-From-Min': header('Of codes 7 and 8: the smallest deposit of the pair now.', DECIMAL, '0.47058824'),
	'X-Limit-From-Max': header('The largest deposit.', DECIMAL, '588.23529411'),
	'X-Limit-To-Min': header('What the smallest deposit brings.', DECIMAL, '0.01296'),
	'X-Limit-To-Max': header('What the largest deposit brings.', DECIMAL, '16.59967999'),
	'X-Quote-To-Amount': header('Of a floor above the quote: what the order would bring now.', DECIMAL, '0.05612'),
	'Access-Control-Allow-Origin': header('Browsers may call it.', { type: 'string', const: '*' }, '*'),
	'Access-Control-Expose-Headers': header(
		'What scripts of a page may read.',
		{ type: 'string', const: 'Retry-After, X-Request-Id, ETag' },
		'Retry-After, X-Request-Id, ETag',
	),
	ETag: header('Names these bytes; strong.', { type: 'string' }, '"3f1a"'),
} as const;

type ResponseHeader = keyof typeof RESPONSE_HEADERS;

export const headerReference = (name: string): string => `#/components/headers/${name}`;

const references = (names: readonly ResponseHeader[]) =>
	Object.fromEntries(names.map((name) => [name, { $ref: headerReference(name) }]));

/** Not admitted, and what broke. */
const UNTOLD: ReadonlySet<number> = new Set([401, 500]);

const LIMIT_HEADERS = ['X-Limit-From-Min', 'X-Limit-From-Max', 'X-Limit-To-Min', 'X-Limit-To-Max'] as const;
const CREATE_HEADERS = [...LIMIT_HEADERS, 'X-Quote-To-Amount'] as const;

/** The headers that come with an answer of this HTTP status. */
export function responseHeadersOf({ auth, errors }: DocumentedEndpoint, status: number) {
	return references([
		'X-Request-Id',
		...(auth === 'none' ? [] : (['Cache-Control'] as const)),
		...(auth === 'none' && status < 400 ? (['ETag'] as const) : []),
		...(auth === 'required' ? [] : (['Access-Control-Allow-Origin', 'Access-Control-Expose-Headers'] as const)),
		...(auth === 'none' || UNTOLD.has(status) ? [] : (['X-Budget-Limit', 'X-Budget-Remaining'] as const)),
		...(status === 429 || status === 503 ? (['Retry-After'] as const) : []),
		...(status === 400 && errors.includes(7) ? CREATE_HEADERS : []),
	]);
}
