/** Who runs a command, as the audit log says it. Pure. */

/** In the environment of a call that the console makes: no caller from outside can set it. */
export interface OperatedBy {
	readonly operatedBy?: string;
}

const MOST = 100;

/** `header`: `x-operator`, percent-encoded: what the caller with the operator's token calls themselves. */
export function actorOf({ operatedBy }: OperatedBy, header: string | undefined): string {
	if (operatedBy !== undefined) return readable(operatedBy);
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
