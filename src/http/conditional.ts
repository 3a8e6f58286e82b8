/** Conditional requests: does the caller have the current version already? (RFC 9110 §13.1.2) Pure. */

/** An entity-tag's opaque part, quotes included (RFC 9110 §8.8.3); a `W/` before it is passed over. */
const OPAQUE_TAG = /"[\x21\x23-\x7e\x80-\xff]*"/g;

/**
 * `etag`: ours, strong, of a representation that exists, so that `*` matches. The comparison is the weak one: a proxy
 * that compresses on the way marks our tag weak, and the bytes that it sends back as `W/"…"` are still these.
 */
export function isNotModified(ifNoneMatch: string | null, etag: string): boolean {
	if (ifNoneMatch === null) return false;
	return ifNoneMatch.trim() === '*' || [...ifNoneMatch.matchAll(OPAQUE_TAG)].some(([tag]) => tag === etag);
}
