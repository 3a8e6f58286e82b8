/** One step of `backup` or `restore`: a call that the command line makes by itself. Operators do not type it. */
import type { z } from 'zod';
import type { Context } from '../command.ts';

export interface Step {
	readonly input: z.ZodType<object>;
	readonly run: (context: Context, input: never) => Promise<unknown>;
}

/** The input of the run is what its schema reads. */
export const step = <Schema extends z.ZodType<object>>(
	input: Schema,
	run: (context: Context, input: z.output<Schema>) => Promise<unknown>,
): Step => ({ input, run });
