/** A JSON Schema as a table of fields: dotted names, as the specification writes them. */
import { COMPONENT, type JsonSchema, resolved } from '../json-schemas.ts';
import { escapeHtml, table } from './html.ts';
import { inline } from './markdown.ts';

export type Schemas = Readonly<Record<string, JsonSchema>>;

interface Field {
	readonly name: string;
	readonly schema: JsonSchema;
	readonly required: boolean;
}

const nameOf = (schema: JsonSchema): string | null => schema.$ref?.slice(COMPONENT.length) ?? null;

const itemsOf = ({ items }: JsonSchema): JsonSchema | null =>
	typeof items === 'object' && !Array.isArray(items) ? items : null;

/** Leaves of an object, with the names of the objects around them. */
function leaves(schema: JsonSchema, schemas: Schemas, prefix = ''): Field[] {
	const whole = resolved(schemas, schema);
	return Object.entries(whole.properties ?? {}).flatMap(([key, property]) => {
		const inner = resolved(schemas, property as JsonSchema);
		const name = prefix + key;
		if (inner.properties) return leaves(inner, schemas, `${name}.`);
		return [{ name, schema: inner, required: whole.required?.includes(key) ?? false }];
	});
}

/** `uuid`, `string or null`, `integer`, `"float"`, `array of …`. */
export function typeText(schema: JsonSchema): string {
	const name = nameOf(schema);
	if (name !== null) return name;
	if (schema.const !== undefined) return JSON.stringify(schema.const);
	if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' or ');
	if (schema.anyOf) return schema.anyOf.map((each) => typeText(each as JsonSchema)).join(' or ');
	const items = itemsOf(schema);
	if (items) return `array of ${typeText(items)}`;
	const types = [schema.type ?? 'any'].flat().join(' or ');
	return schema.format === undefined ? types : `${types} (${schema.format})`;
}

/** The bounds that JSON Schema states beyond the type. */
function bounds(schema: JsonSchema): string {
	const { minLength, maxLength, minimum, maximum } = schema;
	const said = [
		minLength !== undefined || maxLength !== undefined ? `${minLength ?? 0} to ${maxLength ?? '…'} characters.` : '',
		minimum !== undefined && maximum !== undefined ? `${minimum} to ${maximum}.` : '',
	];
	return said.filter((text) => text !== '').join(' ');
}

/** Null where there are no fields. */
export function fieldsTable(label: string, schema: JsonSchema, schemas: Schemas, inRequest: boolean): string | null {
	const items = itemsOf(schema);
	const fields = leaves(items ?? schema, schemas);
	if (fields.length === 0) return null;
	const rows = fields.map((field) => [
		`<code>${escapeHtml(field.name)}</code>${inRequest && !field.required ? ' <span class="small soft">optional</span>' : ''}`,
		escapeHtml(typeText(field.schema)),
		inline([field.schema.description ?? '', bounds(field.schema)].join(' ').trim()),
	]);
	return table(label, ['Field', 'Type', inRequest ? 'Rules' : 'Notes'], rows);
}
