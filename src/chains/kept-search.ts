/**
 * One search for many questions: the operator asks for many payments at once, and all are found by reading the same part
 * of the chain. A search that failed is no answer to the next question.
 */
const KEPT_MILLISECONDS = 30_000;

/** `search`: of one subject, since a moment (Unix milliseconds). */
export function keptSearch<Subject, Found>(search: (subject: Subject, since: number) => Promise<Found>) {
	const kept = new Map<string, { readonly at: number; readonly found: Promise<Found> }>();
	return (subject: Subject, since: number): Promise<Found> => {
		const key = `${subject} ${since}`;
		const now = Date.now();
		for (const [name, { at }] of kept) if (now - at > KEPT_MILLISECONDS) kept.delete(name);
		const found = kept.get(key)?.found ?? search(subject, since);
		if (!kept.has(key)) kept.set(key, { at: now, found });
		found.catch(() => kept.delete(key));
		return found;
	};
}
