/**
 * The Bruno collection, from the OpenAPI document: one file for each endpoint, an environment, and the script that signs
 * every request before it is sent.
 */
import type { OpenApiDocument, PathItem } from '../../../src/docs/document.ts';
import type { Operation } from '../../../src/docs/operation.ts';
import { EXAMPLE_ORDER, EXAMPLE_TOKEN } from '../../../src/orders/example.ts';

/** A block of Bruno's text format: its lines are indented. */
const block = (name: string, text: string): string =>
	`${name} {\n${text
		.split('\n')
		.map((line) => (line === '' ? '' : `  ${line}`))
		.join('\n')}\n}\n`;

/** The text of a block. */
export function textOf(file: string, name: string): string {
	const [, text = ''] = new RegExp(`^${name} \\{\\n([\\s\\S]*?)\\n\\}`, 'm').exec(file) ?? [];
	return text.replaceAll(/^ {2}/gm, '');
}

const SIGNING = `// Signs the request in timestamp mode. Without apiSecret it is sent unsigned.
const apiSecret = bru.getEnvVar('apiSecret');
// The text that is signed is the text that is sent: variables are put in before, and nothing is added after.
const raw = req.getBody({ raw: true });
const text = typeof raw === 'string' ? raw : raw ? JSON.stringify(raw) : '';
const body = bru.interpolate(text).trim();
if (body !== '') req.setBody(body);
if (apiSecret) {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const nonce = require('uuid').v4();
  const message = [timestamp, nonce, body].join('\\n');
  req.setHeader('X-API-KEY', bru.getEnvVar('apiKey'));
  req.setHeader('X-API-NONCE', nonce);
  req.setHeader('X-API-TIMESTAMP', timestamp);
  req.setHeader('X-API-SIGN', require('crypto-js').HmacSHA256(message, apiSecret).toString());
}`;

const KEEP_ORDER = `// So that the other requests name this order.
const { code, data } = res.getBody();
if (code === 0) {
  bru.setVar('orderId', data.id);
  bru.setVar('orderToken', data.token);
}`;

const KEEP_SECRET = `// What follows is signed with the new secret. It is shown this once: store it elsewhere, too.
const { code, data } = res.getBody();
if (code === 0 && data.apiSecret) bru.setEnvVar('apiSecret', data.apiSecret, { persist: true });`;

/** What a request keeps of its answer. */
const AFTER: Readonly<Record<string, string>> = { create: KEEP_ORDER, rotateKeys: KEEP_SECRET };

const NEW_KEY = "// One key for each order.\nreq.setHeader('Idempotency-Key', require('uuid').v4());";

const ENVIRONMENT = `vars {
  baseUrl: http://127.0.0.1:8787
}
vars:secret [
  apiKey,
  apiSecret
]
`;

const MANIFEST = { version: '1', name: 'Partner Exchange', type: 'collection' };

/** Bodies name the order that \`create\` made last. */
const withVariables = (text: string): string =>
	text.replaceAll(EXAMPLE_ORDER.id, '{{orderId}}').replaceAll(EXAMPLE_TOKEN, '{{orderToken}}');

function requestFile(method: string, path: string, operation: Operation, at: number): string {
	const { operationId, summary, description, requestBody } = operation;
	const example = requestBody?.content['application/json']?.example;
	const after = AFTER[operationId];
	const body = requestBody ? withVariables(JSON.stringify(example, null, 2)) : null;
	const query = operation.parameters
		?.filter((one) => one.in === 'query')
		.map(({ name, example: text }) => `${name}=${text}`);
	const takesKey = operation.parameters?.some(({ name }) => name === 'Idempotency-Key');
	return [
		block('meta', `name: ${summary}\ntype: http\nseq: ${at}`),
		block(
			method,
			`url: {{baseUrl}}${path}${query?.length ? `?${query.join('&')}` : ''}\nbody: ${body === null ? 'none' : 'json'}\nauth: none`,
		),
		...(body === null ? [] : [block('body:json', body)]),
		...(takesKey ? [block('script:pre-request', NEW_KEY)] : []),
		...(after ? [block('script:post-response', after)] : []),
		block('docs', description),
	].join('\n');
}

/** Each file of the collection by its name. */
export function collectionOf({ paths }: OpenApiDocument): Record<string, string> {
	const operations = Object.entries(paths).flatMap(([path, item]: [string, PathItem]) =>
		Object.entries(item)
			.filter(([method]) => method !== 'head')
			.map(([method, operation]) => ({ method, path, operation })),
	);
	return {
		'bruno.json': `${JSON.stringify(MANIFEST, null, '\t')}\n`,
		'collection.bru': block('script:pre-request', SIGNING),
		'environments/Local.bru': ENVIRONMENT,
		...Object.fromEntries(
			operations.map(({ method, path, operation }, at) => [
				`${operation.operationId}.bru`,
				requestFile(method, path, operation, at + 1),
			]),
		),
	};
}
