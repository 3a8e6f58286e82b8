/**
 * One line of JSON per noteworthy thing. No line holds a secret, a token or a full client IP (decisions.md): callers
 * pass facts by name, and none of those is ever among them.
 */

export type Facts = Readonly<Record<string, unknown>>;

export function log(event: string, facts: Facts = {}): void {
	console.log(JSON.stringify({ event, ...facts }));
}

export function logError(event: string, error: unknown, facts: Facts = {}): void {
	const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
	console.error(JSON.stringify({ event, ...facts, error: `${name}: ${message}`, stack }));
}
