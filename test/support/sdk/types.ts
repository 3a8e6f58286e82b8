/**
 * The client library's types and its table of calls, from the OpenAPI document: each schema with its descriptions, one
 * method for each endpoint that answers in the envelope.
 */
import type { OpenApiDocument } from '../../../src/docs/document.ts';
import { capital, type JsonSchema, resolved } from '../../../src/docs/json-schemas.ts';
import { mayBeUnsigned, type Operation, type PathItem } from '../../../src/docs/operation.ts';

/** An endpoint that the client has a method for. */
export interface ClientCall {
	readonly name: string;
	readonly method: string;
	readonly path: string;
	readonly operation: Operation;
	/** Null where no body is sent. */
	readonly request: JsonSchema | null;
	readonly data: JsonSchema;
}

/** The feeds answer with a document, and a status link needs no library: they are not among them. */
export const callsOf = ({ paths, components: { schemas } }: OpenApiDocument): ClientCall[] =>
	Object.entries(paths).flatMap(([path, item]: [string, PathItem]) =>
		Object.entries(item).flatMap(([method, operation]) => {
			const answer = resolved(schemas, operation.responses['200']?.content?.['application/json']?.schema ?? {});
			const data = answer.properties?.['data'];
			if (typeof data !== 'object' || operation.parameters?.some((one) => one.in === 'query')) return [];
			const body = operation.requestBody?.content['application/json']?.schema;
			const request = body ? resolved(schemas, body) : null;
			return [{ name: operation.operationId, method: method.toUpperCase(), path, operation, request, data }];
		}),
	);

const takesKey = ({ operation }: ClientCall): boolean =>
	operation.parameters?.some(({ name }) => name === 'Idempotency-Key') ?? false;

const GENERATED = 'Generated from the OpenAPI document by `npm run sdk:generate`.';

/** Of one call or event alone; these are written with it. */
const OF_ONE = /(?:Request|Response|Data|Event)$|^Error$/;

/** `wire.d.ts`. */
export function wireTypes(document: OpenApiDocument): string {
	const calls = callsOf(document);
	const { schemas } = document.components;
	const components = Object.entries(schemas)
		.filter(([name]) => !OF_ONE.test(name))
		.map(([name, schema]) => interfaceOf(name, schema));
	const requests = calls.flatMap(({ name, request }) =>
		request ? [interfaceOf(`${capital(name)}Request`, request, `The body of \`${name}\`.`)] : [],
	);
	const answers = calls.flatMap(({ name, data }) =>
		data.$ref?.endsWith(`/${capital(name)}Data`)
			? [interfaceOf(`${capital(name)}Data`, resolved(schemas, data), `The answer of \`${name}\`.`)]
			: [],
	);
	const events = Object.entries(document.webhooks).map(([type, { post }]) => ({
		name: `${capital(post.operationId)}Event`,
		text: interfaceOf(
			`${capital(post.operationId)}Event`,
			resolved(schemas, post.requestBody?.content['application/json']?.schema ?? {}),
			`\`${type}\`: ${post.description}`,
		),
	}));
	return [
		`/** What calls and webhooks carry, and the calls themselves. ${GENERATED} */`,
		"import type { CallOptions, CreateOptions } from './connection.ts';",
		...components,
		...requests,
		...answers,
		...events.map(({ text }) => text),
		`/** Ignore types that you do not know: events may be added. */\nexport type WebhookEvent = ${events.map(({ name }) => name).join(' | ')};`,
		`/** One method for each endpoint. */\nexport interface Calls {\n${calls.map(methodOf).join('\n')}\n}\n`,
	].join('\n\n');
}

function methodOf(call: ClientCall): string {
	const { name, path, method, operation, request, data } = call;
	const isOptional = operation.requestBody?.required === false;
	const body = request ? `body${isOptional ? '?' : ''}: ${capital(name)}Request, ` : '';
	const options = `options?: ${takesKey(call) ? 'CreateOptions' : 'CallOptions'}`;
	return `${comment(`${operation.summary}: \`${method} ${path}\`, weight ${operation['x-weight']}.`)}${name}(${body}${options}): Promise<${typeOf(data)}>;`;
}

const interfaceOf = (name: string, schema: JsonSchema, description = schema.description): string =>
	schema.properties && Object.keys(schema.properties).length === 0
		? `${comment(description)}export type ${name} = Record<string, never>;`
		: `${comment(description)}export interface ${name} ${typeOf(schema)}`;

const comment = (text: string | undefined): string =>
	text ? `/** ${text.replaceAll(/\s+/g, ' ').replaceAll('*/', '*∕')} */\n` : '';

function typeOf(schema: JsonSchema): string {
	const { $ref, const: constant, enum: values, anyOf, items, properties, type } = schema;
	if ($ref) return $ref.slice($ref.lastIndexOf('/') + 1);
	if (constant !== undefined) return JSON.stringify(constant);
	if (values) return values.map((value) => JSON.stringify(value)).join(' | ');
	if (anyOf) return anyOf.map((each) => typeOf(each as JsonSchema)).join(' | ');
	if (items) return `(${typeOf(items as JsonSchema)})[]`;
	if (properties) return `{\n${fieldsOf(schema)}\n}`;
	return [type ?? 'unknown'].flat().map(plainType).join(' | ');
}

const plainType = (type: string): string => (type === 'integer' ? 'number' : type);

const fieldsOf = ({ properties = {}, required = [] }: JsonSchema): string =>
	Object.entries(properties as Record<string, JsonSchema>)
		.map(([key, schema]) => {
			// A field that may be left out may also be given as undefined.
			const isRequired = required.includes(key);
			const field = `${key}${isRequired ? '' : '?'}: ${typeOf(schema)}${isRequired ? '' : ' | undefined'};`;
			return comment(schema.description) + field;
		})
		.join('\n');

/** `operations.ts`: a row for each call. */
export const operationsTable = (
	document: OpenApiDocument,
): string => `/** A row for each call. ${GENERATED} Pure data. */

export interface Operation {
	readonly name: string;
	readonly method: 'GET' | 'POST' | 'DELETE';
	readonly path: string;
	/** False where the call also works unsigned. */
	readonly isSigned: boolean;
	readonly hasBody: boolean;
	/** Takes an idempotency key. */
	readonly takesKey: boolean;
}

type Trait = 'signed' | 'body' | 'key';

const row = (name: string, method: Operation['method'], path: string, ...traits: readonly Trait[]): Operation => ({
	name,
	method,
	path,
	isSigned: traits.includes('signed'),
	hasBody: traits.includes('body'),
	takesKey: traits.includes('key'),
});

export const OPERATIONS: readonly Operation[] = [
${callsOf(document)
	.map((call) => {
		const { name, method, path, operation, request } = call;
		const traits = Object.entries({
			signed: !mayBeUnsigned(operation.security),
			body: request !== null,
			key: takesKey(call),
		}).flatMap(([trait, isSo]) => (isSo ? [trait] : []));
		return `row(${[name, method, path, ...traits].map((text) => JSON.stringify(text)).join(', ')}),`;
	})
	.join('\n')}
];
`;
