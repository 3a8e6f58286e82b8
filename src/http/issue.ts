/** What is wrong with an input, in one line for a person. Pure. */

interface Issue {
	readonly path: readonly PropertyKey[];
	readonly message: string;
}

/** The first of a schema's issues, after the name of the field that it is about. */
export function firstIssue([issue]: readonly Issue[]): string {
	const where = issue?.path.join('.') ?? '';
	const message = issue?.message ?? 'invalid input';
	return where ? `${where}: ${message}` : message;
}
