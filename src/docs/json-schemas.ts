/** zod schemas as JSON Schema, in the dialect of OpenAPI 3.1. Those with an id become components. */
import * as z from 'zod/mini';

export type JsonSchema = z.core.JSONSchema.BaseSchema;

const DEFINITION = '#/$defs/';
export const COMPONENT = '#/components/schemas/';

/** All schemas of the document, converted at once, so that one id is one schema. */
export function jsonSchemas(schemas: Readonly<Record<string, z.ZodMiniType>>): {
	readonly named: Readonly<Record<string, JsonSchema>>;
	readonly components: Readonly<Record<string, JsonSchema>>;
} {
	const converted = z.toJSONSchema(z.object(schemas), {
		target: 'draft-2020-12',
		// The form that a caller writes, before transforms; and objects stay open: fields may be added within v1.
		io: 'input',
		// A number in the body is a class of ours by the time that zod sees it: the schema's own `meta` says its type.
		unrepresentable: 'any',
		override: ({ jsonSchema }) => plainly(jsonSchema),
	});
	const { properties = {}, $defs = {} } = JSON.parse(
		JSON.stringify(converted).replaceAll(`"${DEFINITION}`, `"${COMPONENT}`),
	) as { properties?: Record<string, JsonSchema>; $defs?: Record<string, JsonSchema> };
	return { named: properties, components: $defs };
}

/** Without what zod adds for machines and no reader needs: the bounds of a double, the pattern behind a format. */
function plainly(schema: JsonSchema): void {
	if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
	if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
	if (schema.format !== undefined) delete schema.pattern;
}

/** Where schemas get names, so that generators have types for them. */
export type Components = Record<string, JsonSchema>;

/** Puts an object's schema among the components under this name; what has a name, or is no object, stays as it is. */
export function refer(components: Components, name: string, schema: JsonSchema): JsonSchema {
	if (schema.$ref || !schema.properties) return schema;
	components[name] = schema;
	return { $ref: COMPONENT + name };
}

/** The schema behind a reference. */
export const resolved = (components: Readonly<Components>, schema: JsonSchema): JsonSchema =>
	schema.$ref ? (components[schema.$ref.slice(COMPONENT.length)] ?? {}) : schema;

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
