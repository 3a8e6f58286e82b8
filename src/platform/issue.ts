/**
 * Says what is wrong with an input, in words for a person. zod/mini has no words of its own: who shows them loads
 * them here.
 */
import { type $ZodError, config, prettifyError } from 'zod/v4/core';
import english from 'zod/v4/locales/en.js';

config(english());

interface Issue {
	readonly path: readonly PropertyKey[];
	readonly message: string;
}

/** The first of a schema's issues, in one line, after the name of the field that it is about. */
export function firstIssue([issue]: readonly Issue[]): string {
	const where = issue?.path.join('.') ?? '';
	const message = issue?.message ?? 'invalid input';
	return where ? `${where}: ${message}` : message;
}

/** All of them, a line or two each. */
export const allIssues = (error: $ZodError): string => prettifyError(error);
