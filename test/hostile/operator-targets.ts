/** Every command of the operator API as a target: its path, and inputs that are right, wrong, or neither. */
import * as z from 'zod/mini';
import type { JsonSchema } from '../../src/docs/json-schemas.ts';
import { BACKUP_STEPS } from '../../src/operator/backup/backup-steps.ts';
import { RESTORE_STEPS } from '../../src/operator/backup/restore-steps.ts';
import { pathOf, type Topic } from '../../src/operator/topic.ts';
import { TOPICS } from '../../src/operator/topics/table.ts';

export interface Command {
	/** `/operator/v1/order/show`. */
	readonly path: string;
	readonly fields: readonly string[];
	/** A body with a value of the right kind in each field. */
	readonly base: Readonly<Record<string, unknown>>;
	/** A step of a backup takes a larger body. */
	readonly isStep: boolean;
}

/** `live`: values of things that exist, by the name of a field. */
export function commandsOf(live: Readonly<Record<string, unknown>>): Command[] {
	const commands = Object.entries<Topic>(TOPICS).flatMap(([topic, { commands }]) =>
		Object.entries(commands).map(([verb, { input }]) => commandOf(pathOf(topic, verb), input, live, false)),
	);
	const steps = Object.entries({ backup: BACKUP_STEPS, restore: RESTORE_STEPS }).flatMap(([topic, named]) =>
		Object.entries(named).map(([name, { input }]) => commandOf(`${topic}/${name}`, input as z.ZodMiniType, live, true)),
	);
	return [...commands, ...steps];
}

function commandOf(
	path: string,
	input: z.ZodMiniType,
	live: Readonly<Record<string, unknown>>,
	isStep: boolean,
): Command {
	const { properties = {} } = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' });
	const base = Object.entries(properties).map(([field, schema]) => [field, live[field] ?? exampleOf(schema)]);
	return { path: `/operator/v1/${path}`, fields: Object.keys(properties), base: Object.fromEntries(base), isStep };
}

function exampleOf(schema: JsonSchema | boolean): unknown {
	if (typeof schema === 'boolean') return 'x';
	if (schema.enum) return schema.enum[0];
	if (schema.anyOf) return exampleOf(schema.anyOf[0] as JsonSchema);
	if (schema.type === 'boolean') return true;
	if (schema.type === 'integer' || schema.type === 'number') return schema.minimum ?? 1;
	if (schema.type === 'array') return [exampleOf((schema.items as JsonSchema) ?? true)];
	if (schema.type === 'object') return {};
	return 'x';
}
