/** One endpoint of the surface as an operation of the document. */
import type { DocumentedEndpoint } from '../ports/endpoint-docs.ts';
import { type DocumentedError, errorsOf } from './errors.ts';
import { type Parameter, parametersOf, responseHeadersOf } from './headers.ts';
import { COMPONENT, capital, type JsonSchema } from './json-schemas.ts';
import { type CodeSample, samplesOf } from './samples.ts';

export interface Media {
	readonly schema: JsonSchema;
	readonly example?: unknown;
	readonly examples?: Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>;
}

export interface DocumentedResponse {
	readonly description: string;
	readonly headers?: Readonly<Record<string, unknown>>;
	readonly content?: Readonly<Record<string, Media>>;
}

export interface Operation {
	readonly operationId: string;
	readonly tags: readonly string[];
	readonly summary: string;
	readonly description: string;
	readonly security: readonly Readonly<Record<string, readonly string[]>>[];
	readonly parameters?: readonly Parameter[];
	readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, Media>> };
	readonly responses: Readonly<Record<string, DocumentedResponse>>;
	/** Weight units that a signed call spends. */
	readonly 'x-weight'?: number;
	/** The kinds of keys that may sign the call. */
	readonly 'x-keys'?: readonly string[];
	/** The call in several languages. */
	readonly 'x-codeSamples'?: readonly CodeSample[];
}

/** The endpoint's own schemas, as the document refers to them. */
export interface OperationSchemas {
	readonly request: JsonSchema | undefined;
	readonly data: JsonSchema | undefined;
	/** Gives a schema a name. */
	readonly refer: (name: string, schema: JsonSchema) => JsonSchema;
}

const BODY_ONLY = { apiKey: [], signature: [], nonce: [] };
const TIMED = { ...BODY_ONLY, timestamp: [] };

/** The ways to call it, the best first. */
function securityOf({ auth, isAddition }: DocumentedEndpoint): Operation['security'] {
	if (auth === 'none') return [];
	return [TIMED, ...(isAddition ? [] : [BODY_ONLY]), ...(auth === 'optional' ? [{}] : [])];
}

export const mayBeUnsigned = (security: Operation['security']): boolean =>
	security.some((way) => Object.keys(way).length === 0);

export function operationOf(endpoint: DocumentedEndpoint, schemas: OperationSchemas): Operation {
	const { id, tag, summary, description, weight, admits, request, example } = endpoint;
	return {
		operationId: id,
		tags: [tag],
		summary,
		description: description.join('\n'),
		security: securityOf(endpoint),
		'x-weight': weight,
		...(admits && { 'x-keys': ['first', ...admits] }),
		'x-codeSamples': samplesOf(endpoint),
		parameters: [
			...parametersOf(endpoint),
			...(request?.inQuery ? queryOf(schemas.request, example) : []),
			...wishesOf(endpoint),
		],
		...(request &&
			!request.inQuery &&
			schemas.request && {
				requestBody: {
					required: !request.isEmpty,
					content: { 'application/json': { schema: schemas.request, example } },
				},
			}),
		responses: { ...successesOf(endpoint, schemas), ...refusalsOf(endpoint) },
	};
}

/** The fields of the address. */
function queryOf({ properties = {}, required = [] }: JsonSchema = {}, example: unknown): Parameter[] {
	return Object.entries(properties as Record<string, JsonSchema>).map(([name, { description = '', ...schema }]) => ({
		name,
		in: 'query',
		required: required.includes(name),
		description,
		schema,
		example: String(Object(example)[name]),
	}));
}

/** The query of a document. */
const wishesOf = ({ query = {} }: DocumentedEndpoint): Parameter[] =>
	Object.entries(query).map(([name, description]) => ({
		name,
		in: 'query',
		required: false,
		description,
		schema: { type: 'string' },
		example: '50',
	}));

/** The same without a body and without samples: what HEAD answers. */
export function headOf({ operationId, responses, 'x-codeSamples': __, ...operation }: Operation): Operation {
	const bare = Object.entries(responses).map(([status, { content: _, ...rest }]) => [status, rest] as const);
	return { ...operation, operationId: `${operationId}Head`, responses: Object.fromEntries(bare) };
}

function successesOf(endpoint: DocumentedEndpoint, schemas: OperationSchemas): Record<string, DocumentedResponse> {
	const { response } = endpoint;
	const headers = responseHeadersOf(endpoint, 200);
	if ('contentType' in response) {
		const { contentType, description, example } = response;
		return {
			200: { description, headers, content: { [contentType]: documentMedia(contentType, example) } },
			304: { description: 'Unchanged since the ETag of `If-None-Match`.', headers },
		};
	}
	const { description, example } = response;
	const schema: JsonSchema = {
		type: 'object',
		required: ['code', 'msg', 'data'],
		properties: {
			code: { type: 'integer', const: 0 },
			msg: { type: 'string', maxLength: 0 },
			...(schemas.data && { data: schemas.data }),
		},
	};
	const envelope = schemas.refer(`${capital(endpoint.id)}Response`, schema);
	const media = { schema: envelope, example: { code: 0, msg: '', data: example } };
	return { 200: { description, headers, content: { 'application/json': media } } };
}

const documentMedia = (contentType: string, example: string): Media =>
	contentType === 'application/json'
		? { schema: { type: 'object' }, example: JSON.parse(example) }
		: { schema: { type: 'string' }, example };

function refusalsOf(endpoint: DocumentedEndpoint): Record<string, DocumentedResponse> {
	const byStatus = Object.groupBy(errorsOf(endpoint), ({ status }) => status);
	return Object.fromEntries(
		Object.entries(byStatus).map(([status, errors = []]) => [
			status,
			{
				description: errors.map(({ code, msg }) => `${code} ${msg}`).join(', '),
				headers: responseHeadersOf(endpoint, Number(status)),
				content: { 'application/json': refusalMedia(errors) },
			},
		]),
	);
}

function refusalMedia(errors: readonly DocumentedError[]): Media {
	return {
		schema: { $ref: `${COMPONENT}Error` },
		examples: Object.fromEntries(
			errors.map(({ code, msg, when }) => [msg.replaceAll(' ', '_'), { summary: when, value: { code, msg } }]),
		),
	};
}

export type PathItem = Readonly<Partial<Record<'get' | 'head' | 'post' | 'delete', Operation>>>;

/** The document's calls, in its order. HEAD goes with the GET that it mirrors. */
export const callsOf = ({ paths }: { readonly paths: Readonly<Record<string, PathItem>> }) =>
	Object.entries(paths).flatMap(([path, { head, ...item }]) =>
		Object.entries(item).map(([name, operation]) => {
			const method = name.toUpperCase();
			return { path, method, methods: head && method === 'GET' ? ['GET', 'HEAD'] : [method], operation };
		}),
	);

/** The refusals that an operation documents, as they stand in the document. */
export const refusalsIn = ({ responses }: Operation) =>
	Object.entries(responses).flatMap(([status, { content }]) =>
		Object.values(content?.['application/json']?.examples ?? {}).map(({ summary: when, value }) => {
			const { code, msg } = value as { readonly code: number; readonly msg: string };
			return { status, code, msg, when };
		}),
	);
