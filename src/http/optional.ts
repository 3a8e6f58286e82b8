/** An optional field of a body: `null` counts as absent, because many clients send absent options as null. */
import type * as z from 'zod';

export const optional = <Schema extends z.ZodType>(schema: Schema) =>
	schema.nullish().transform((value) => value ?? undefined);
