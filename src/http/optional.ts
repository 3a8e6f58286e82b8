/** An optional field of a body: `null` counts as absent, because many clients send absent options as null. */
import * as z from 'zod/mini';

export const optional = <Schema extends z.ZodMiniType>(schema: Schema) =>
	z.pipe(
		z.nullish(schema),
		z.transform((value) => value ?? undefined),
	);
