/** Several requests to one node at the same time, and not too many. */

export const MAX_PARALLEL = 4;

/** One result per item, in order. A few items are asked for at a time. */
export async function eachOf<T, R>(items: readonly T[], ask: (item: T) => Promise<R>): Promise<R[]> {
	const results: R[] = [];
	for (let start = 0; start < items.length; start += MAX_PARALLEL)
		results.push(...(await Promise.all(items.slice(start, start + MAX_PARALLEL).map(ask))));
	return results;
}
