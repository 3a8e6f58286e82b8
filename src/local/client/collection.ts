/**
 * The Bruno collection, from the OpenAPI document: one file for each endpoint, an environment, and the script that signs
 * every request before it is sent.
 */
import { AFTER, BEFORE, NEW_KEY, SIGNING } from './collection-scripts.ts';

/** As much of an operation of the document as a request needs. */
interface Operation {
	readonly operationId: string;
	readonly summary: string;
	readonly description: string;
	readonly parameters?: readonly { readonly name: string; readonly in: string; readonly example?: string }[];
	readonly requestBody?: { readonly content: Readonly<Record<string, { readonly example?: unknown }>> };
}

interface Document {
	/** Operations by path, then by method. */
	readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

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

const ENVIRONMENT = `vars {
  baseUrl: http://127.0.0.1:8787
}
vars:secret [
  apiKey,
  apiSecret
]
`;

const MANIFEST = { version: '1', name: 'Partner Exchange', type: 'collection' };

/** Values of the document's examples that a run puts its own in place of: the order, the key and the endpoint that it made last. */
function variablesOf(operations: readonly Operation[]): ReadonlyMap<string, string> {
	const exampleOf = (id: string, field: string) => {
		const example = operations.find(({ operationId }) => operationId === id)?.requestBody?.content['application/json'];
		return String((example?.example as Readonly<Record<string, unknown>> | undefined)?.[field]);
	};
	return new Map([
		[exampleOf('order', 'id'), '{{orderId}}'],
		[exampleOf('order', 'token'), '{{orderToken}}'],
		[exampleOf('revokeKey', 'id'), '{{keyId}}'],
		[exampleOf('deleteEndpoint', 'id'), '{{endpointId}}'],
	]);
}

interface Request {
	readonly method: string;
	readonly path: string;
	readonly operation: Operation;
}

function requestFile({ method, path, operation }: Request, at: number, variables: ReadonlyMap<string, string>): string {
	const { operationId, summary, description, requestBody } = operation;
	const example = requestBody?.content['application/json']?.example;
	const written = JSON.stringify(example, null, 2);
	const body = requestBody
		? [...variables].reduce((text, [value, name]) => text.replaceAll(value, name), written)
		: null;
	const query = operation.parameters
		?.filter((one) => one.in === 'query')
		.map(({ name, example: text }) => `${name}=${text}`);
	const takesKey = operation.parameters?.some(({ name }) => name === 'Idempotency-Key');
	const before = takesKey ? NEW_KEY : BEFORE[operationId];
	const after = AFTER[operationId];
	return [
		block('meta', `name: ${summary}\ntype: http\nseq: ${at}`),
		block(
			method,
			`url: {{baseUrl}}${path}${query?.length ? `?${query.join('&')}` : ''}\nbody: ${body === null ? 'none' : 'json'}\nauth: none`,
		),
		...(body === null ? [] : [block('body:json', body)]),
		...(before ? [block('script:pre-request', before)] : []),
		...(after ? [block('script:post-response', after)] : []),
		block('docs', description),
	].join('\n');
}

/** Each file of the collection by its name. */
export function collectionOf({ paths }: Document): Record<string, string> {
	const requests = Object.entries(paths).flatMap(([path, item]) =>
		Object.entries(item)
			.filter(([method]) => method !== 'head')
			.map(([method, operation]) => ({ method, path, operation })),
	);
	const variables = variablesOf(requests.map(({ operation }) => operation));
	return {
		'bruno.json': `${JSON.stringify(MANIFEST, null, '\t')}\n`,
		'collection.bru': block('script:pre-request', SIGNING),
		'environments/Local.bru': ENVIRONMENT,
		...Object.fromEntries(
			requests.map((request, at) => [`${request.operation.operationId}.bru`, requestFile(request, at + 1, variables)]),
		),
	};
}
