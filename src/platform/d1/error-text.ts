/** The words of SQLite in an error: drivers wrap, so they may be in the message or in its causes. Pure. */

export function errorText(error: unknown): string {
	return error instanceof Error ? `${error.message} ${errorText(error.cause)}` : '';
}
