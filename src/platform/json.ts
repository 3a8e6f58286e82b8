/** JSON that others wrote. Pure. */

/** Null where it is none. Its form is the caller's to check. */
export function jsonOrNull(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return null;
	}
}
