/** What a look at a chain could not see: for how long, and in one line for the operator. Pure. */
import type { AssetId } from '../../catalog/assets.ts';

/** Of assets that the last look could tell nothing of: Unix milliseconds of the last look that could. */
export type UnseenSince = Readonly<Partial<Record<AssetId, number>>>;

/** Characters that are shown of all of it. */
const MAX_SUMMARY = 250;

/**
 * `unseen`: what the look at `now` could tell nothing of. `before`: the last look that worked and what it could not see;
 * null where there was none.
 */
export function unseenAfter(
	unseen: readonly AssetId[],
	before: { readonly at: number; readonly unseenSince?: UnseenSince } | null,
	now: number,
): UnseenSince {
	return Object.fromEntries(unseen.map((asset) => [asset, before?.unseenSince?.[asset] ?? before?.at ?? now]));
}

/** One line; how many there are comes first, so that it is not cut off. */
export function summaryOf(oddities: readonly string[]): string {
	const [first = ''] = oddities;
	return oddities.length > 1 ? `${oddities.length} oddities, the first: ${first}`.slice(0, MAX_SUMMARY) : first;
}
