/**
 * The OpenAPI 3.1 document: the surface's table, put into OpenAPI's words. Pure; made once, served many times. The page
 * at `/docs` is this document, rendered.
 */
import { type DocumentedEndpoint, TAGS } from '../ports/endpoint-docs.ts';
import { GUIDE } from './guide/guide.ts';
import { headerReference, RESPONSE_HEADERS } from './headers.ts';
import { type JsonSchema, jsonSchemas } from './json-schemas.ts';
import { headOf, type Operation, operationOf } from './operation.ts';
import { WEBHOOK_SCHEMAS, webhooksOf } from './webhooks.ts';

export type PathItem = Readonly<Partial<Record<'get' | 'head' | 'post' | 'delete', Operation>>>;

const SECURITY_SCHEMES = {
	apiKey: { type: 'apiKey', in: 'header', name: 'X-API-KEY', description: 'The public apiKey.' },
	signature: {
		type: 'apiKey',
		in: 'header',
		name: 'X-API-SIGN',
		description: 'HMAC-SHA256 under apiSecret; needs X-API-NONCE beside it. See Signing in the description above.',
	},
};

export function openApiDocument(surface: readonly DocumentedEndpoint[]) {
	const { named, components } = jsonSchemas({ ...schemasOf(surface), ...WEBHOOK_SCHEMAS });
	const paths = pathsOf(surface, named);
	const tags = Object.entries(TAGS).filter(([name]) => surface.some(({ tag }) => tag === name));
	return {
		openapi: '3.1.1',
		info: {
			title: 'Partner Exchange API',
			version: '1',
			summary: 'Swaps of crypto assets, for partners.',
			description: GUIDE,
			license: { name: 'MIT', identifier: 'MIT' },
		},
		servers: [{ url: '/', description: 'The service that serves this document.' }],
		tags: [...tags.map(([name, description]) => ({ name, description }))],
		paths,
		webhooks: webhooksOf(named),
		components: { securitySchemes: SECURITY_SCHEMES, schemas: components, headers: headersIn(paths) },
	};
}

/** Those that an answer refers to. */
function headersIn(paths: Readonly<Record<string, PathItem>>) {
	const text = JSON.stringify(paths);
	const used = Object.entries(RESPONSE_HEADERS).filter(([name]) => text.includes(`"${headerReference(name)}"`));
	return Object.fromEntries(used);
}

export type OpenApiDocument = ReturnType<typeof openApiDocument>;

const schemasOf = (surface: readonly DocumentedEndpoint[]) =>
	Object.fromEntries(
		surface.flatMap(({ id, request, response }) => [
			...(request ? [[`${id} request`, request.schema] as const] : []),
			...('data' in response ? [[`${id} data`, response.data] as const] : []),
		]),
	);

function pathsOf(
	surface: readonly DocumentedEndpoint[],
	named: Readonly<Record<string, JsonSchema>>,
): Record<string, PathItem> {
	const paths: Record<string, PathItem> = {};
	for (const endpoint of surface) {
		const { id, response } = endpoint;
		const operation = operationOf(endpoint, { request: named[`${id} request`], data: named[`${id} data`] });
		paths[endpoint.path] = {
			...paths[endpoint.path],
			[endpoint.method.toLowerCase()]: operation,
			...('contentType' in response && { head: headOf(operation) }),
		};
	}
	return paths;
}
