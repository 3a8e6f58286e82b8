/**
 * The OpenAPI 3.1 document: the surface's table, put into OpenAPI's words. Pure. The page
 * at `/docs/api` is this document, rendered.
 */
import { type DocumentedEndpoint, TAGS } from '../ports/endpoint-docs.ts';
import { ERROR_SCHEMA } from './errors.ts';
import { ERROR_TABLE, KEYS, LIMITS, OVERVIEW, SIGNING, STATES, VERSIONING, WEBHOOKS } from './guide/rules.ts';
import { headerReference, RESPONSE_HEADERS, SECURITY_SCHEMES } from './headers.ts';
import { type Components, capital, type JsonSchema, jsonSchemas, refer } from './json-schemas.ts';
import { headOf, operationOf, type PathItem } from './operation.ts';
import { WEBHOOK_SCHEMAS, webhooksOf } from './webhooks.ts';

/** The guide, which every OpenAPI viewer shows first. */
const GUIDE = [OVERVIEW, SIGNING, KEYS, LIMITS, ERROR_TABLE, STATES, WEBHOOKS, VERSIONING];

export function openApiDocument(surface: readonly DocumentedEndpoint[]) {
	const { named, components: inside } = jsonSchemas({ ...schemasOf(surface), ...WEBHOOK_SCHEMAS });
	const components: Components = { ...inside, Error: ERROR_SCHEMA };
	const paths = pathsOf(surface, named, components);
	const tags = Object.entries(TAGS).filter(([name]) => surface.some(({ tag }) => tag === name));
	return {
		openapi: '3.1.1',
		info: {
			title: 'Partner Exchange API',
			version: '1',
			summary: 'Swaps of crypto assets, for partners.',
			description: GUIDE.join('\n\n'),
			contact: { name: 'The operator of this service' },
			license: { name: 'MIT', identifier: 'MIT' },
		},
		servers: [{ url: '/', description: 'The service that serves this document.' }],
		tags: [...tags.map(([name, description]) => ({ name, description }))],
		paths,
		webhooks: webhooksOf(named, components),
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
	components: Components,
): Record<string, PathItem> {
	const nameIt = (name: string, schema: JsonSchema | undefined) => schema && refer(components, name, schema);
	const paths: Record<string, PathItem> = {};
	for (const endpoint of surface) {
		const { id, response } = endpoint;
		const [request, data] = [named[`${id} request`], named[`${id} data`]];
		const operation = operationOf(endpoint, {
			request: endpoint.request?.inQuery ? request : nameIt(`${capital(id)}Request`, request),
			data: nameIt(`${capital(id)}Data`, data),
			refer: (name, schema) => refer(components, name, schema),
		});
		paths[endpoint.path] = {
			...paths[endpoint.path],
			[endpoint.method.toLowerCase()]: operation,
			...('contentType' in response && { head: headOf(operation) }),
		};
	}
	return paths;
}
