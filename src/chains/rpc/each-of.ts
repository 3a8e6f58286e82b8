/** Several requests to one node at the same time, and not too many. */

export const MAX_PARALLEL = 4;

/** One result per item, in order. A few items are asked for at a time. */
export async function eachOf<T, R>(items: readonly T[], ask: (item: T) => Promise<R>): Promise<R[]> {
	const results: R[] = [];
	for (const part of inParts(items, MAX_PARALLEL)) results.push(...(await Promise.all(part.map(ask))));
	return results;
}

/** In lists of so many, the last one of fewer. */
export const inParts = <T>(items: readonly T[], most: number): T[][] =>
	Array.from({ length: Math.ceil(items.length / most) }, (_, at) => items.slice(at * most, (at + 1) * most));
