/**
 * What one operator command is: an input that is parsed at the door, and an outcome that is a value. A failure's text is
 * one line for a person; it never holds a secret.
 */
import type { DrizzleD1Database } from 'drizzle-orm/d1';
import type { z } from 'zod';
import type { Env } from '../env.ts';

export interface Context {
	readonly env: Env;
	readonly db: DrizzleD1Database;
	/** Unix milliseconds. */
	readonly now: number;
}

export interface Failure {
	/** HTTP status: 503 where the service could not finish what it was right to ask for. */
	readonly failed: 400 | 404 | 409 | 503;
	readonly error: string;
}

type Outcome = { readonly data: unknown } | Failure;

export const fail = (failed: Failure['failed'], error: string): Failure => ({ failed, error });

export const isFailure = (value: unknown): value is Failure =>
	typeof value === 'object' && value !== null && 'failed' in value;

/** `input`: what the caller sent, as parsed JSON. */
export type OperatorCommand = (context: Context, input: unknown) => Promise<Outcome>;

/** A command from its input's schema and what it does; what it returns that is no failure is its data. */
export function command<Input>(
	schema: z.ZodType<Input>,
	run: (context: Context, input: Input) => Promise<unknown>,
): OperatorCommand {
	return async (context, input) => {
		const parsed = schema.safeParse(input);
		if (!parsed.success) return fail(400, firstIssue(parsed.error));
		const result = await run(context, parsed.data);
		return isFailure(result) ? result : { data: result };
	};
}

function firstIssue({ issues }: z.ZodError): string {
	const [issue] = issues;
	const where = issue?.path.join('.') ?? '';
	const message = issue?.message ?? 'invalid input';
	return where ? `${where}: ${message}` : message;
}
