/** One step of `backup` or `restore`: a call that the command line makes by itself. Operators do not type it. */
import type { z } from 'zod/mini';
import type { Context } from '../command.ts';

export interface Step {
	readonly input: z.ZodMiniType<object>;
	readonly run: (context: Context, input: never) => Promise<unknown>;
}

/** The input of the run is what its schema reads. */
export const step = <Schema extends z.ZodMiniType<object>>(
	input: Schema,
	run: (context: Context, input: z.output<Schema>) => Promise<unknown>,
): Step => ({ input, run });
