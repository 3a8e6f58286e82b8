/** Assets that a poll could not see: since when, and in one line for the operator. Pure. */
import type { AssetId } from '../../catalog/assets.ts';

/** Unix milliseconds of the last poll that could see an asset which the last one could not. */
export type UnseenSince = Readonly<Partial<Record<AssetId, number>>>;

/** Longest summary, characters. */
const MAX_SUMMARY = 250;

/**
 * `unseen`: what the poll at `now` could not see. `before`: the last poll that worked, and what it could not see; null where
 * there was none.
 */
export function unseenAfter(
	unseen: readonly AssetId[],
	before: { readonly at: number; readonly unseenSince: UnseenSince } | null,
	now: number,
): UnseenSince {
	return Object.fromEntries(unseen.map((asset) => [asset, before?.unseenSince[asset] ?? before?.at ?? now]));
}

/** One line; the count comes first, so that it is not cut off. */
export function summaryOf(anomalies: readonly string[]): string {
	const [first = ''] = anomalies;
	return anomalies.length > 1 ? `${anomalies.length} anomalies, the first: ${first}`.slice(0, MAX_SUMMARY) : first;
}
