/** Who runs a command, as the audit log says it. Pure. */

const MOST = 100;

/**
 * `by`: who runs it from the console; null for a call from outside. `header`: `x-operator`, percent-encoded: what the
 * caller with the operator's token calls themselves.
 */
export function actorOf(by: string | null, header: string | null): string {
	if (by !== null) return readable(by);
	const name = readable(decoded(header ?? ''));
	return name === '' ? 'command' : `command ${name}`;
}

/** Without control characters and those that turn the direction of a text: it stands beside other people's names. */
const readable = (text: string): string =>
	text
		.replaceAll(/\p{C}+/gu, '')
		.trim()
		.slice(0, MOST);

function decoded(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return '';
	}
}
