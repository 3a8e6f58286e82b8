/** A reader's side of the OpenAPI document: the schemas that it promises, closed, so that nothing goes unsaid. */
import * as z from 'zod';
import type { OpenApiDocument } from '../../src/docs/document.ts';
import type { JsonSchema } from '../../src/docs/json-schemas.ts';
import type { Media, Operation, PathItem } from '../../src/docs/operation.ts';
import { call } from './partner.ts';
import type { TestService } from './service.ts';

export async function readDocument(service: TestService): Promise<OpenApiDocument> {
	const { text } = await call(service, '/openapi.json', undefined, { method: 'GET' });
	return JSON.parse(text) as OpenApiDocument;
}

export interface NamedOperation {
	/** `POST /api/v1/price`. */
	readonly name: string;
	readonly operation: Operation;
}

/** But for HEAD, which has no bodies to speak of. */
export const operationsOf = ({ paths }: OpenApiDocument): NamedOperation[] =>
	Object.entries(paths).flatMap(([path, item]: [string, PathItem]) =>
		Object.entries(item)
			.filter(([method]) => method !== 'head')
			.map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
	);

/** To make one costs more than a call. */
const readers = new WeakMap<JsonSchema, z.ZodType>();

/** What does not fit the schema; empty where all does. Fields that the schema does not name do not fit. */
export function misfits(document: OpenApiDocument, schema: JsonSchema, value: unknown): string[] {
	const reader = readers.get(schema) ?? readerOf(document, schema);
	readers.set(schema, reader);
	const { error } = reader.safeParse(value);
	return error ? error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) : [];
}

function readerOf({ components }: OpenApiDocument, schema: JsonSchema): z.ZodType {
	const text = JSON.stringify({ ...schema, $defs: components.schemas }).replaceAll('#/components/schemas/', '#/$defs/');
	const closed = JSON.parse(text, (_, node) =>
		node?.type === 'object' && node.properties ? { ...node, additionalProperties: false } : node,
	);
	return z.fromJSONSchema(closed);
}

/** What the document promises for this answer. @throws when it promises none of this status. */
export function promised(document: OpenApiDocument, name: string, status: number): Media {
	const found = operationsOf(document).find((each) => each.name === name);
	const media = found?.operation.responses[status]?.content?.['application/json'];
	if (!media) throw new Error(`${name} does not document HTTP ${status}`);
	return media;
}

/** The fenced code of the guide, by its language. */
export const codeOf = ({ info }: OpenApiDocument, language: string): string =>
	[...info.description.matchAll(/```(\w+)\n([\s\S]*?)\n```/g)].find(([, found]) => found === language)?.[2] ?? '';
